package discover_test

import (
	"slices"
	"testing"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

// A run whose service loses its search engine reads the pages that it has.
func TestSearchTakenAway(t *testing.T) {
	l := newLab(t, site.Options{}, func(_ *lab, c *discover.Config) { c.TaskTime = -1 })
	s, err := l.Start(t.Context(), discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the plan, and a search
		if err := l.once(l.take()); err != nil {
			t.Fatal(err)
		}
	}
	l.Search = nil
	if r := l.finish(s.ID, l.once); len(r.Items) == 0 || !slices.Contains(r.Warnings, discover.WarnNoSearch) || r.Searches != 1 {
		t.Errorf("%d records after %d searches, warnings %q: %s", len(r.Items), r.Searches, r.Warnings, r.Reason)
	}
}
