package search_test

import (
	"testing"

	"example.com/whatis/internal/search"
)

// A query is understood by a schema that a service with the least budget for it takes.
func TestSchemasAreSmall(t *testing.T) {
	b := eyewear(t)
	b.Gemini.SetSchemaBudget(1)
	if r := b.search(search.Request{Query: "only round frames"}); r.Intent != search.FilterByFeature || r.Count != 3 || len(r.Warnings) != 1 {
		t.Errorf("Run = intent %s, %d products, warnings %q; want %s, 3 and that the model is emulated", r.Intent, r.Count, r.Warnings, search.FilterByFeature)
	}
	if n := b.CheckSchemas(t); n != 1 {
		t.Errorf("%d schemas were sent, want 1", n)
	}
}
