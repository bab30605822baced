package store_test

import (
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/store"
)

// One call writes and tells whether other documents exist, and leaves these as they are.
func TestWriteAsking(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore)
	db := w.FirestoreClient(t)
	said, unsaid, own := db.Doc("said/a"), db.Doc("said/b"), db.Doc("own/a")
	first, err := said.Create(t.Context(), map[string]any{"n": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what   string
		about  []*firestore.DocumentRef
		create bool
		none   bool
		exists bool
	}{
		{"set, of a missing one", []*firestore.DocumentRef{unsaid}, false, true, false},
		{"set, of one that exists", []*firestore.DocumentRef{said}, false, false, false},
		{"set, of both", []*firestore.DocumentRef{unsaid, said}, false, false, false},
		{"create what exists, of a missing one", []*firestore.DocumentRef{unsaid}, true, true, true},
		{"create what exists, of one that exists", []*firestore.DocumentRef{said}, true, false, true},
	} {
		w.Firestore.ResetCalls()
		asking := store.WriteAsking{DB: db, About: tt.about}
		write := asking.Set
		if tt.create {
			write = asking.Create
		}
		at, none, err := write(t.Context(), own, map[string]any{"what": tt.what})
		if none != tt.none || store.Exists(err) != tt.exists || (err == nil) == at.IsZero() || err != nil && !tt.exists {
			t.Errorf("%s: %v, none %v, %v; want none %v, exists %v", tt.what, at, none, err, tt.none, tt.exists)
		}
		calls := 0
		for _, n := range w.Firestore.Calls() {
			calls += n
		}
		if calls != 1 {
			t.Errorf("%s took %d calls, want 1", tt.what, calls)
		}
	}
	snap, err := said.Get(t.Context())
	if err != nil || !snap.UpdateTime.Equal(first.UpdateTime) || len(snap.Data()) != 1 {
		t.Errorf("the document that was asked for is %v of %v, %v; want it as it was at %v", snap.Data(), snap.UpdateTime, err, first.UpdateTime)
	}
	if _, err := unsaid.Get(t.Context()); !store.Gone(err) {
		t.Errorf("the missing document: %v, want it still missing", err)
	}
	for _, code := range []codes.Code{codes.NotFound, codes.PermissionDenied} {
		w.Firestore.Fail(emulated.Fault{Method: "BatchWrite", Code: code})
		if _, none, err := (store.WriteAsking{DB: db, About: []*firestore.DocumentRef{unsaid}}).Set(t.Context(), own, map[string]any{}); none || err == nil {
			t.Errorf("a call refused with %v: none %v, %v; want an error, and nothing known", code, none, err)
		}
	}
}
