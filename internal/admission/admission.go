// Package admission limits the memory that concurrent requests use, and the calls that each
// caller makes.
//
//	request → Acquire(bytes it holds until its answer) → release
//	              └→ AcquireWork(bytes that a step needs briefly) → release
//	no memory, and none after a while → *Busy
//
//	WithCaller → Admit, once for each model call → *TooMany
package admission

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Config is the available memory in bytes.
type Config struct {
	Requests int64 // held by requests from when they are read until their answer
	Work     int64 // used briefly by steps of admitted requests, such as decoding pixels
	Queue    int   // the largest number of waiting requests
	Patience time.Duration
}

// A Limiter admits requests while there is memory. It is safe for concurrent use. A nil
// Limiter admits all.
//
// An admitted request keeps its memory while it waits for memory to work. Therefore the two
// are separate budgets: however many requests are admitted, a step can always start when
// another step ends, because steps wait for nothing else.
type Limiter struct {
	config   Config
	requests *semaphore.Weighted
	work     *semaphore.Weighted
	waiting  atomic.Int64
}

// New returns the limiter that c configures.
func New(c Config) *Limiter {
	return &Limiter{config: c, requests: semaphore.NewWeighted(c.Requests), work: semaphore.NewWeighted(c.Work)}
}

// Busy is the error of a request that was not admitted.
type Busy struct {
	// RetryAfter is when to try again. It is random, so that requests which were refused
	// together do not return together.
	RetryAfter time.Duration
}

func (b *Busy) Error() string { return "admission: " + b.Public() }

// Public returns the text for callers (package usererror).
func (b *Busy) Public() string {
	return fmt.Sprintf("too much is under way at once: try again in %s", b.RetryAfter)
}

// Acquire waits in a queue for n bytes for a request, and returns a function that releases
// them. A request for more than the whole budget gets the whole budget. The error is a
// *Busy, or ctx's.
func (l *Limiter) Acquire(ctx context.Context, n int64) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	return l.acquire(ctx, l.requests, min(n, l.config.Requests))
}

// TryAcquire reserves n more bytes for a request that has been admitted. It does not wait,
// because the requests that hold memory may wait for more themselves; ok is false if there
// is not enough now.
func (l *Limiter) TryAcquire(n int64) (release func(), ok bool) {
	if l == nil || n <= 0 {
		return func() {}, true
	}
	if !l.requests.TryAcquire(n) {
		return nil, false
	}
	return func() { l.requests.Release(n) }, true
}

// AcquireWork waits in a queue for n bytes for a step, and returns a function that releases
// them. The step must not acquire memory again. Errors are those of Acquire.
func (l *Limiter) AcquireWork(ctx context.Context, n int64) (release func(), err error) {
	if l == nil || n <= 0 {
		return func() {}, nil
	}
	return l.acquire(ctx, l.work, min(n, l.config.Work))
}

// MaxWork returns the largest number of bytes that a step may need; 0 means no limit.
func (l *Limiter) MaxWork() int64 {
	if l == nil {
		return 0
	}
	return l.config.Work
}

// Waiting reports whether any request waits for memory.
func (l *Limiter) Waiting() bool { return l.waiting.Load() > 0 }

// Busy returns the error for a caller that is not admitted: it should try again after half
// to one and a half times the limiter's patience.
func (l *Limiter) Busy() *Busy {
	return &Busy{l.config.Patience/2 + rand.N(l.config.Patience+1)}
}

// acquire reserves n bytes of a budget, at once or after waiting in its queue.
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
