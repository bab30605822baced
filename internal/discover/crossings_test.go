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

// A run that is cancelled, or may read one page only, says of no record of the earlier run that
// it is gone.
func TestSinceStopped(t *testing.T) {
	l := newLab(t, site.Options{}, nil)
	request := discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 1}}
	first := l.run(request)
	request.Since = first.ID
	s, err := l.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Cancel(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if c := l.finish(s.ID, l.once).Changes; c == nil || len(c.Gone) > 0 || len(c.NotLookedAt) != len(first.Items) {
		t.Errorf("cancelled: changes = %+v, want %d records not looked at", c, len(first.Items))
	}
	request.Limits.Pages = 1
	if r := l.run(request); r.Changes == nil || len(r.Changes.Gone) > 0 || len(r.Changes.NotLookedAt) < len(first.Items)-len(r.Items) {
		t.Errorf("limited: changes = %+v, with %d records of %d", r.Changes, len(r.Items), len(first.Items))
	}
}
