// Package asked notes who asked for which run, so that callers see and cancel what they asked
// for themselves. Who asked for a result its own record says (package intake).
//
//	Note: caller, ID of a run → asked/{hash of both} → By: did this caller ask for it?
package asked

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// collection is the Firestore collection of the notes.
const collection = "asked"

// A note says that somebody asked for something. Its ID is a hash of who and what.
type note struct {
	ExpiresAt time.Time `firestore:"expires_at"`
}

// A Store stores notes in Firestore. It is safe for concurrent use.
type Store struct {
	notes  *firestore.CollectionRef
	retain time.Duration
}

// notesOf returns the notes of s. A field or a method would have each package that names a
// Store compile those of store.Collection again.
func notesOf(s *Store) store.Collection[note] { return store.In[note](s.notes) }

// New returns a store in db. A note expires after retain.
func New(db *firestore.Client, retain time.Duration) *Store {
	return &Store{db.Collection(collection), retain}
}

// Note notes that a caller asked for what has that ID.
func (s *Store) Note(ctx context.Context, caller, id string) error {
	_, err := notesOf(s).Create(ctx, store.HashID(caller, id), note{time.Now().Add(s.retain)})
	if err != nil && !store.Exists(err) {
		return fmt.Errorf("asked: %w", err)
	}
	return nil
}

// By reports whether a caller asked for what has that ID.
func (s *Store) By(ctx context.Context, caller, id string) (bool, error) {
	_, err := notesOf(s).Get(ctx, store.HashID(caller, id))
	switch {
	case store.Gone(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("asked: %w", err)
	}
	return true, nil
}
