package jobs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

func (s *Store) doc(id string) *firestore.DocumentRef { return s.db.Collection(s.o.Collection).Doc(id) }

// readOnce reads a record; one that does not exist is no error.
func (s *Store) readOnce(ctx context.Context, id string) (found, error) {
	snap, err := s.doc(id).Get(ctx)
	if store.Gone(err) && snap != nil {
		return found{id: id, read: snap.ReadTime}, nil
	}
	if err != nil {
		return found{}, fmt.Errorf("jobs: read %s: %w", id, err)
	}
	return s.parse(snap)
}

// updatedRecord is a record after a write.
type updatedRecord struct {
	found
	sent time.Duration // elapsed() before the write was sent
}

// A rule says what a write makes of a record as it was found, or why it stays. It
// may change Attempts of what it is given; no fields and no error mean that all
// is well.
type rule func(*found) (fields, error)

// updateIfUnchanged writes what decide makes of the record, under the condition that it is
// still so; else it reads the record and decides again, for half a lease at most.
// It begins with the guess at, or with a read when that is nil. Owner marks the
// write, so that one whose answer was lost is known again.
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

// updateOnce writes what decide makes of at, once, unless decide refuses.
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

// createOrUpdate creates the record, or updates it, under the condition that it is as found,
// and returns when.
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

// readWithRetry is readOnce until it succeeds, fails for good, or half a lease is over.
// An answer that is long in coming is asked for again.
func (s *Store) readWithRetry(ctx context.Context, id string) (at found, err error) {
	err = store.Bounds{Total: s.o.Lease / 2, Call: s.o.Renew / 2}.Read(ctx, func(ctx context.Context) error {
		at, err = s.readOnce(ctx, id)
		return err
	})
	return at, err
}
