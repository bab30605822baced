// Package admission keeps what requests hold in memory at once within a budget.
//
//	request → Acquire(what it holds until its answer) → release
//	              └→ AcquireWork(what a step of it takes for a moment) → release
//	no room, and none after a while → *Busy
package admission

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Config says how much there is, in bytes.
type Config struct {
	Requests int64 // for what requests hold from when they are read until their answer
	Work     int64 // for what steps of admitted requests take for a moment, such as pixels
	Queue    int   // how many wait at once at most
	Patience time.Duration
}

// A Limiter admits requests as long as there is room. It is safe for concurrent
// use. A nil one admits all.
//
// A request that is admitted holds its room while it waits for room to work. So the
// two are apart: however many requests are in, there is room for one to go on, and
// work waits for nothing else.
type Limiter struct {
	config   Config
	requests *semaphore.Weighted
	work     *semaphore.Weighted
	waiting  atomic.Int64
}

// New returns the limiter of c.
func New(c Config) *Limiter {
	return &Limiter{config: c, requests: semaphore.NewWeighted(c.Requests), work: semaphore.NewWeighted(c.Work)}
}

// Busy is the error of a request that is not admitted.
type Busy struct {
	// RetryAfter is when to try again. It differs from one to the next, so that
	// those who are refused together do not come back together.
	RetryAfter time.Duration
}

func (b *Busy) Error() string { return "admission: " + b.Public() }

// Public is Error for whoever was not admitted (package public).
func (b *Busy) Public() string {
	return fmt.Sprintf("too much is under way at once: try again in %s", b.RetryAfter)
}

// Acquire waits for room for a request that holds n bytes, in turn, and returns
// what gives it back. One for more than the whole budget gets the whole. The error
// is a *Busy, or ctx's.
func (l *Limiter) Acquire(ctx context.Context, n int64) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	return l.acquire(ctx, l.requests, min(n, l.config.Requests))
}

// TryAcquire is Acquire for n bytes more of a request that has been admitted. It
// does not wait, as those who hold what it waits for may wait for the same: ok is
// false where there is no room now.
func (l *Limiter) TryAcquire(n int64) (release func(), ok bool) {
	if l == nil || n <= 0 {
		return func() {}, true
	}
	if !l.requests.TryAcquire(n) {
		return nil, false
	}
	return func() { l.requests.Release(n) }, true
}

// AcquireWork waits for room for a step that takes n bytes, in turn, and returns
// what gives it back. The step must not wait for room again. Errors are Acquire's.
func (l *Limiter) AcquireWork(ctx context.Context, n int64) (release func(), err error) {
	if l == nil || n <= 0 {
		return func() {}, nil
	}
	return l.acquire(ctx, l.work, min(n, l.config.Work))
}

// MaxWork is how many bytes a step may take: one that needs more never fits. 0 is
// no limit.
func (l *Limiter) MaxWork() int64 {
	if l == nil {
		return 0
	}
	return l.config.Work
}

// Waiting reports that somebody waits for room.
func (l *Limiter) Waiting() bool { return l.waiting.Load() > 0 }

// Busy returns the error for a caller that is not admitted: to try again in half to
// one and a half times the limiter's patience.
func (l *Limiter) Busy() *Busy {
	return &Busy{l.config.Patience/2 + rand.N(l.config.Patience+1)}
}

// acquire takes n of room, at once or in turn.
func (l *Limiter) acquire(ctx context.Context, room *semaphore.Weighted, n int64) (release func(), err error) {
	if !room.TryAcquire(n) {
		if err := l.wait(ctx, room, n); err != nil {
			return nil, err
		}
	}
	return func() { room.Release(n) }, nil
}

func (l *Limiter) wait(ctx context.Context, room *semaphore.Weighted, n int64) error {
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > int64(l.config.Queue) {
		return l.Busy()
	}
	patient, cancel := context.WithTimeout(ctx, l.config.Patience)
	defer cancel()
	if room.Acquire(patient, n) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return l.Busy()
}
