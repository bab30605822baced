package discover_test

import (
	"testing"

	"example.com/whatis/emulators/minds"
	"example.com/whatis/emulators/site"
)

// A run is led through all of its steps by schemas that a service with the least budget
// for them takes.
func TestSchemasAreSmall(t *testing.T) {
	l := newLab(t, site.Options{}, nil)
	l.Gemini.SetSchemaBudget(1)
	r := l.run(requests(l.web.Places()[0])[0])
	if len(r.Items) == 0 || r.Action == "failed" {
		t.Errorf("the run ends as %s with %d records, want some", r.Action, len(r.Items))
	}
	l.CheckSchemas(t)
	kinds := map[any]bool{}
	for _, c := range l.Gemini.Calls() {
		kinds[c.Kind] = true
	}
	for _, kind := range []any{minds.KindSearchPlan, minds.KindRelevance, minds.KindScreen, minds.KindExtract, minds.KindReview, minds.KindDive} {
		if !kinds[kind] {
			t.Errorf("no %s was asked", kind)
		}
	}
}
