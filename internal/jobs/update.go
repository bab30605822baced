package jobs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

func (s *Store) doc(id string) *firestore.DocumentRef { return s.db.Collection(s.o.Collection).Doc(id) }

// readOnce reads a record; a missing one is no error.
func (s *Store) readOnce(ctx context.Context, id string) (found, error) {
	snap, err := s.doc(id).Get(ctx)
	if store.Gone(err) && snap != nil {
		return found{id: id, read: snap.ReadTime}, nil
	}
	if err != nil {
		return found{}, fmt.Errorf("jobs: read %s: %w", id, err)
	}
	return s.parse(snap), nil
}

// updatedRecord is a record after a write.
type updatedRecord struct {
	found
	sent time.Duration // elapsed() before the write was sent
}

// A rule returns the fields to write to a record as it was found, or why it is not
// changed. It may change Attempts of its argument; no fields and no error mean that
// there is nothing to write.
type rule func(*found) (fields, error)

// updateIfUnchanged writes the fields that decide returns, on condition that the record
// has not changed; if it has, it reads the record and decides again, for half a lease at
// most. It begins with the guess at, or with a read if that is nil. Owner marks the
// write, so that a write whose response was lost is recognised.
func (s *Store) updateIfUnchanged(ctx context.Context, at *found, id, owner string, decide rule) (next updatedRecord, err error) {
	bounds := store.Bounds{Total: s.o.Lease / 2}
	if at == nil {
		read, err := s.readWithRetry(ctx, id)
		if err != nil {
			return updatedRecord{}, err
		}
		at = &read
	}
	var refused error
	err = bounds.Write(ctx, func(ctx context.Context) (err error) {
		next, refused, err = s.updateOnce(ctx, *at, owner, decide)
		return err
	}, func(ctx context.Context) (store.Found, error) {
		read, err := s.readWithRetry(ctx, id)
		before := at.updated
		at = &read
		switch {
		case err != nil:
			return store.Unchanged, err
		case read.Owner == owner:
			next = updatedRecord{read, next.sent}
			return store.Applied, nil
		case read.updated.Equal(before):
			return store.Unchanged, nil
		}
		return store.Changed, nil
	})
	if err == nil {
		err = refused
	}
	return next, err
}

// updateOnce writes the fields that decide returns for at, once, unless decide refuses.
func (s *Store) updateOnce(ctx context.Context, at found, owner string, decide rule) (next updatedRecord, refused, err error) {
	next = updatedRecord{found: at, sent: elapsed()}
	set, refused := decide(&next.found)
	if refused != nil || set == nil {
		return next, refused, nil
	}
	next.Owner, next.WriteCount = owner, at.WriteCount+1
	next.updated, err = s.createOrUpdate(ctx, at, set.with(fields{"owner": next.Owner, "beat": next.WriteCount}))
	if err != nil {
		err = fmt.Errorf("jobs: write %s: %w", at.id, err)
	}
	return next, nil, err
}

// createOrUpdate creates the record, or updates it on condition that it is as found,
// and returns the time of the write.
func (s *Store) createOrUpdate(ctx context.Context, at found, set fields) (time.Time, error) {
	ref := s.doc(at.id)
	if at.exists {
		return updateTime(ref.Update(ctx, set.updates(), firestore.LastUpdateTime(at.updated)))
	}
	for name, value := range set {
		if value == firestore.Delete {
			delete(set, name)
		}
	}
	return updateTime(ref.Create(ctx, set))
}

func updateTime(r *firestore.WriteResult, err error) (time.Time, error) {
	if err != nil {
		return time.Time{}, err
	}
	return r.UpdateTime, nil
}

// readWithRetry calls readOnce until it succeeds, fails permanently, or half a lease has
// passed. A slow call is cancelled and retried.
func (s *Store) readWithRetry(ctx context.Context, id string) (at found, err error) {
	err = store.Bounds{Total: s.o.Lease / 2, Call: s.o.Renew / 2}.Read(ctx, func(ctx context.Context) error {
		at, err = s.readOnce(ctx, id)
		return err
	})
	return at, err
}
