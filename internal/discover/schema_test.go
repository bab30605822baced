package discover_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/gemini"
)

// A run is led through all of its steps by schemas that a service with the least budget
// for them takes, and without any by one that refuses them all: then the result warns of
// it.
func TestSchemas(t *testing.T) {
	l := newLab(t, site.Options{}, nil)
	l.Gemini.SetSchemaBudget(1)
	for _, refused := range []bool{false, true} {
		l.Gemini.ResetCalls()
		if refused {
			l.Gemini.SetFaults(emulated.Fault{Type: emulated.SchemaRefused})
		}
		r := l.run(requests(l.web.Places()[0])[0])
		if len(r.Items) == 0 || r.Action == "failed" || slices.Contains(r.Warnings, gemini.WarnSchemaRefused) != refused {
			t.Errorf("refused %v: the run ends as %s with %d records and warnings %q", refused, r.Action, len(r.Items), r.Warnings)
		}
		l.CheckSchemas(t)
		kinds := map[any]bool{}
		for _, c := range l.Gemini.Calls() {
			kinds[c.Kind] = kinds[c.Kind] || c.Status == 200
		}
		for _, kind := range []any{answers.KindSearchPlan, answers.KindRelevance, answers.KindScreen, answers.KindExtract, answers.KindReview, answers.KindDive} {
			if !kinds[kind] {
				t.Errorf("refused %v: no %s was answered", refused, kind)
			}
		}
	}
}

// A page to which the model answers 400 is left out, with the reason in the result, and
// the run goes on.
func TestBadRequestCostsAPage(t *testing.T) {
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) { c.AtOnce = 1 }) // both answers to one page
	l.Gemini.SetFaults(emulated.Fault{Type: emulated.BadRequest, Kind: answers.KindExtract, Times: 2})
	r := l.run(requests(l.web.Places()[0])[0])
	if len(r.Items) == 0 || r.Action == "failed" {
		t.Errorf("the run ends as %s (%s) with %d records, want some", r.Action, r.Reason, len(r.Items))
	}
	n := 0
	for _, d := range r.Dropped {
		if d.Gate == "extractor" && strings.Contains(d.Reason, "invalid (INVALID_ARGUMENT)") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("dropped %+v, want one page for a 400", r.Dropped)
	}
}
