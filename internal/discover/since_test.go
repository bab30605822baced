package discover_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

// A run since an earlier one says which records are new, not looked at, or newer editions of
// what the earlier one had.
func TestSince(t *testing.T) {
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) { c.Search = nil })
	superseded, unread, fresh := l.three("waste")
	request := discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 1}}
	l.Portals = []discover.Portal{{URL: old(superseded)}, {URL: unread.URL}}
	first := l.run(request)
	if len(first.Items) != 2 || first.Changes != nil {
		t.Fatalf("the first run finds %q, with changes %+v", addresses(first), first.Changes)
	}
	l.Portals = []discover.Portal{{URL: old(superseded)}, {URL: superseded.URL}, {URL: fresh.URL}}
	request.Since = first.ID
	c := l.run(request).Changes
	if c == nil || c.Since != first.ID || len(c.New) != 1 || c.New[0].URL != fresh.URL || len(c.Gone) > 0 || len(c.NotLookedAt) != 1 || c.NotLookedAt[0].URL != unread.URL || c.NotLookedAt[0].Reason == "" ||
		len(c.Superseded) != 1 || c.Superseded[0].URL != old(superseded) || c.Superseded[0].By == "" || c.Superseded[0].LastYear >= superseded.LastYear {
		t.Errorf("changes = %+v; want %s new, %s not looked at, %s superseded by %s", c, fresh.URL, unread.URL, old(superseded), superseded.URL)
	}

	for _, bad := range []struct {
		request discover.Request
		want    string
	}{
		{discover.Request{Country: "Kenya", Sector: "waste", Since: "20200101-000000-00000000"}, "is no run"},
		{discover.Request{Country: "Kenya", Sector: "waste", Since: "yesterday"}, "is no run"},
		{discover.Request{Country: "Argentina", Sector: "waste", Since: first.ID}, "another place"},
		{discover.Request{Country: "Kenya", Sector: "afolu", Since: first.ID}, "another place or sector"},
		{discover.Request{Country: "Kenya", Sector: "waste", Since: l.begun(request)}, "not over"},
	} {
		if _, err := l.Start(t.Context(), bad.request); !errors.Is(err, discover.ErrRequest) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("Start(%+v) = %v, want %q", bad.request, err, bad.want)
		}
	}
}

// begun returns a run without a slice done.
func (l *lab) begun(r discover.Request) string {
	l.t.Helper()
	s, err := l.Start(l.t.Context(), r)
	if err != nil {
		l.t.Fatal(err)
	}
	return s.ID
}

// three are datasets of Kenya: one that has an older edition, and two others.
func (l *lab) three(sector string) (edited, one, two site.Dataset) {
	l.t.Helper()
	var others []site.Dataset
	for _, d := range l.web.Truth() {
		switch {
		case d.Place.Country != "KE" || d.Place.Kind != "country" || !slices.Contains(d.Sectors, sector):
		case old(d) != "" && edited.URL == "":
			edited = d
		default:
			others = append(others, d)
		}
	}
	if edited.URL == "" || len(others) < 2 {
		l.t.Fatalf("no dataset with an older edition (%q), or too few others (%d)", edited.URL, len(others))
	}
	return edited, others[0], others[1]
}

// old returns the page of an older edition of a dataset, "" if there is none.
func old(d site.Dataset) string {
	for _, also := range d.Also {
		one, err := url.Parse(also)
		two, bad := url.Parse(d.URL)
		if err == nil && bad == nil && one.Host == two.Host && strings.Contains(also, "archive") {
			return also
		}
	}
	return ""
}
