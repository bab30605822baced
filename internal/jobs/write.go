package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// A queuedCheckpoint is a checkpoint that waits for a write.
type queuedCheckpoint struct {
	key, value string
	stored     bool  // guarded by the claim's lock for writes, as is err
	err        error // it does not fit
}

// A checkpointQueue has the checkpoints that wait for a write.
type checkpointQueue struct {
	mu    sync.Mutex
	all   []*queuedCheckpoint
	timer *time.Timer // of those that nobody waits for; nil if there are none
}

func (q *checkpointQueue) add(one *queuedCheckpoint) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = append(q.all, one)
}

// addUnwaited adds a checkpoint that nobody waits for, and calls store a second later unless
// all are taken before.
func (q *checkpointQueue) addUnwaited(one *queuedCheckpoint, store func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = append(q.all, one)
	if q.timer == nil {
		q.timer = time.AfterFunc(unwaitedFor, func() {
			q.mu.Lock()
			q.timer = nil
			q.mu.Unlock()
			store()
		})
	}
}

// unwaitedFor is how long a checkpoint that nobody waits for is kept in memory at most.
const unwaitedFor = time.Second

func (q *checkpointQueue) remove(some ...*queuedCheckpoint) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = slices.DeleteFunc(q.all, func(o *queuedCheckpoint) bool { return slices.Contains(some, o) })
	if len(q.all) == 0 && q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
}

// waiting returns the checkpoints that wait, the oldest first.
func (q *checkpointQueue) waiting() []*queuedCheckpoint {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.all)
}

// Checkpoint stores data under key for later attempts, and renews the lease. Checkpoints
// that come while one is being written are stored together by the next write. It
// retries while the lease lasts. It returns ErrTooLarge if the record would become too
// large, and ErrLost if the claim is lost or ended. After another error the data may
// be stored or not.
func (c *Claim) Checkpoint(ctx context.Context, key string, data json.RawMessage) error {
	own, err := c.newCheckpoint(key, data)
	if err != nil {
		return err
	}
	c.queue.add(own)
	defer c.queue.remove(own)
	return c.whileLeased(ctx, func(ctx context.Context) error { return c.storeCheckpoint(ctx, own) })
}

// checkpointUnwaited is Checkpoint for what the end of the work, or of its part, is likely to
// make needless at once. It does not wait: the data are stored by the next write of
// a checkpoint, by storeUnwaited, by Release, or after a second, unless Finish or Next comes before.
func (c *Claim) checkpointUnwaited(key string, data json.RawMessage) error {
	own, err := c.newCheckpoint(key, data)
	if err != nil {
		return err
	}
	c.queue.addUnwaited(own, func() {
		if err := c.storeUnwaited(c.lease); err != nil && !errors.Is(err, ErrLost) {
			slog.WarnContext(c.ctx, "checkpoint not stored yet", "work", c.id, "error", err)
		}
	})
	return nil
}

// storeUnwaited stores the checkpoints that nobody waits for, if there are any, as Checkpoint does.
func (c *Claim) storeUnwaited(ctx context.Context) error {
	waiting := c.queue.waiting()
	if len(waiting) == 0 {
		return nil
	}
	return c.whileLeased(ctx, func(ctx context.Context) error { return c.storeCheckpoint(ctx, waiting[0]) })
}

func (c *Claim) newCheckpoint(key string, data json.RawMessage) (*queuedCheckpoint, error) {
	if key == "" || !json.Valid(data) {
		return nil, fmt.Errorf("jobs: checkpoint %q of %s: want a key and JSON", key, c.id)
	}
	return &queuedCheckpoint{key: key, value: text(data)}, nil
}

// whileLeased calls write with a context that ends with the lease, and returns ErrLost if that
// has ended.
func (c *Claim) whileLeased(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.lease, cancel)()
	err := write(ctx)
	if err != nil && c.lease.Err() != nil {
		return ErrLost
	}
	return err
}

// storeCheckpoint stores a checkpoint that waits, with the others that do, unless another write
// has stored it meanwhile.
func (c *Claim) storeCheckpoint(ctx context.Context, own *queuedCheckpoint) error {
	if err := c.lockWrites(ctx); err != nil {
		return err
	}
	defer c.unlockWrites()
	if own.stored || own.err != nil {
		return own.err
	}
	if c.over.Load() || c.lease.Err() != nil {
		return ErrLost
	}
	return c.storeQueued(ctx, own)
}

// storeQueued stores all checkpoints that wait and fit, own among them, by one write. If it
// fails, each of the others tries again by itself. The caller holds the lock.
func (c *Claim) storeQueued(ctx context.Context, own *queuedCheckpoint) error {
	queued, set := c.queuedUpdates()
	if own.err != nil {
		return own.err
	}
	if err := c.update(ctx, set...); err != nil {
		return err
	}
	for _, one := range queued {
		one.stored = one.err == nil
	}
	c.queue.remove(queued...)
	return nil
}

