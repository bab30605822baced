package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gcp "cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/store"
)

// A counter is the document type of the tests.
type counter struct {
	N         int       `firestore:"n"`
	Note      string    `firestore:"note,omitempty"`
	CreatedAt time.Time `firestore:"created_at,serverTimestamp"`
	ExpiresAt time.Time `firestore:"expires_at"`
}

// A bench is a collection of counters, its emulator, and a second client to check it.
type bench struct {
	*testing.T
	emulator *firestore.Server
	ref      *gcp.CollectionRef
	store.Collection[counter]
}

func open(t *testing.T) bench {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore)
	ref := w.FirestoreClient(t).Collection("batches") // a collection that Terraform declares
	b := bench{t, w.Firestore, ref, store.In[counter](ref)}
	_, _ = b.Get(t.Context(), "none") // connect
	w.Firestore.ResetCalls()
	return b
}

// created returns a new counter called a.
func (b bench) created(value counter) store.Doc[counter] {
	b.Helper()
	d, err := b.Create(b.Context(), "a", value)
	if err != nil {
		b.Fatalf("Create = %v", err)
	}
	b.emulator.ResetCalls()
	return d
}

// rival adds 100 to the counter called a, or creates it, as another writer would.
func (b bench) rival() {
	b.Helper()
	_, err := b.ref.Doc("a").Set(b.Context(), map[string]any{"n": gcp.Increment(100)}, gcp.MergeAll)
	if err != nil {
		b.Fatalf("the rival's write: %v", err)
	}
}

func (b bench) commits() int { return b.emulator.Calls()["Commit"] }

// n returns the count of the counter called a, -1 if there is none.
func (b bench) n() int {
	b.Helper()
	d, err := b.Get(b.Context(), "a")
	if errors.Is(err, store.ErrNotFound) {
		return -1
	}
	if err != nil {
		b.Fatalf("Get = %v", err)
	}
	return d.Value.N
}

func increment(d *store.Doc[counter]) error {
	d.Value.N++
	return nil
}

// A write changes the counter ten, which had 10 when it was read. Want is the count
// afterwards, -1 if it is deleted.
type write struct {
	do   func(ctx context.Context, b bench, ten store.Doc[counter]) error
	want int
}

var writes = map[string]write{
	"Create": {func(ctx context.Context, b bench, _ store.Doc[counter]) error {
		d, err := b.Create(ctx, "new", counter{N: 11})
		b.emulator.ClearFaults()
		if again, missed := b.ref.Doc("new").Get(b.Context()); missed != nil || err == nil && !again.UpdateTime.Equal(d.Updated) {
			b.Errorf("the new counter was written at %v (%v), and Create says at %v", again.UpdateTime, missed, d.Updated)
		}
		return err
	}, 10},
	"Save": {func(ctx context.Context, b bench, ten store.Doc[counter]) error {
		ten.Value.N++
		_, err := b.Save(ctx, ten)
		return err
	}, 11},
	"Save of a version": {func(ctx context.Context, b bench, ten store.Doc[counter]) error {
		_, err := b.Save(ctx, store.Doc[counter]{ID: "a", Exists: true, Updated: ten.Updated, Value: counter{N: 11}})
		return err
	}, 11},
	"Save of a deletion": {func(ctx context.Context, b bench, ten store.Doc[counter]) error {
		ten.Exists = false
		_, err := b.Save(ctx, ten)
		return err
	}, -1},
	"Change": {func(ctx context.Context, b bench, _ store.Doc[counter]) error {
		_, err := b.Change(ctx, "a", increment)
		return err
	}, 11},
	"Update": {func(ctx context.Context, b bench, _ store.Doc[counter]) error {
		_, err := b.Update(ctx, "a", increment)
		return err
	}, 11},
	"Update that deletes": {func(ctx context.Context, b bench, _ store.Doc[counter]) error {
		_, err := b.Update(ctx, "a", func(d *store.Doc[counter]) error {
			d.Exists = false
			return nil
		})
		return err
	}, -1},
}

