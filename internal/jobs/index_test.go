package jobs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/jobs"
)

func ids(records []jobs.Record) string {
	var list []string
	for _, r := range records {
		list = append(list, r.ID)
	}
	return strings.Join(list, " ")
}

// finished writes work that finished some minutes ago.
func (b bench) finished(id, source string, doubt bool, minutes time.Duration) {
	b.Helper()
	b.ok("Record", b.store.Record(b.Context(), named(id), jobs.Outcome{Index: jobs.Index{"terms": []string{"any", source}, "doubt": doubt, "queue": int64(minutes)}}, time.Now()))
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(-minutes * time.Minute)
	_, err := b.db.Doc("work/"+id).Update(b.Context(), []firestore.Update{{Path: "finished_at", Value: at}})
	b.ok("Update", err)
}

func TestList(t *testing.T) {
	b := open(t, jobs.Options{})
	b.finished("e", "image", false, 1)
	b.finished("b", "local_db", true, 2)
	b.finished("x", "image", true, 3) // these three at once
	b.finished("y", "image", false, 3)
	b.finished("z", "image", true, 3)
	b.finished("c", "google_search", true, 4)
	for _, id := range []string{"running", "open", "reopened"} {
		c, err := b.store.Claim(t.Context(), named(id))
		b.ok("Claim", err)
		switch id {
		case "open":
			b.ok("Release", c.Release(t.Context(), jobs.Counted))
		case "reopened":
			b.ok("Finish", c.Finish(t.Context(), failure))
			b.ok("Reopen", b.store.Reopen(t.Context(), id))
		}
	}
	tests := []struct {
		name string
		f    jobs.Filter
		want string
	}{
		{"all", jobs.Filter{}, "e b z y x c"},
		{"source", jobs.Filter{Index: jobs.Index{"terms": "image"}}, "e z y x"},
		{"doubt", jobs.Filter{Index: jobs.Index{"terms": "any", "doubt": true}}, "b z x c"},
		{"no doubt", jobs.Filter{Index: jobs.Index{"terms": "any", "doubt": false}}, "e y"},
		{"both", jobs.Filter{Index: jobs.Index{"terms": "image", "doubt": true}}, "z x"},
		{"none", jobs.Filter{Index: jobs.Index{"terms": "none"}}, ""},
		{"by a number", jobs.Filter{By: &jobs.Range{Field: "queue", From: 2, To: 3, Descending: true}}, "z y x b"},
		{"limit", jobs.Filter{Limit: 2}, "e b"},
	}
	for _, test := range tests {
		got, err := b.store.List(t.Context(), test.f)
		if err != nil || ids(got) != test.want {
			t.Errorf("%s: List = %q, %v; want %q", test.name, ids(got), err, test.want)
		}
		if paged := b.pages(test.f); test.f.Limit == 0 && paged != test.want {
			t.Errorf("%s, one a page: List = %q, want %q", test.name, paged, test.want)
		}
	}
}

// pages calls List, one record at a time.
func (b bench) pages(f jobs.Filter) string {
	b.Helper()
	var all []jobs.Record
	for f.Limit = 1; ; f.After = all[len(all)-1].Cursor(f) {
		page, err := b.store.List(b.Context(), f)
		b.ok("List", err)
		if all = slices.Concat(all, page); len(page) == 0 {
			return ids(all)
		}
	}
}
