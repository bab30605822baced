package work

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// A Claim is work that is held. Its lease is renewed until Finish, Release or
// the end of the context it was made with.
type Claim struct {
	Attempt int                        // this one's number, from 1
	Age     time.Duration              // since the first attempt that did not merely wait; see Reason
	Kept    map[string]json.RawMessage // the checkpoints of earlier attempts by key

	store *Store
	id    string
	owner string
	tried bool // an earlier attempt began the work's age

	ctx   context.Context // the worker's
	stop  context.CancelCauseFunc
	lease context.Context // ends with the lease, and goes on when the worker's context ends
	lose  context.CancelCauseFunc

	over    atomic.Bool // Finish or Release was called: no more renewals and checkpoints
	ended   atomic.Bool // the record is finished, given back or somebody else's
	renewal *time.Timer
	expiry  *time.Timer

	turn    chan struct{} // holds a value while somebody writes; guards what follows
	beat    int64
	updated time.Time      // by the server, of the last write that is known
	size    map[string]int // of the checkpoints by key
}

// Claim takes the work of item for a new owner, counts the attempt, and renews
// the lease from then on. Work that somebody else is at is a *BusyError, finished
// work a *DoneError. An error of Firestore may leave a claim behind that nobody
// holds, until its lease has run out. Whoever has a claim ends it by Finish or
// Release.
func (s *Store) Claim(ctx context.Context, item Item) (*Claim, error) {
	if err := item.check(); err != nil {
		return nil, err
	}
	owner := uuid.NewString()
	taken, err := s.settle(ctx, &found{id: item.ID}, item.ID, owner, func(at *found) (fields, error) {
		return s.take(at, item)
	})
	if err != nil {
		return nil, err
	}
	return s.hold(ctx, taken, owner), nil
}

// take decides whether the work may be claimed as it is found.
func (s *Store) take(at *found, item Item) (fields, error) {
	if at.State == Done {
		return nil, &DoneError{at.record()}
	}
	if err := at.busy(); err != nil {
		return nil, err
	}
	at.Attempts++
	set := fields{"state": Running, "lease_ns": s.o.Lease, "attempts": at.Attempts}
	if !at.exists {
		return set.with(item.fields()), nil
	}
	return set.with(at.resume()).with(fields{"expires_at": at.read.Add(s.o.Retain)}), nil
}

// hold starts the lease of work that was taken.
func (s *Store) hold(ctx context.Context, taken settled, owner string) *Claim {
	c := &Claim{
		Attempt: taken.Attempts, Age: taken.age(), Kept: taken.kept(),
		store: s, id: taken.id, owner: owner, tried: !taken.TriedAt.IsZero(),
		turn: make(chan struct{}, 1), beat: taken.Beat, updated: taken.updated, size: map[string]int{},
	}
	for key, data := range taken.Kept {
		c.size[key] = len(key) + len(data)
	}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	c.lease, c.lose = context.WithCancelCause(context.WithoutCancel(ctx))
	c.turn <- struct{}{}
	defer c.leave()
	c.expiry = time.AfterFunc(s.o.Lease, func() { c.cut(ErrLost) })
	c.renewal = time.AfterFunc(s.o.Lease, c.renew)
	c.extend(taken.sent)
	return c
}

// Context is the worker's: that of Claim, ended with cause ErrLost when the lease
// is lost or cannot be renewed in time, and by Finish and Release.
func (c *Claim) Context() context.Context { return c.ctx }

// extend makes the lease run from a write that was sent then.
func (c *Claim) extend(sent time.Duration) {
	since := elapsed() - sent
	c.expiry.Reset(c.store.o.Lease*9/10 - since)
	c.renewal.Reset(c.store.o.Renew - since)
}

// cut ends the lease and the worker's context.
func (c *Claim) cut(cause error) {
	c.lose(cause)
	c.stop(cause)
}

// renew writes a beat, as long as somebody works.
func (c *Claim) renew() {
	if c.ctx.Err() != nil || c.enter(c.ctx) != nil {
		return
	}
	defer c.leave()
	if c.over.Load() || c.write(c.ctx) == nil {
		return
	}
	c.renewal.Reset(c.store.o.Renew)
}