// Whatever happens to a write and its response, it is applied once. The client itself
// retries a Commit after Unavailable and ResourceExhausted.
func TestFaults(t *testing.T) {
	for name, w := range writes {
		for _, fault := range []firestore.Fault{
			{Method: "Commit", Code: codes.Unavailable},
			{Method: "Commit", Code: codes.Unavailable, Applied: true},
			{Method: "Commit", Code: codes.ResourceExhausted, Applied: true},
			{Method: "Commit", Code: codes.Internal},
			{Method: "Commit", Code: codes.Internal, Applied: true},
			{Method: "Commit", Code: codes.DeadlineExceeded, Applied: true},
			{Method: "Commit", Code: codes.Aborted},
			{Method: "Commit", Code: codes.Canceled, Times: 3},
			{Method: "BatchGetDocuments", Code: codes.ResourceExhausted},
		} {
			t.Run(fmt.Sprintf("%s, %s %v applied %v", name, fault.Method, fault.Code, fault.Applied), func(t *testing.T) {
				t.Parallel()
				b := open(t)
				ten := b.created(counter{N: 10})
				b.emulator.Fail(fault)
				if err := w.do(t.Context(), b, ten); err != nil {
					t.Fatalf("%s = %v", name, err)
				}
				b.emulator.ClearFaults()
				if got := b.n(); got != w.want {
					t.Errorf("the counter is %d, want %d", got, w.want)
				}
			})
		}
	}
}

// Changes by another writer since the read are not overwritten: Change and Update decide
// again, the others return an error.
func TestConflict(t *testing.T) {
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			ten := b.created(counter{N: 10})
			b.rival()
			err := w.do(t.Context(), b, ten)
			switch got := b.n(); {
			case strings.HasPrefix(name, "Save") && (!errors.Is(err, store.ErrChanged) || !store.Conflict(err) || got != 110):
				t.Errorf("%s = %v and the counter is %d, want %v and 110", name, err, got, store.ErrChanged)
			case !strings.HasPrefix(name, "Save") && err != nil:
				t.Errorf("%s = %v", name, err)
			}
		})
	}
	b := open(t)
	b.created(counter{N: 10})
	tries := 0
	d, err := b.Change(t.Context(), "a", func(d *store.Doc[counter]) error {
		if tries++; tries < 4 {
			b.rival()
		}
		return increment(d)
	})
	if err != nil || d.Value.N != 311 || tries != 4 {
		t.Errorf("Change against three rivals = %d, %v after %d tries, want 311 after 4", d.Value.N, err, tries)
	}
	d, err = b.Create(t.Context(), "a", counter{N: 1})
	if !errors.Is(err, store.ErrExists) || d.Value.N != 311 {
		t.Errorf("Create of what there is = %d, %v, want 311 and %v", d.Value.N, err, store.ErrExists)
	}
}

func TestManyWriters(t *testing.T) {
	b := open(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := b.Change(t.Context(), "a", func(d *store.Doc[counter]) error {
				d.Exists = true
				return increment(d)
			})
			if err != nil {
				t.Errorf("Change = %v", err)
			}
		})
	}
	all.Wait()
	if got := b.n(); got != 20 {
		t.Errorf("the counter is %d after 20 increments", got)
	}
}

// A change is given up while others write all the time, and while Firestore does not
// answer; only the latter is an outage.
func TestBound(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.created(counter{})
	b.Collection = b.Within(store.Bounds{Total: 400 * time.Millisecond})
	begun, tries := time.Now(), 0
	_, err := b.Change(t.Context(), "a", func(d *store.Doc[counter]) error {
		tries++
		b.rival()
		return increment(d)
	})
	if !errors.Is(err, store.ErrBusy) || store.Outage(err) || time.Since(begun) > 10*time.Second {
		t.Errorf("Change against a rival = %v after %v, want %v", err, time.Since(begun), store.ErrBusy)
	}
	if tries > 40 {
		t.Errorf("%d tries in 0.4 s, want pauses that grow", tries)
	}
	for _, f := range []firestore.Fault{{Code: codes.Unavailable, Times: 1 << 20}, {Method: "Commit", Code: codes.ResourceExhausted, Times: 1 << 20}} {
		b.emulator.Fail(f)
		if _, err = b.Change(t.Context(), "a", increment); err == nil || errors.Is(err, store.ErrBusy) || !store.Outage(err) {
			t.Errorf("Change while every answer is %v = %v, want an outage", f.Code, err)
		}
		b.emulator.ClearFaults()
	}
}

