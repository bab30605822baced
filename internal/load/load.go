// Package load keeps what requests hold in memory at once within a budget.
//
//	bytes → Enter → leave
//	bytes that do not fit, and go on not to fit → *Busy
package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// A Gate lets requests in as long as there is room. It is safe for concurrent
// use.
type Gate struct {
	budget   int64
	queue    int64
	patience time.Duration

	room    *semaphore.Weighted
	waiting atomic.Int64
}

// New returns a gate for budget bytes, before which at most queue requests wait
// for at most patience.
func New(budget int64, queue int, patience time.Duration) *Gate {
	return &Gate{budget: budget, queue: int64(queue), patience: patience, room: semaphore.NewWeighted(budget)}
}

// Busy says that there is no room now.
type Busy struct {
	// RetryAfter is when to try again. It differs from one to the next, so that
	// those who are refused together do not come back together.
	RetryAfter time.Duration
}

func (b *Busy) Error() string {
	return fmt.Sprintf("load: too much is under way at once: try again in %s", b.RetryAfter)
}

// Enter waits for room for n bytes, in turn, and returns what gives it back. A
// request for more than the whole budget gets the whole. The error is a *Busy, or
// ctx's.
func (g *Gate) Enter(ctx context.Context, n int64) (leave func(), err error) {
	n = min(n, g.budget)
	if !g.room.TryAcquire(n) {
		if err := g.wait(ctx, n); err != nil {
			return nil, err
		}
	}
	return func() { g.room.Release(n) }, nil
}

// Wanted reports that somebody waits for room.
func (g *Gate) Wanted() bool { return g.waiting.Load() > 0 }

// Busy is what one is told who finds no room: to try again in half to one and a
// half times the gate's patience.
func (g *Gate) Busy() *Busy { return &Busy{g.patience/2 + rand.N(g.patience+1)} }

func (g *Gate) wait(ctx context.Context, n int64) error {
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.queue {
		return g.Busy()
	}
	patient, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	if g.room.Acquire(patient, n) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return g.Busy()
}
