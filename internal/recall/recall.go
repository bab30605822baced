// Package recall finds the result of a photo that was analysed before, by its
// bytes and by how it was looked at.
//
//	key → Get → the result, for thirty days
//	key, result → Put
//
// Keys are hashes of everything that decides a result. Ages are told by the
// server's clock alone.
package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// collection is the Firestore collection of the results: sha256, result,
// expires_at (for a TTL policy).
const collection = "recall"

// Kept is how long a result is recalled.
const Kept = 30 * 24 * time.Hour

// An entry is a result as it is stored.
type entry struct {
	SHA256    string    `firestore:"sha256"` // of the photo
	Result    []byte    `firestore:"result"` // JSON
	ExpiresAt time.Time `firestore:"expires_at"`
}

// A Store is the results in one Firestore database.
type Store struct {
	db *firestore.Client
}

// New returns the store in db.
func New(db *firestore.Client) *Store { return &Store{db: db} }

// Get returns the result under key and its age, nil when there is none that is
// young enough.
func (s *Store) Get(ctx context.Context, key string) (json.RawMessage, time.Duration, error) {
	snap, err := s.db.Collection(collection).Doc(key).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("recall: get: %w", err)
	}
	age := snap.ReadTime.Sub(snap.UpdateTime)
	var e entry
	if err := snap.DataTo(&e); err != nil {
		return nil, 0, fmt.Errorf("recall: document %s: %w", key, err)
	}
	if age > Kept {
		return nil, 0, nil
	}
	return e.Result, age, nil
}

// Put keeps the result of the photo with this SHA-256 under key, in place of an
// older one.
func (s *Store) Put(ctx context.Context, key, sha256 string, result json.RawMessage) error {
	e := entry{SHA256: sha256, Result: result, ExpiresAt: time.Now().Add(Kept)}
	if _, err := s.db.Collection(collection).Doc(key).Set(ctx, e); err != nil {
		return fmt.Errorf("recall: put: %w", err)
	}
	return nil
}

// Forget drops every result of the photo with this SHA-256.
func (s *Store) Forget(ctx context.Context, sha256 string) error {
	docs := s.db.Collection(collection).Where("sha256", "==", sha256).Documents(ctx)
	defer docs.Stop()
	for {
		snap, err := docs.Next()
		if err == iterator.Done {
			return nil
		}
		if err != nil {
			return fmt.Errorf("recall: forget: %w", err)
		}
		if _, err := snap.Ref.Delete(ctx); err != nil {
			return fmt.Errorf("recall: forget: %w", err)
		}
	}
}