// A write that is given up in the middle of a try is told from an outage by the try before.
func TestBoundInATry(t *testing.T) {
	for _, tt := range []struct {
		first codes.Code
		busy  bool
	}{{codes.Aborted, true}, {codes.Unavailable, false}} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			err := store.Bounds{Total: 200 * time.Millisecond}.Write(t.Context(), func(ctx context.Context) error {
				if tries++; tries == 1 {
					return status.Error(tt.first, "no")
				}
				<-ctx.Done()
				return ctx.Err()
			}, nil)
			if errors.Is(err, store.ErrBusy) != tt.busy || store.Outage(err) == tt.busy || tries != 2 {
				t.Errorf("Write after %v, given up in the second of %d tries = %v; want ErrBusy: %t, else an outage", tt.first, tries, err, tt.busy)
			}
		})
	}
}

// A permanent error ends a write at once, and so does an error of decide.
func TestRefusal(t *testing.T) {
	b := open(t)
	b.created(counter{})
	b.emulator.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
	if _, err := b.Change(t.Context(), "a", increment); !store.Outage(err) || b.commits() != 1 {
		t.Errorf("Change = %v after %d commits, want a refusal after one", err, b.commits())
	}
	b.emulator.Fail(firestore.Fault{Method: "BatchGetDocuments", Code: codes.PermissionDenied})
	if _, err := b.Change(t.Context(), "a", increment); err == nil || b.commits() != 1 {
		t.Errorf("Change = %v after %d commits, want the error of the read", err, b.commits())
	}
	b.emulator.ResetCalls()
	b.emulator.Fail(firestore.Fault{Method: "Commit", Code: codes.NotFound, Times: 1 << 20})
	if _, err := b.Create(t.Context(), "new", counter{}); !store.Gone(err) || b.commits() != 1 {
		t.Errorf("Create without a database = %v after %d commits, want a refusal after one", err, b.commits())
	}
	b.emulator.ClearFaults()
	down := fmt.Errorf("asked elsewhere: %w", context.DeadlineExceeded)
	if _, err := b.Change(t.Context(), "a", func(*store.Doc[counter]) error { return down }); !errors.Is(err, down) || b.commits() != 1 {
		t.Errorf("Change = %v after %d commits, want the error of what decides", err, b.commits())
	}
}

// The end of the caller's context ends a write, and is not an outage.
func TestContextEnds(t *testing.T) {
	b := open(t)
	b.created(counter{})
	for _, method := range []string{"Commit", "BatchGetDocuments"} {
		ctx, cancel := context.WithCancel(t.Context())
		b.emulator.ResetCalls()
		b.emulator.Fail(firestore.Fault{Method: method, Code: codes.Aborted, Times: 1 << 20})
		go func() {
			for b.emulator.Calls()[method] == 0 {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		_, err := b.Within(store.Bounds{}).Change(ctx, "a", increment)
		if !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrBusy) {
			t.Errorf("Change whose context ends during %s = %v, want %v", method, err, context.Canceled)
		}
		b.emulator.ClearFaults()
	}
}

func TestGone(t *testing.T) {
	b := open(t)
	_, err := b.Get(t.Context(), "a")
	_, failed := b.Update(t.Context(), "a", increment)
	for call, err := range map[string]error{"Get": err, "Update": failed} {
		if !errors.Is(err, store.ErrNotFound) || !store.Gone(err) {
			t.Errorf("%s of what there is not = %v, want %v", call, err, store.ErrNotFound)
		}
	}
	d, err := b.Change(t.Context(), "a", increment)
	if err != nil || d.Exists || b.commits() != 0 {
		t.Errorf("Change of what there is not = %+v, %v after %d commits, want nothing", d, err, b.commits())
	}
	ten := b.created(counter{N: 10})
	_, err = b.ref.Doc("a").Delete(t.Context())
	ten.Value.N++
	if _, saved := b.Save(t.Context(), ten); err != nil || !errors.Is(saved, store.ErrChanged) {
		t.Errorf("Save of what was deleted = %v (%v), want %v", saved, err, store.ErrChanged)
	}
}

// An expired document counts as absent, whether Firestore has deleted it or not.
func TestExpired(t *testing.T) {
	b := open(t)
	past := counter{N: 1, Note: "old", ExpiresAt: time.Now().Add(-time.Minute)}
	b.created(past)
	if _, err := b.Get(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get = %v, want %v", err, store.ErrNotFound)
	}
	if docs, err := store.List[counter](t.Context(), b.ref.Query); err != nil || len(docs) != 0 {
		t.Errorf("List = %+v, %v, want none", docs, err)
	}
	if _, err := b.Update(t.Context(), "a", increment); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Update = %v, want %v", err, store.ErrNotFound)
	}
	future := counter{N: 2, ExpiresAt: time.Now().Add(time.Hour)}
	if _, err := b.Create(t.Context(), "a", future); err != nil {
		t.Fatalf("Create in its place = %v", err)
	}
	d, err := b.Get(t.Context(), "a")
	if err != nil || d.Value.N != 2 || d.Value.Note != "" || d.Value.CreatedAt.IsZero() {
		t.Errorf("the new document is %+v, %v, want nothing of the old", d.Value, err)
	}
}

