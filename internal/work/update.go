package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func (s *Store) doc(id string) *firestore.DocumentRef { return s.db.Collection(s.o.Collection).Doc(id) }

// readOnce reads a record; one that does not exist is no error.
func (s *Store) readOnce(ctx context.Context, id string) (found, error) {
	snap, err := s.doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound && snap != nil {
		return found{id: id, read: snap.ReadTime}, nil
	}
	if err != nil {
		return found{}, fmt.Errorf("work: read %s: %w", id, err)
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
func (s *Store) updateIfUnchanged(ctx context.Context, at *found, id, owner string, decide rule) (updatedRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Lease/2)
	defer cancel()
	if at == nil {
		read, err := s.readWithRetry(ctx, id)
		if err != nil {
			return updatedRecord{}, err
		}
		at = &read
	}
	for {
		next, err := s.updateOnce(ctx, *at, owner, decide)
		if err == nil || !refused(err) && !passing(err) {
			return next, err
		}
		read, missed := s.readWithRetry(ctx, id)
		switch {
		case missed != nil:
			return updatedRecord{}, errors.Join(err, missed)
		case read.Owner == owner:
			return updatedRecord{read, next.sent}, nil
		case read.updated.Equal(at.updated) && !s.pause(ctx):
			return updatedRecord{}, err
		}
		at = &read
	}
}

// updateOnce writes what decide makes of at, once.
func (s *Store) updateOnce(ctx context.Context, at found, owner string, decide rule) (updatedRecord, error) {
	next := updatedRecord{found: at, sent: elapsed()}
	set, err := decide(&next.found)
	if err != nil || set == nil {
		return next, err
	}
	next.Owner, next.WriteCount = owner, at.WriteCount+1
	next.updated, err = s.createOrUpdate(ctx, at, set.with(fields{"owner": next.Owner, "beat": next.WriteCount}))
	if err != nil {
		err = fmt.Errorf("work: write %s: %w", at.id, err)
	}
	return next, err
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

// readWithRetry is readOnce until it succeeds, fails for good, or ctx ends. An answer
// that is long in coming is asked for again.
func (s *Store) readWithRetry(ctx context.Context, id string) (found, error) {
	for {
		brief, cancel := context.WithTimeout(ctx, s.o.Renew/2)
		at, err := s.readOnce(brief, id)
		cancel()
		if err == nil || !passing(err) || !s.pause(ctx) {
			return at, err
		}
	}
}

// pause waits a moment, and reports whether ctx goes on.
func (s *Store) pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(s.o.Renew / 100):
		return true
	}
}

// refused reports that a write's condition did not hold.
func refused(err error) bool {
	switch status.Code(err) {
	case codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound:
		return true
	}
	return false
}

// passing reports an error that may be gone at the next try, and which leaves
// open whether a write was applied.
func passing(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.Aborted, codes.Canceled:
		return true
	}
	return false
}
