package jobs

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// A Claim holds an item of work. Its lease is renewed until Finish, Release or
// the end of the context it was made with.
type Claim struct {
	Attempt     int                        // the number of this attempt, from 1
	Age         time.Duration              // since the first attempt that did not merely wait; see Reason
	Checkpoints map[string]json.RawMessage // the checkpoints of earlier attempts by key
	Cause       string                     // why the latest attempt failed; see ReleaseAfter
	Tags        []string                   // are written with each checkpoint, so that Tagged finds the work; set before the first

	store *Store
	id    string
	part  int // that is held; 0 unless the work is in parts
	owner string
	tried bool          // an earlier attempt began the work's age
	known time.Duration // since the work was claimed first

	ctx   context.Context // the worker's
	stop  context.CancelCauseFunc
	lease context.Context // ends with the lease, and goes on when the worker's context ends
	lose  context.CancelCauseFunc

	over    atomic.Bool // Finish or Release was called: no more renewals and checkpoints
	ended   atomic.Bool // the record is finished, released or owned by another claim
	renewal *time.Timer
	expiry  *time.Timer

	queue checkpointQueue // of checkpoints that wait for a write

	writing    chan struct{} // a lock for writes: holds a value while locked; guards the fields below
	writeCount int64
	updated    time.Time      // server time of the last known write
	size       map[string]int // of the checkpoints by key
}

// Claim takes the work of item for a new owner, counts the attempt, and renews
// the lease from then on. Work with another owner, and a part that comes before its turn,
// returns a *BusyError; finished work, and a part that is done, a *DoneError. After an error
// of Firestore the work may stay claimed, without an owner, until the lease runs out. The
// caller ends a claim by Finish or Release.
func (s *Store) Claim(ctx context.Context, item Item) (*Claim, error) {
	if err := s.checkItem(item); err != nil {
		return nil, err
	}
	owner, guess := uuid.NewString(), &found{id: item.ID}
	if item.Part > 0 {
		guess = nil
	}
	taken, err := s.updateIfUnchanged(ctx, guess, item.ID, owner, func(at *found) (fields, error) {
		return s.claimIfFree(at, item)
	})
	if err != nil {
		return nil, err
	}
	part := 0
	if item.Part > 0 {
		part = taken.Parts + 1
	}
	return s.startLease(ctx, taken, owner, part), nil
}

// claimIfFree returns the fields that claim the work, or why it cannot be claimed.
func (s *Store) claimIfFree(at *found, item Item) (fields, error) {
	if at.State == Done || item.Part > 0 && item.Part < at.First {
		return nil, &DoneError{at.record()}
	}
	if at.Parts < item.Part-1 {
		return nil, &BusyError{RetryAfter: s.o.Lease, Early: true}
	}
	if err := at.busy(); err != nil {
		return nil, err
	}
	at.Attempts++
	set := fields{"state": Running, "lease_ns": s.o.Lease, "attempts": at.Attempts}
	if item.Part > 0 {
		set["first"] = item.Part
	}
	if !at.exists {
		return set.with(s.itemFields(item)), nil
	}
	return set.with(at.resumeAge()).with(fields{"expires_at": at.read.Add(s.o.Retain)}), nil
}

// startLease starts the lease of work that was just claimed.
func (s *Store) startLease(ctx context.Context, taken updatedRecord, owner string, part int) *Claim {
	c := &Claim{
		Attempt: taken.Attempts, Age: taken.age(), Checkpoints: taken.checkpoints(), Cause: taken.Cause,
		store: s, id: taken.id, part: part, owner: owner, tried: !taken.TriedAt.IsZero(),
		writing: make(chan struct{}, 1), writeCount: taken.WriteCount, updated: taken.updated, size: map[string]int{},
	}
	if !taken.CreatedAt.IsZero() {
		c.known = taken.read.Sub(taken.CreatedAt)
	}
	for key, data := range taken.Checkpoints {
		c.size[key] = len(key) + len(data)
	}
	if part > 0 { // the outcome of the part before
		c.size[""] = len(taken.Result)
	}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	c.lease, c.lose = context.WithCancelCause(context.WithoutCancel(ctx))
	c.writing <- struct{}{}
	defer c.unlockWrites()
	c.expiry = time.AfterFunc(s.o.Lease, func() { c.loseLease(ErrLost) })
	c.renewal = time.AfterFunc(s.o.Lease, c.renewLease)
	c.extendLease(taken.sent)
	return c
}

// Context returns the context to work in, derived from Claim's. It ends with cause
// ErrLost when the lease is lost or not renewed in time, and at Finish and Release.
func (c *Claim) Context() context.Context { return c.ctx }

// extendLease makes the lease run from the time at which a write was sent.
func (c *Claim) extendLease(sent time.Duration) {
	since := elapsed() - sent
	c.expiry.Reset(c.store.o.Lease*9/10 - since)
	c.renewal.Reset(c.store.o.Renew - since)
}

// loseLease ends the lease and the worker's context.
func (c *Claim) loseLease(cause error) {
	c.lose(cause)
	c.stop(cause)
}

// renewLease renews the lease by a write, until the worker's context ends.
func (c *Claim) renewLease() {
	if c.ctx.Err() != nil || c.lockWrites(c.ctx) != nil {
		return
	}
	defer c.unlockWrites()
	if c.over.Load() || c.update(c.ctx) == nil {
		return
	}
	c.renewal.Reset(c.store.o.Renew)
}