// queuedUpdates returns the checkpoints that wait, and the updates that store those that fit,
// with the tags by which the work is found. The caller holds the lock.
func (c *Claim) queuedUpdates() (queued []*queuedCheckpoint, set []firestore.Update) {
	queued = slices.DeleteFunc(c.queue.waiting(), func(one *queuedCheckpoint) bool { return one.stored || one.err != nil })
	values := map[string]string{}
	for _, one := range queued {
		if one.err = c.checkCheckpointSize(one.key, len(one.key)+len(one.value)); one.err == nil {
			values[one.key] = one.value
		}
	}
	for key, value := range values {
		set = append(set, firestore.Update{FieldPath: firestore.FieldPath{"kept", key}, Value: value})
	}
	if len(set) > 0 && len(c.Tags) > 0 {
		set = append(set, firestore.Update{Path: "tags", Value: c.Tags})
	}
	return queued, set
}

// checkCheckpointSize notes the size of a checkpoint, or refuses one that does not fit.
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

// Finish stores the outcome of the work, drops its checkpoints and ends the claim. Work in
// parts is free for the event that asks for the next, if the outcome has More.
// It retries until ctx ends, for a lease at most. It returns ErrLost if another owner
// has taken over, and after Release. After another error the claim is no longer
// renewed, and Finish may be called again.
func (c *Claim) Finish(ctx context.Context, o Outcome) error {
	if err := c.store.checkOutcome(o); err != nil {
		return err
	}
	return c.writeLast(ctx, func() []firestore.Update {
		if c.part > 0 {
			return c.store.partFields(o, c.part, c.updated).updates()
		}
		return c.store.outcomeFields(o, c.updated).updates()
	})
}

// Next stores the outcome of a part, which has More, drops its checkpoints and holds the work for
// the next part, by one write. It retries while the lease lasts, and returns ErrLost like Checkpoint.
func (c *Claim) Next(ctx context.Context, o Outcome) error {
	if err := c.store.checkOutcome(o); err != nil {
		return err
	}
	return c.whileLeased(ctx, func(ctx context.Context) error {
		if err := c.lockWrites(ctx); err != nil {
			return err
		}
		defer c.unlockWrites()
		if c.over.Load() || c.lease.Err() != nil {
			return ErrLost
		}
		set := c.store.partFields(o, c.part, c.updated).with(fields{"state": Running, "attempts": 1})
		delete(set, "first") // the same event goes on
		if err := c.update(ctx, set.updates()...); err != nil {
			return err
		}
		c.queue.remove(c.queue.waiting()...)
		c.part++
		c.Attempt, c.Age, c.Checkpoints, c.Cause, c.tried = 1, 0, nil, "", false
		c.size = map[string]int{"": len(o.Result)}
		return nil
	})
}

// Release makes the work free to claim, so that the next claim need not wait for the
// lease to run out; why decides whether the attempt counts. After Finish or Release it
// does nothing, so it may be deferred; else it fails like Finish.
func (c *Claim) Release(ctx context.Context, why Reason) error {
	return c.ReleaseAfter(ctx, why, "")
}

// ReleaseAfter is Release with the cause of a failure, "" for none, which the next claim
// reads.
func (c *Claim) ReleaseAfter(ctx context.Context, why Reason, cause string) error {
	if c.ended.Load() {
		return nil
	}
	return c.writeLast(ctx, func() []firestore.Update {
		_, set := c.queuedUpdates()
		last := c.releaseFields(why).with(fields{"state": Open, "cause": cause, "expires_at": c.updated.Add(c.store.o.Retain)})
		return append(set, last.updates()...)
	})
}

// ending returns how long the writes that end the claim may take when the time of its delivery
// is up. What was paid and is not on record yet is worth all of the lease.
func (c *Claim) ending() time.Duration {
	if len(c.queue.waiting()) > 0 {
		return c.store.o.Lease
	}
	return endTimeout
}

// writeLast writes the last fields of a claim.
func (c *Claim) writeLast(ctx context.Context, last func() []firestore.Update) error {
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
	err := c.update(ctx, last()...)
	if err != nil && !errors.Is(err, ErrLost) {
		return err
	}
	c.ended.Store(true)
	c.renewal.Stop()
	c.expiry.Stop()
	c.queue.remove(c.queue.waiting()...)
	c.loseLease(err) // nil is context.Canceled
	return err
}

// lockWrites locks the claim's writes, or returns an error when ctx ends.
func (c *Claim) lockWrites(ctx context.Context) error {
	select {
	case c.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("jobs: write %s: %w", c.id, ctx.Err())
	}
}

func (c *Claim) unlockWrites() { <-c.writing }

// update makes the next update of the record; the caller holds the lock. It retries until
// the update is stored, another owner has written, or ctx ends. It does not wait for a
// slow response: the next try finds out whether the write was applied.
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

// findLastWrite finds out, after an error, which write was the last: this update, whose
// response was lost; an earlier one of this claim, which timed out; or one of another
// owner, who has the work now. If this claim has finished the work, its updates count as
// applied.
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
