package firestore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	emulator "example.com/whatis/emulators/firestore"
)

func TestStartAndClose(t *testing.T) {
	s := start(t, emulator.Options{})
	if _, err := emulator.Start(emulator.Options{Addr: s.Addr()}); err == nil || !strings.Contains(err.Error(), s.Addr()) {
		t.Errorf("Start on an address in use = %v, want an error that names it", err)
	}
	c := dial(t, s.Addr())
	put(t, c, "c/a", fields{})
	s.Reset()
	_, err := c.Doc("c/a").Get(ctx(t))
	wantCode(t, "Get after Reset", err, codes.NotFound)
	wantEqual(t, "Calls() after Reset and Get", s.Calls(), map[string]int{"BatchGetDocuments": 1})
	for range 2 {
		wantEqual(t, "Close()", s.Close(), nil)
	}
}

func TestListenIsRefused(t *testing.T) {
	c := dial(t, start(t, emulator.Options{}).Addr())
	_, err := c.Doc("c/a").Snapshots(ctx(t)).Next()
	wantCode(t, "Snapshots().Next()", err, codes.Unimplemented)
	if err == nil || !strings.Contains(err.Error(), "poll") {
		t.Errorf("Snapshots().Next() = %v, want it to say what to do instead", err)
	}
}

func TestCalls(t *testing.T) {
	s := start(t, emulator.Options{})
	c := dial(t, s.Addr())
	put(t, c, "c/a", fields{}, "c/b", fields{})
	stored(t, c, "c/a")
	found(c.Collection("c").Documents(ctx(t)))
	second(c.Collection("c").NewAggregationQuery().WithCount("n").Get(ctx(t)))
	wantEqual(t, "Calls()", s.Calls(), map[string]int{"Commit": 2, "BatchGetDocuments": 1, "RunQuery": 1, "RunAggregationQuery": 1})
	s.ResetCalls()
	wantEqual(t, "Calls() after ResetCalls", s.Calls(), map[string]int{})
}

func TestFaults(t *testing.T) {
	create := func(c *firestore.Client) error { return second(c.Doc("c/a").Create(context.Background(), fields{})) }
	get := func(c *firestore.Client) error { return second(c.Doc("c/a").Get(context.Background())) }
	for _, row := range []struct {
		name   string
		faults []emulator.Fault
		do     []func(*firestore.Client) error
		want   []codes.Code
	}{
		{"next call", []emulator.Fault{{Method: "Commit", Code: codes.DataLoss}},
			[]func(*firestore.Client) error{create, get, create, get}, []codes.Code{codes.DataLoss, codes.NotFound, codes.OK, codes.OK}},
		{"two calls of any method", []emulator.Fault{{Code: codes.PermissionDenied, Times: 2}},
			[]func(*firestore.Client) error{get, create, create}, []codes.Code{codes.PermissionDenied, codes.PermissionDenied, codes.OK}},
		{"answer lost", []emulator.Fault{{Method: "Commit", Code: codes.DataLoss, Applied: true}},
			[]func(*firestore.Client) error{create, get, create}, []codes.Code{codes.DataLoss, codes.OK, codes.AlreadyExists}},
		{"one after the other", []emulator.Fault{{Method: "Commit", Code: codes.DataLoss}, {Method: "Commit", Code: codes.Internal}},
			[]func(*firestore.Client) error{create, create, create}, []codes.Code{codes.DataLoss, codes.Internal, codes.OK}},
		{"of another method", []emulator.Fault{{Method: "Rollback", Code: codes.DataLoss}},
			[]func(*firestore.Client) error{create}, []codes.Code{codes.OK}},
		{"lost answer, retried by the client", []emulator.Fault{{Method: "Commit", Code: codes.Unavailable, Applied: true}},
			[]func(*firestore.Client) error{create}, []codes.Code{codes.AlreadyExists}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := start(t, emulator.Options{})
			c := dial(t, s.Addr())
			for _, f := range row.faults {
				s.Fail(f)
			}
			for i, do := range row.do {
				wantCode(t, "call "+string(rune('1'+i)), do(c), row.want[i])
			}
		})
	}
	s := start(t, emulator.Options{})
	s.Fail(emulator.Fault{Code: codes.DataLoss})
	s.ClearFaults()
	wantCode(t, "Create after ClearFaults", create(dial(t, s.Addr())), codes.OK)
}

// everything returns a document with a value of each kind.
func everything(c *firestore.Client) fields {
	return fields{
		"n": nil, "b": true, "i": int64(1) << 60, "d": 0.1, "s": "물", "x": []byte{0}, "r": c.Doc("c/a"),
		"t": time.Unix(1, 2000).UTC(), "a": []any{int64(1), fields{"v": firestore.Vector64{1}}},
		"v": firestore.Vector64{1, 0.5}, "w": firestore.Vector64{0.1, 0.2}, "m": fields{"v": firestore.Vector64{3}, "k": "v"},
	}
}