// Without changes nothing is written; otherwise only changed fields.
func TestChangesAlone(t *testing.T) {
	b := open(t)
	b.created(counter{N: 10, Note: "kept"})
	_, err := b.Change(t.Context(), "a", func(*store.Doc[counter]) error { return nil })
	if err != nil || b.commits() != 0 {
		t.Errorf("Change without a change = %v after %d commits", err, b.commits())
	}
	_, err = b.ref.Doc("a").Update(t.Context(), []gcp.Update{{Path: "other", Value: "another's"}})
	before, changed := b.Get(t.Context(), "a")
	d, saved := b.Change(t.Context(), "a", func(d *store.Doc[counter]) error {
		d.Value.Note = ""
		return increment(d)
	})
	if err = errors.Join(err, changed, saved); err != nil {
		t.Fatal(err)
	}
	snap, err := b.ref.Doc("a").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored := snap.Data()
	if _, there := stored["note"]; there || stored["other"] != "another's" || stored["n"] != int64(11) || !d.Value.CreatedAt.Equal(before.Value.CreatedAt) {
		t.Errorf("the document is %v, want n 11, no note, and all else as it was", stored)
	}
	if !d.Updated.Equal(snap.UpdateTime) {
		t.Errorf("Change says that it wrote at %v, and Firestore at %v", d.Updated, snap.UpdateTime)
	}
}

