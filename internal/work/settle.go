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

func (s *Store) doc(id string) *firestore.DocumentRef { return s.db.Collection(collection).Doc(id) }

// look reads a record; one that does not exist is no error.
func (s *Store) look(ctx context.Context, id string) (found, error) {
	snap, err := s.doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound && snap != nil {
		return found{id: id, read: snap.ReadTime}, nil
	}
	if err != nil {
		return found{}, fmt.Errorf("work: read %s: %w", id, err)
	}
	return parse(snap)
}

// settled is a record after a write.
type settled struct {
	found
	sent time.Duration // elapsed() before the write was sent
}

// A rule says what a write makes of a record as it was found, or why it stays. It
// may change Attempts of what it is given; no fields and no error mean that all
// is well.
type rule func(*found) (fields, error)

// settle writes what decide makes of the record, under the condition that it is
// still so; else it reads the record and decides again, for half a lease at most.
// It begins with the guess at, or with a read when that is nil. Owner marks the
// write, so that one whose answer was lost is known again.
func (s *Store) settle(ctx context.Context, at *found, id, owner string, decide rule) (settled, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Lease/2)
	defer cancel()
	if at == nil {
		read, err := s.lookAgain(ctx, id)
		if err != nil {
			return settled{}, err
		}
		at = &read
	}
	for {
		next, err := s.propose(ctx, *at, owner, decide)
		if err == nil || !refused(err) && !passing(err) {
			return next, err
		}
		read, missed := s.lookAgain(ctx, id)
		switch {
		case missed != nil:
			return settled{}, errors.Join(err, missed)
		case read.Owner == owner:
			return settled{read, next.sent}, nil
		case read.updated.Equal(at.updated) && !s.pause(ctx):
			return settled{}, err
		}
		at = &read
	}
}

// propose writes what decide makes of at, once.
func (s *Store) propose(ctx context.Context, at found, owner string, decide rule) (settled, error) {
	next := settled{found: at, sent: elapsed()}
	set, err := decide(&next.found)
	if err != nil || set == nil {
		return next, err
	}
	next.Owner, next.Beat = owner, at.Beat+1
	next.updated, err = s.put(ctx, at, set.with(fields{"owner": next.Owner, "beat": next.Beat}))
	if err != nil {
		err = fmt.Errorf("work: write %s: %w", at.id, err)
	}
	return next, err
}

// put creates the record, or updates it, under the condition that it is as found,
// and returns when.
func (s *Store) put(ctx context.Context, at found, set fields) (time.Time, error) {
	ref := s.doc(at.id)
	if at.exists {
		return written(ref.Update(ctx, set.updates(), firestore.LastUpdateTime(at.updated)))
	}
	for name, value := range set {
		if value == firestore.Delete {
			delete(set, name)
		}
	}
	return written(ref.Create(ctx, set))
}

func written(r *firestore.WriteResult, err error) (time.Time, error) {
	if err != nil {
		return time.Time{}, err
	}
	return r.UpdateTime, nil
}

// lookAgain is look until it succeeds, fails for good, or ctx ends. An answer
// that is long in coming is asked for again.
func (s *Store) lookAgain(ctx context.Context, id string) (found, error) {
	for {
		brief, cancel := context.WithTimeout(ctx, s.o.Renew/2)
		at, err := s.look(brief, id)
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
