package jobs_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"example.com/whatis/internal/jobs"
)

// Erased work cannot be found, and deliveries see it as done.
func TestErase(t *testing.T) {
	b := open(t, jobs.Options{})
	pictured := named("a")
	pictured.Attachment = []byte("secret")
	c, err := b.store.Claim(t.Context(), pictured)
	b.ok("Claim", err)
	b.ok("Checkpoint", c.Checkpoint(t.Context(), "step", json.RawMessage(`"paid"`)))
	if _, err := b.store.Erase(t.Context(), "a"); !errors.Is(err, jobs.ErrBusy) {
		t.Errorf("Erase of work that somebody is at = %v, want ErrBusy", err)
	}
	b.ok("Finish", c.Finish(t.Context(), jobs.Outcome{Result: json.RawMessage(`{"name":"secret"}`), CacheKey: "key", Tags: []string{"tag"}}))
	for range 2 { // the second as after a crash
		r, err := b.store.Erase(t.Context(), "a")
		if err != nil || string(r.Result) != `{"name":"secret"}` || string(r.Attachment) != "secret" || r.Subject != named("a").Subject {
			t.Fatalf("Erase = %+v, %v; want the record as it was", r, err)
		}
		b.erased("a")
	}
	at, err := b.store.EndErase(t.Context(), "a")
	if err != nil || at.IsZero() {
		t.Errorf("EndErase = %v, %v; want when it was erased", at, err)
	}
	b.erased("a")
	snap, err := b.db.Doc("work/a").Get(t.Context())
	b.ok("Get", err)
	for name := range snap.Data() {
		switch name {
		case "state", "owner", "beat", "forgotten_at", "expires_at":
		default:
			t.Errorf("erased work keeps %s: %v", name, snap.Data()[name])
		}
	}
	again, err := b.store.EndErase(t.Context(), "a")
	if err != nil || !again.Equal(at) {
		t.Errorf("EndErase again = %v, %v; want %v", again, err, at)
	}
	if r, err := b.store.Erase(t.Context(), "a"); err != nil || r.Kind != "" || !r.Forgotten.Equal(at) {
		t.Errorf("Erase of what is erased = %+v, %v; want its ID and %v", r, err, at)
	}
	if _, err := b.store.Erase(t.Context(), "none"); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("Erase of nothing = %v, want ErrNotFound", err)
	}
}

// erased checks that every way to read id returns it as done without a result.
func (b bench) erased(id string) {
	b.Helper()
	var done *jobs.DoneError
	if _, err := b.store.Claim(b.Context(), named(id)); !errors.As(err, &done) || len(done.Record.Result) > 0 {
		b.Errorf("Claim of erased work = %v, want a DoneError without a result", err)
	}
	b.ok("Reopen", b.store.Reopen(b.Context(), id))
	r, err := b.store.Get(b.Context(), id)
	if err != nil || r.State != jobs.Done || len(r.Result) > 0 || len(r.Attachment) > 0 || r.Subject != "" || r.Forgotten.IsZero() {
		b.Errorf("Get of erased work = %+v, %v", r, err)
	}
	if list, err := b.store.List(b.Context(), jobs.Filter{}); err != nil || len(list) > 0 {
		b.Errorf("List = %q, %v; want nothing", ids(list), err)
	}
	if _, _, found, err := b.store.Cached(b.Context(), "key"); found || err != nil {
		b.Errorf("Cached = %t, %v; want nothing", found, err)
	}
}

func TestRankedAndRewrite(t *testing.T) {
	b := open(t, jobs.Options{})
	store, err := b.store.For(jobs.Schema{Outcome: jobs.Index{"queue": int64(0), "verdict": ""}})
	b.ok("For", err)
	for id, rank := range map[string]int64{"a": 5, "b": 9, "c": 0, "d": 7, "e": 7} {
		b.ok("Record", store.Record(t.Context(), jobs.Item{ID: id, Kind: "k"}, jobs.Outcome{Result: []byte(`{"was":1}`), Index: jobs.Index{"queue": rank}}, time.Now()))
	}
	ranked := func() (all []jobs.Record) {
		for f := (jobs.Filter{By: &jobs.Range{Field: "queue", From: 1, To: 9, Descending: true}, Limit: 2}); ; f.After = all[len(all)-1].Cursor(f) {
			page, err := store.List(t.Context(), f)
			b.ok("List", err)
			if all = append(all, page...); len(page) < 2 {
				return all
			}
		}
	}
	all := ranked()
	if got := ids(all); got != "b e d a" {
		t.Fatalf("List = %q, want b e d a", got)
	}
	answered := func(o *jobs.Outcome) (bool, error) {
		o.Index, o.Result = jobs.Index{"queue": int64(0), "verdict": "accept"}, []byte(`{"is":2}`)
		return true, nil
	}
	if r, changed, err := store.Rewrite(t.Context(), "e", answered); !changed || err != nil || string(r.Result) != `{"is":2}` {
		t.Errorf("Rewrite = %+v, %t, %v", r, changed, err)
	}
	if got := ids(ranked()); got != "b d a" {
		t.Errorf("List = %q, want b d a", got)
	}
	if r, err := store.Get(t.Context(), "e"); err != nil || r.Outcome.Index.Text("verdict") != "accept" || string(r.Result) != `{"is":2}` || !r.Finished.Equal(all[1].Finished) {
		t.Errorf("Get = %+v, %v; want the verdict", r, err)
	}
	if _, err := store.Erase(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"d", "none"} { // erased, and never there
		if _, changed, err := store.Rewrite(t.Context(), id, answered); changed || err != nil {
			t.Errorf("Rewrite of %s = %t, %v; want nothing changed", id, changed, err)
		}
	}
}
