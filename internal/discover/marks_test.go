package discover_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

// The next run on a place drops records marked wrong, and first reads pages marked right.
// The last verdict counts; runs on another place or sector ignore it.
func TestMarks(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	l := newLab(t, site.Options{}, nil)
	limits := discover.Limits{Iterations: 1}
	request := discover.Request{Country: "Kenya", Sector: "waste", Limits: limits}
	first := l.run(request)
	if len(first.Items) < 2 {
		t.Fatalf("%d records, want two to be marked", len(first.Items))
	}
	good, bad := first.Items[0], first.Items[1]
	l.mark(first.ID, good, "wrong")
	if m := l.mark(first.ID, good, "right"); m.Verdict != "right" || m.By != "Ana" || len(m.History) != 2 || m.History[0].Verdict != "wrong" {
		t.Errorf("the second mark is %+v, want right, and both in the history", m)
	}
	l.mark(first.ID, bad, "wrong")

	second := l.run(request)
	if page := second.Sources[0]; page.URL != good.URL || page.Source != "marked" || page.Status != "extracted" {
		t.Errorf("the first page is %+v, want %s, marked and extracted", page, good.URL)
	}
	if i := index(second, good); i < 0 || second.Items[i].Mark == nil || second.Items[i].Mark.Verdict != "right" {
		t.Errorf("the record that was marked right is not there, or does not say so: %+v", second.Items)
	}
	dropped := slices.ContainsFunc(second.Dropped, func(d discover.Dropped) bool {
		return d.Gate == "marked_wrong" && d.Key == bad.DuplicateKey && d.URL == bad.URL
	})
	if index(second, bad) >= 0 || !dropped {
		t.Errorf("the record that was marked wrong is there, or was not dropped as such: %+v", second.Dropped)
	}

	if _, err := l.Mark(t.Context(), second.ID, discover.MarkRequest{DuplicateKey: bad.DuplicateKey, Verdict: "right"}); err != nil {
		t.Errorf("what was dropped cannot be marked again: %v", err)
	}
	if third := l.run(request); index(third, bad) < 0 {
		t.Errorf("a record that is right after all is still missing: %q", addresses(third))
	}
	if other := l.run(discover.Request{Country: "Kenya", Sector: "ippu", Limits: limits}); len(other.Sources) > 0 && other.Sources[0].Source == "marked" {
		t.Errorf("a run on another sector begins with %+v", other.Sources[0])
	}
}

func (l *lab) mark(id string, i discover.StructuredDataItem, verdict string) discover.Mark {
	l.t.Helper()
	m, err := l.Mark(l.t.Context(), id, discover.MarkRequest{DuplicateKey: i.DuplicateKey, Verdict: verdict, By: "Ana"})
	if err != nil {
		l.t.Fatal(err)
	}
	data, err := l.File(l.t.Context(), id, "result.csv")
	if err != nil || !strings.Contains(string(data), i.DuplicateKey+","+verdict) {
		l.t.Errorf("result.csv does not say that %s is %s: %v", i.DuplicateKey, verdict, err)
	}
	return m
}

func index(r discover.Result, of discover.StructuredDataItem) int {
	return slices.IndexFunc(r.Items, func(i discover.StructuredDataItem) bool { return i.URL == of.URL && i.Quote == of.Quote })
}

func TestBadMarks(t *testing.T) {
	l := newLab(t, site.Options{}, nil)
	r := l.run(discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 1}})
	s, err := l.Start(t.Context(), discover.Request{Country: "Kenya", Sector: "afolu"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		id   string
		mark discover.MarkRequest
		want error
	}{
		{r.ID, discover.MarkRequest{DuplicateKey: r.Items[0].DuplicateKey, Verdict: "maybe"}, discover.ErrRequest},
		{r.ID, discover.MarkRequest{Verdict: "right"}, discover.ErrRequest},
		{r.ID, discover.MarkRequest{DuplicateKey: r.Items[0].DuplicateKey, Verdict: "right", By: strings.Repeat("x", 101)}, discover.ErrRequest},
		{r.ID, discover.MarkRequest{DuplicateKey: "0000", Verdict: "right"}, discover.ErrNoRecord},
		{s.ID, discover.MarkRequest{DuplicateKey: "0000", Verdict: "right"}, discover.ErrUnfinished},
		{"20200101-000000-00000000", discover.MarkRequest{DuplicateKey: "0000", Verdict: "right"}, discover.ErrNotFound},
	} {
		if _, err := l.Mark(t.Context(), test.id, test.mark); !errors.Is(err, test.want) {
			t.Errorf("Mark(%s, %+v) = %v, want %v", test.id, test.mark, err, test.want)
		}
	}
}
