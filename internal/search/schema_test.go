package search_test

import (
	"slices"
	"testing"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
)

// The schema for queries is accepted by a service with small limits, and replaced by words
// for one that refuses it, with a warning.
func TestSchemas(t *testing.T) {
	b := eyewear(t)
	b.Gemini.SetSchemaBudget(1)
	for _, test := range []struct { // in this order: what was refused is not sent again
		query   string
		refused bool
	}{{"only round frames", false}, {"only round or oval frames", true}} {
		if test.refused {
			b.Gemini.SetFaults(emulated.Fault{Type: emulated.SchemaRefused})
		} else {
			b.Gemini.SetFaults()
		}
		r := b.search(search.Request{Query: test.query})
		if r.Intent != search.FilterByFeature || r.Count < 3 || slices.Contains(r.Warnings, search.WarnNoModel) || slices.Contains(r.Warnings, gemini.WarnSchemaRefused) != test.refused {
			t.Errorf("refused %v: intent %s, %d products, warnings %q; want %s and some, by the model", test.refused, r.Intent, r.Count, r.Warnings, search.FilterByFeature)
		}
	}
	if n := b.CheckSchemas(t); n != 2 {
		t.Errorf("%d schemas were sent, want 2", n)
	}
}
