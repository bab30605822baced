package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// Checkpoint stores data under key for the attempts after this one, and renews the
// lease. It goes on trying while the lease lasts. Data that would make the record
// too large is ErrTooLarge; a claim that is lost or ended, ErrLost. After another
// error the data may be stored or not.
func (c *Claim) Checkpoint(ctx context.Context, key string, data json.RawMessage) error {
	if key == "" || !json.Valid(data) {
		return fmt.Errorf("jobs: checkpoint %q of %s: want a key and JSON", key, c.id)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.lease, cancel)()
	err := c.checkpoint(ctx, key, text(data))
	if err != nil && c.lease.Err() != nil {
		return ErrLost
	}
	return err
}

func (c *Claim) checkpoint(ctx context.Context, key, value string) error {
	if err := c.lockWrites(ctx); err != nil {
		return err
	}
	defer c.unlockWrites()
	if c.over.Load() || c.lease.Err() != nil {
		return ErrLost
	}
	if err := c.checkCheckpointSize(key, len(key)+len(value)); err != nil {
		return err
	}
	return c.update(ctx, firestore.Update{FieldPath: firestore.FieldPath{"kept", key}, Value: value})
}

// checkCheckpointSize notes the size of a checkpoint, if it fits.
func (c *Claim) checkCheckpointSize(key string, size int) error {
	all := size - c.size[key]
	for _, n := range c.size {
		all += n
	}
	if all > maxData {
		return fmt.Errorf("%w: %s would keep %d bytes with %q, at most %d fit", ErrTooLarge, c.id, all, key, maxData)
	}
	c.size[key] = size
	return nil
}

// Finish stores what came of the work, drops its checkpoints and ends the claim.
// It goes on trying until ctx ends, for a lease at most. It is refused, with
// ErrLost, once somebody else has taken over, and after Release. After another
// error the claim is no longer renewed, and Finish may be called again.
func (c *Claim) Finish(ctx context.Context, o Outcome) error {
	if err := c.store.checkOutcome(o); err != nil {
		return err
	}
	return c.writeLast(ctx, func() fields { return c.store.outcomeFields(o, c.updated) })
}

// Release gives the work back, so that the next claim need not wait for the lease
// to run out; why says what that costs the work. After Finish or Release it does
// nothing, so it may be deferred; else it fails like Finish.
func (c *Claim) Release(ctx context.Context, why Reason) error {
	return c.ReleaseAfter(ctx, why, "")
}

// ReleaseAfter is Release after a failure whose cause the next claim is told, "" for
// none.
func (c *Claim) ReleaseAfter(ctx context.Context, why Reason, cause string) error {
	if c.ended.Load() {
		return nil
	}
	return c.writeLast(ctx, func() fields {
		return c.releaseFields(why).with(fields{"state": Open, "cause": cause, "expires_at": c.updated.Add(c.store.o.Retain)})
	})
}

// writeLast writes the last fields of a claim.
func (c *Claim) writeLast(ctx context.Context, last func() fields) error {
	c.over.Store(true)
	ctx, cancel := context.WithTimeout(ctx, c.store.o.Lease)
	defer cancel()
	if err := c.lockWrites(ctx); err != nil {
		return err
	}
	defer c.unlockWrites()
	if c.ended.Load() {
		return ErrLost
	}
	err := c.update(ctx, last().updates()...)
	if err != nil && !errors.Is(err, ErrLost) {
		return err
	}
	c.ended.Store(true)
	c.renewal.Stop()
	c.expiry.Stop()
	c.loseLease(err) // nil is context.Canceled
	return err
}

// lockWrites waits for the turn to write.
func (c *Claim) lockWrites(ctx context.Context) error {
	select {
	case c.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("jobs: write %s: %w", c.id, ctx.Err())
	}
}

func (c *Claim) unlockWrites() { <-c.writing }

// update makes the next update of the record, in turn. It tries until the update
// stands, nobody but another owner can have written, or ctx ends. It gives an answer
// that is long in coming up, as the next try tells what became of it.
func (c *Claim) update(ctx context.Context, updates ...firestore.Update) error {
	c.writeCount++
	updates = append(updates, firestore.Update{Path: "beat", Value: c.writeCount})
	first := elapsed()
	sent := first
	err := store.Bounds{Call: c.store.o.Renew / 2}.Write(ctx, func(ctx context.Context) error {
		sent = elapsed()
		at, err := updateTime(c.store.doc(c.id).Update(ctx, updates, firestore.LastUpdateTime(c.updated)))
		if err != nil {
			return fmt.Errorf("jobs: write %s: %w", c.id, err)
		}
		c.updated = at
		return nil
	}, func(ctx context.Context) (store.Found, error) {
		sent = first
		return c.findLastWrite(ctx)
	})
	if err == nil {
		c.extendLease(sent)
	}
	return err
}

// findLastWrite finds out, after an error, who wrote last: this very update, whose
// answer was lost; an earlier one of this claim, which was given up too soon; or
// another owner, who has the work now. Work that this claim has finished is as
// good as any update of it.
func (c *Claim) findLastWrite(ctx context.Context) (store.Found, error) {
	at, err := c.store.readOnce(ctx, c.id)
	if err != nil {
		return store.Unchanged, err
	}
	if at.Owner != c.owner {
		c.loseLease(ErrLost)
		return store.Changed, ErrLost
	}
	before := c.updated
	c.updated = at.updated
	switch {
	case at.WriteCount == c.writeCount || at.State == Done:
		return store.Applied, nil
	case at.updated.Equal(before):
		return store.Unchanged, nil
	}
	return store.Changed, nil
}