// A slow call is repeated.
func TestSlowCall(t *testing.T) {
	calls := 0
	err := store.Bounds{Call: 20 * time.Millisecond}.Read(t.Context(), func(ctx context.Context) error {
		if calls++; calls < 3 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Errorf("Read = %v after %d calls, want the third to succeed", err, calls)
	}
}

func TestPages(t *testing.T) {
	b := open(t)
	at := time.Now()
	for i := range 5 { // three of them concurrent
		_, err := b.ref.Doc(fmt.Sprint(i)).Create(t.Context(), map[string]any{"n": i, "created_at": at.Add(time.Duration(max(i-2, 0)) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
	}
	for limit, want := range map[int]string{1: "4 | 3 | 2 | 1 | 0", 2: "4 3 | 2 1 | 0", 5: "4 3 2 1 0"} {
		var pages []string
		for after := ""; ; {
			docs, next, err := store.Page[counter](t.Context(), b.ref.Query, "created_at", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			var page []string
			for _, d := range docs {
				page = append(page, d.ID)
			}
			pages = append(pages, strings.Join(page, " "))
			if after = next; next == "" {
				break
			}
		}
		if got := strings.Join(pages, " | "); got != want {
			t.Errorf("pages of %d: %s, want %s", limit, got, want)
		}
	}
	for _, after := range []string{"none", "e30", store.Cursor{ID: "a/b"}.String()} {
		if _, _, err := store.Page[counter](t.Context(), b.ref.Query, "created_at", after, 1); !errors.Is(err, store.ErrCursor) {
			t.Errorf("Page(%q) = %v, want %v", after, err, store.ErrCursor)
		}
	}
}

// A document that this version cannot read in full, as another has written it, is in its page with
// what can be read of it, and keeps no other from being shown.
func TestPageOfAnotherVersion(t *testing.T) {
	b := open(t)
	b.created(counter{N: 1, Note: "whole"})
	if _, err := b.ref.Doc("other").Create(t.Context(), map[string]any{"n": "two", "note": "kept", "created_at": gcp.ServerTimestamp}); err != nil {
		t.Fatal(err)
	}
	docs, _, err := store.Page[counter](t.Context(), b.ref.Query, "created_at", "", 10)
	if err != nil || len(docs) != 2 || docs[0].ID != "other" || docs[0].Value.N != 0 || docs[0].Value.Note != "kept" || docs[0].Value.CreatedAt.IsZero() || docs[1].Value.N != 1 {
		t.Errorf("Page = %+v, %v; want both, the one without its number", docs, err)
	}
	if _, err := b.Change(t.Context(), "other", increment); err == nil {
		t.Error("Change of what cannot be read succeeds: it would be written over")
	}
}

func TestCursor(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	byTime, byRank := store.Cursor{At: at, ID: "a"}, store.Cursor{Rank: 7, ID: "a"}
	for by, want := range map[store.Order]store.Cursor{store.ByTime: byTime, store.ByRank: byRank} {
		if got, err := store.ParseCursor(want.String(), by); err != nil || got != want {
			t.Errorf("ParseCursor(%v) = %+v, %v", want, got, err)
		}
	}
	for text, by := range map[string]store.Order{
		byTime.String(): store.ByRank, byRank.String(): store.ByTime, store.Cursor{ID: "a"}.String(): store.ByTime, "none": store.ByTime,
		store.Cursor{At: at, Rank: 7, ID: "a"}.String(): store.ByRank,
	} {
		if got, err := store.ParseCursor(text, by); !errors.Is(err, store.ErrCursor) {
			t.Errorf("ParseCursor(%q) by %s = %+v, %v; want ErrCursor", text, by, got, err)
		}
	}
}

func TestCountAndSum(t *testing.T) {
	ref := emulate.Start(t, emulate.Firestore).FirestoreClient(t).Collection("items")
	check := func(count int, sum float64) {
		t.Helper()
		n, err := store.Count(t.Context(), ref.Query)
		total, failed := store.Sum(t.Context(), ref.Query, "cost_usd")
		if err != nil || failed != nil || n != count || total != sum {
			t.Errorf("Count = %d, %v and Sum = %v, %v, want %d and %v", n, err, total, failed, count, sum)
		}
	}
	check(0, 0)
	for i, n := range []any{2, 3, 0.5} {
		if _, err := ref.Doc(fmt.Sprint(i)).Create(t.Context(), map[string]any{"cost_usd": n}); err != nil {
			t.Fatal(err)
		}
		check(i+1, []float64{2, 5, 5.5}[i])
	}
}

// A stored has fields named in every possible way.
type stored struct {
	embedded
	Plain   string
	Named   string         `firestore:"named"`
	Empty   string         `firestore:"empty,omitempty"`
	Zero    int            `firestore:"zero,omitempty"`
	List    []string       `firestore:"list,omitempty"`
	Map     map[string]int `firestore:"map,omitempty"`
	At      time.Time      `firestore:"at,omitempty"`
	Pointer *embedded      `firestore:"pointer"`
	Left    string         `firestore:"-"`
	Stamp   time.Time      `firestore:"stamp,serverTimestamp"`

	private string
}

type embedded struct {
	Inner string `firestore:"inner"`
}

// Documents are stored as Firestore's own client stores the struct, besides write_id.
func TestFields(t *testing.T) {
	b := open(t)
	c := store.In[stored](b.ref)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, v := range []stored{
		{},
		{Left: "x", private: "x", List: []string{}, Map: map[string]int{}},
		{embedded: embedded{"a"}, Plain: "b", Named: "c", Empty: "d", Zero: 1, List: []string{"e"}, Map: map[string]int{"f": 1}, At: at, Pointer: &embedded{"g"}},
		{Stamp: at},
	} {
		id := fmt.Sprint(i)
		_, err := b.ref.Doc("client's").Set(t.Context(), v)
		_, created := c.Create(t.Context(), id, v)
		changed, saved := c.Create(t.Context(), id+"changed", stored{Empty: "x", Zero: 2, List: []string{"x"}, Map: map[string]int{"x": 2}, At: at.Add(1)})
		if err = errors.Join(err, created, saved); err != nil {
			t.Fatal(err)
		}
		changed.Value = v
		if _, err := c.Save(t.Context(), changed); err != nil {
			t.Fatal(err)
		}
		want := b.data("client's")
		got := []string{b.data(id)}
		if v.Stamp.IsZero() { // else the time of its creation
			got = append(got, b.data(id+"changed"))
		}
		for _, got := range got {
			if got != want {
				t.Errorf("%+v is stored as %s, and by the client as %s", v, got, want)
			}
		}
	}
}

// data returns the fields of a document except write_id, sorted, without the server's
// times.
func (b bench) data(id string) string {
	b.Helper()
	snap, err := b.ref.Doc(id).Get(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var fields []string
	for name, value := range snap.Data() {
		if at, ok := value.(time.Time); ok && time.Since(at) < time.Hour {
			value = "now"
		}
		if name != "write_id" {
			fields = append(fields, fmt.Sprint(name, "=", value))
		}
	}
	slices.Sort(fields)
	return strings.Join(fields, " ")
}
