package jobs_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	gcp "cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/jobs"
)

// A bench has a store, its emulator and a client to read the documents.
type bench struct {
	*testing.T
	emulator *firestore.Server
	db       *gcp.Client
	store    *jobs.Store
}

func open(t *testing.T, o jobs.Options) bench {
	t.Helper()
	world := emulate.Start(t, emulate.Firestore)
	b := bench{t, world.Firestore, world.FirestoreClient(t), nil}
	var err error
	b.store, err = jobs.NewStore(b.db, o).For(schema)
	b.ok("For", err)
	_, _ = b.store.Get(t.Context(), "none") // connects, so that no short lease pays for it
	b.emulator.ResetCalls()
	return b
}

// schema is the schema of an agent whose work is objects.
var schema = jobs.Schema{
	Item:    jobs.Index{"bucket": "", "generation": int64(0)},
	Outcome: jobs.Index{"source": "", "doubt": false, "terms": []string(nil), "queue": int64(0)},
}

var item = jobs.Item{ID: "a", Kind: "upload", Subject: "tea.jpg", Index: jobs.Index{"bucket": "photos", "generation": int64(7)}}

func named(id string) jobs.Item {
	i := item
	i.ID = id
	return i
}

// claim claims the work, which must succeed.
func (b bench) claim(s *jobs.Store) *jobs.Claim {
	b.Helper()
	c, err := s.Claim(b.Context(), item)
	if err != nil {
		b.Fatalf("Claim = %v", err)
	}
	return c
}

// ok ends the test unless err is nil.
func (b bench) ok(what string, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%s = %v, want nil", what, err)
	}
}

// is fails the test on an error other than want.
func (b bench) is(what string, got, want error) {
	b.Helper()
	if !errors.Is(got, want) {
		b.Errorf("%s = %v, want %v", what, got, want)
	}
}

func (b bench) snapshot() *gcp.DocumentSnapshot {
	b.Helper()
	snap, err := b.db.Doc("work/a").Get(b.Context())
	b.ok("Get work/a", err)
	return snap
}

func (b bench) edit(field string, value any) {
	b.Helper()
	_, err := b.db.Doc("work/a").Update(b.Context(), []gcp.Update{{Path: field, Value: value}})
	b.ok("Update "+field, err)
}

// await waits for a condition.
func (b bench) await(what string, holds func() bool) {
	b.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("%s: not within a minute", what)
		}
	}
}

// abandon claims the work, keeps a checkpoint, and lets the lease run out.
func (b bench) abandon() {
	b.Helper()
	c := b.claim(b.store)
	b.ok("Checkpoint", c.Checkpoint(b.Context(), "first", json.RawMessage(`{"n": 1}`)))
	b.edit("lease_ns", 1)
}

func success(source string) jobs.Outcome {
	return jobs.Outcome{Result: json.RawMessage(`{"source":"` + source + `"}`), Index: jobs.Index{"source": source}}
}

var failure = jobs.Outcome{Result: json.RawMessage(`{}`), Error: "analysis_failed"}

// schemaWith returns the error of a schema whose outcomes have a field called name.
func schemaWith(name string) error {
	_, err := (&jobs.Store{}).For(jobs.Schema{Item: schema.Item, Outcome: jobs.Index{name: ""}})
	return err
}

// Two agents may keep their records side by side: each reads the fields that it
// declares.
func TestSchemasBesideEachOther(t *testing.T) {
	b := open(t, jobs.Options{})
	b.ok("Finish", b.claim(b.store).Finish(t.Context(), success("image")))
	plain := jobs.NewStore(b.db, jobs.Options{})
	b.ok("Record", plain.Record(t.Context(), jobs.Item{ID: "b", Kind: "asked", Subject: "Seoul"}, jobs.Outcome{Result: json.RawMessage(`21`)}, time.Now()))
	if r, err := plain.Get(t.Context(), "a"); err != nil || r.Item.Index != nil || r.Outcome.Index != nil || r.Subject != item.Subject {
		t.Errorf("Get of the other's = %+v, %v; want it without an index", r, err)
	}
	if r, err := b.store.Get(t.Context(), "b"); err != nil || r.Subject != "Seoul" || r.Outcome.Index.Text("source") != "" || len(r.Item.Index) != 2 {
		t.Errorf("Get of the other's = %+v, %v; want zero values in the index", r, err)
	}
}