func TestSnapshot(t *testing.T) {
	opts := emulator.Options{Dir: filepath.Join(t.TempDir(), "made")}
	s, err := emulator.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	c := dialProject(t, s.Addr(), "p")
	put(t, c, "c/a", everything(c), "c/b/d/e", fields{}, "c/gone", fields{})
	put(t, dialProject(t, s.Addr(), "q"), "c/a", fields{"other": "project"})
	if _, err := c.Doc("c/gone").Delete(ctx(t)); err != nil {
		t.Fatal(err)
	}
	before := stored(t, c, "c/a")
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}

	s = start(t, opts)
	c = dialProject(t, s.Addr(), "p")
	after := stored(t, c, "c/a")
	wantEqual(t, "names", names(t, c), "a c/b/d/e")
	wantEqual(t, "times", []time.Time{after.CreateTime, after.UpdateTime}, []time.Time{before.CreateTime, before.UpdateTime})
	want, got := before.Data(), after.Data()
	wantEqual(t, "reference", got["r"].(*firestore.DocumentRef).Path, want["r"].(*firestore.DocumentRef).Path)
	delete(want, "r")
	delete(got, "r")
	wantEqual(t, "fields", got, want)
	wantEqual(t, "other project", stored(t, dialProject(t, s.Addr(), "q"), "c/a").Data(), fields{"other": "project"})
}

// names lists collection c, and c/b/d/e when it is there.
func names(t *testing.T, c *firestore.Client) string {
	list := found(c.Collection("c").Documents(ctx(t)))
	if _, err := c.Doc("c/b/d/e").Get(ctx(t)); err == nil {
		list += " c/b/d/e"
	}
	return list
}

// A server that is killed has saved what changed a while ago.
func TestSnapshotSoonAfterChange(t *testing.T) {
	dir := t.TempDir()
	c := dialProject(t, start(t, emulator.Options{Dir: dir}).Addr(), "p")
	for _, id := range []string{"c/a", "c/b"} {
		put(t, c, id, fields{})
		awaitSaved(t, dir, id)
	}
	if _, err := c.Doc("c/a").Delete(ctx(t)); err != nil {
		t.Fatal(err)
	}
	awaitSaved(t, dir, "c/b")
	leftovers, err := filepath.Glob(filepath.Join(dir, "*"))
	wantEqual(t, "files in the folder", len(leftovers), 1)
	wantEqual(t, "Glob", err, nil)
}

// awaitSaved waits until a copy of the snapshot holds the document.
func awaitSaved(t *testing.T, dir, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		content, err := os.ReadFile(filepath.Join(dir, "firestore.snapshot"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "/documents/"+path) {
			return
		}
	}
	t.Fatalf("%s was not saved within a minute", path)
}

func TestDamagedSnapshot(t *testing.T) {
	dir := t.TempDir()
	s, err := emulator.Start(emulator.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	put(t, dial(t, s.Addr()), "c/a", fields{"s": "something"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "firestore.snapshot")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := []byte(strings.Replace(string(good), "something", "somewhere", 1))
	for _, row := range []struct {
		name    string
		content []byte
	}{
		{"empty", nil},
		{"another format", []byte("{}")},
		{"cut in the header", good[:5]},
		{"cut in a document", good[:len(good)/2]},
		{"without checksum", good[:len(good)-4]},
		{"changed", flipped},
	} {
		if err := os.WriteFile(file, row.content, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := emulator.Start(emulator.Options{Dir: dir})
		if err == nil {
			s.Close()
			t.Errorf("%s: Start = nil, want an error", row.name)
			continue
		}
		for _, part := range []string{file, "move it away"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: Start = %q, want it to say %q", row.name, err, part)
			}
		}
		if kept, err := os.ReadFile(file); err != nil || string(kept) != string(row.content) {
			t.Errorf("%s: the file was changed, %v", row.name, err)
		}
	}
}

// Of two transactions that collide, ours commits exactly one.
func TestConflictHasOneWinner(t *testing.T) {
	c := dial(t, start(t, emulator.Options{}).Addr())
	wantEqual(t, "two transactions", conflict(t, c), map[codes.Code]int{codes.OK: 1, codes.Aborted: 1})
}

// Listing a collection with missing documents is a read like others.
func TestListingInTransaction(t *testing.T) {
	c := dial(t, start(t, emulator.Options{}).Addr())
	put(t, c, "c/a/d/b", fields{})
	list := func(disturb func()) error {
		return c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
			drain(t, tx.DocumentRefs(c.Collection("c")).Next, func(r *firestore.DocumentRef) string { return r.ID })
			disturb()
			return tx.Set(c.Doc("other/x"), fields{})
		}, firestore.MaxAttempts(1))
	}
	wantCode(t, "undisturbed", list(func() {}), codes.OK)
	wantCode(t, "with a new document", list(func() { put(t, c, "c/n", fields{}) }), codes.Aborted)
}