func TestBadInput(t *testing.T) {
	b := open(t, jobs.Options{})
	c := b.claim(b.store)
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	list := func(f jobs.Filter) error { _, err := b.store.List(t.Context(), f); return err }
	claim := func(edit func(*jobs.Item)) error {
		i := named("b")
		edit(&i)
		_, err := b.store.Claim(t.Context(), i)
		return err
	}
	tests := []struct {
		call string
		err  error
		want string
	}{
		{"Claim without an ID", claim(func(i *jobs.Item) { i.ID = "" }), `the ID ""`},
		{"Claim with a path", claim(func(i *jobs.Item) { i.ID = "a/b" }), `the ID "a/b"`},
		{"Claim without a kind", claim(func(i *jobs.Item) { i.Kind = "" }), "want a word"},
		{"Claim with a long subject", claim(func(i *jobs.Item) { i.Subject = string(large[:5000]) }), "at most 4096 fit"},
		{"Claim with an undeclared field", claim(func(i *jobs.Item) { i.Index = jobs.Index{"colour": "red"} }), `no field "colour": declare it, or use one of ["bucket" "generation"]`},
		{"Claim with a field of an outcome", claim(func(i *jobs.Item) { i.Index = jobs.Index{"doubt": true} }), `no field "doubt"`},
		{"Finish with a field of another type", c.Finish(t.Context(), jobs.Outcome{Index: jobs.Index{"doubt": "true"}}), `"doubt" of the index is a bool`},
		{"List by an undeclared field", list(jobs.Filter{Index: jobs.Index{"colour": "red"}}), `no field "colour"`},
		{"a schema with a field of the record's own", schemaWith("state"), `"state", whose name a record has already`},
		{"a schema with a field twice", schemaWith("bucket"), `"bucket", whose name a record has already`},
		{"Checkpoint without a key", c.Checkpoint(t.Context(), "", json.RawMessage(`1`)), "want a key and JSON"},
		{"Checkpoint without JSON", c.Checkpoint(t.Context(), "k", json.RawMessage(`{`)), "want a key and JSON"},
		{"Checkpoint too much", c.Checkpoint(t.Context(), "k", large), jobs.ErrTooLarge.Error()},
		{"Finish with too much", c.Finish(t.Context(), jobs.Outcome{Result: large}), jobs.ErrTooLarge.Error()},
		{"Finish without JSON", c.Finish(t.Context(), jobs.Outcome{Result: json.RawMessage(`{`)}), "not JSON"},
		{"Record without a kind", b.store.Record(t.Context(), jobs.Item{ID: "b"}, failure, time.Now()), "want a word"},
		{"Record too much", b.store.Record(t.Context(), named("b"), jobs.Outcome{Result: large}, time.Now()), jobs.ErrTooLarge.Error()},
		{"List by a text", list(jobs.Filter{By: &jobs.Range{Field: "source"}}), `"source" of the index is a string`},
		{"List too many", list(jobs.Filter{Limit: 101}), "want 1 to 100"},
		{"List less than none", list(jobs.Filter{Limit: -1}), "want 1 to 100"},
		{"List after no cursor", list(jobs.Filter{After: "x y"}), jobs.ErrCursor.Error()},
		{"List after an empty cursor", list(jobs.Filter{After: "e30"}), jobs.ErrCursor.Error()},
		{"Reopen nothing", b.store.Reopen(t.Context(), "none"), jobs.ErrNotFound.Error()},
		{"Finish in the end", c.Finish(t.Context(), success("image")), ""},
	}
	for _, test := range tests {
		if got := message(test.err); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s = %q, want %q", test.call, got, test.want)
		}
	}
	if _, err := b.store.Get(t.Context(), "b"); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("Get(b) = %v, want %v", err, jobs.ErrNotFound)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Firestore accepts the largest record that the package accepts.
func TestLargestRecord(t *testing.T) {
	b := open(t, jobs.Options{})
	of := jobs.Item{ID: strings.Repeat("i", 1000), Kind: "upload", Index: jobs.Index{"bucket": strings.Repeat("b", 96)}, Subject: strings.Repeat("n", 3986), Attachment: make([]byte, 32<<10)}
	c, err := b.store.Claim(t.Context(), of)
	b.ok("Claim", err)
	half := json.RawMessage(`"` + strings.Repeat("x", 1<<19-24<<10-3) + `"`)
	b.ok("Checkpoint one half", c.Checkpoint(t.Context(), "1", half))
	b.ok("Checkpoint the other", c.Checkpoint(t.Context(), "2", half))
	b.ok("Checkpoint the other again", c.Checkpoint(t.Context(), "2", half))
	b.is("Checkpoint more", c.Checkpoint(t.Context(), "3", json.RawMessage(`1`)), jobs.ErrTooLarge)
	whole := json.RawMessage(`"` + strings.Repeat("x", 1<<20-48<<10-2) + `"`)
	b.ok("Finish", c.Finish(t.Context(), jobs.Outcome{Result: whole}))
}

// A photo costs a write for its claim, each checkpoint and its end. Other calls cost
// what the table says.
func TestCalls(t *testing.T) {
	b := open(t, jobs.Options{})
	ctx := t.Context()
	var c *jobs.Claim
	steps := []struct {
		name          string
		do            func() error
		writes, reads int
	}{
		{"Claim", func() (err error) { c, err = b.store.Claim(ctx, item); return err }, 1, 0},
		{"Checkpoint", func() error { return c.Checkpoint(ctx, "k", json.RawMessage(`1`)) }, 1, 0},
		{"Release", func() error { return c.Release(ctx, jobs.Waiting) }, 1, 0},
		{"Claim again", func() (err error) { c, err = b.store.Claim(ctx, item); return err }, 2, 1},
		{"Finish", func() error { return c.Finish(ctx, failure) }, 1, 0},
		{"Release after Finish", func() error { return c.Release(ctx, jobs.Waiting) }, 0, 0},
		{"Get", func() error { _, err := b.store.Get(ctx, "a"); return err }, 0, 1},
		{"Claim of done work", func() error { _, err := b.store.Claim(ctx, item); return ignore[*jobs.DoneError](err) }, 1, 1},
		{"Reopen", func() error { return b.store.Reopen(ctx, "a") }, 1, 1},
		{"Record over it", func() error { return b.store.Record(ctx, item, success("image"), time.Now()) }, 1, 0},
		{"Record", func() error { return b.store.Record(ctx, named("b"), success("image"), time.Now()) }, 1, 0},
		{"Reopen of success", func() error { return b.store.Reopen(ctx, "a") }, 0, 1},
	}
	for _, s := range steps {
		b.emulator.ResetCalls()
		b.ok(s.name, s.do())
		calls := b.emulator.Calls()
		writes, reads := calls["Commit"], calls["BatchGetDocuments"]
		if writes != s.writes || reads != s.reads || len(calls) > 2 {
			t.Errorf("%s: %v, want %d Commit and %d BatchGetDocuments", s.name, calls, s.writes, s.reads)
		}
	}
}

// ignore returns nil for an error of type E.
func ignore[E error](err error) error {
	var e E
	if errors.As(err, &e) {
		return nil
	}
	return err
}
