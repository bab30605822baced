// Package outage bounds how long calls of other services are waited for, and says which
// service was away.
//
//	Limit          one call, by its context
//	Series         each of several calls with one context, such as the pieces of a list
//	ClientOptions  every call of a gRPC client
//	WithPatience   all calls of one request together
package outage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Part is a service that this program depends on, in words for callers.
type Part string

// The parts.
const (
	Database Part = "the database"
	Objects  Part = "the store of photos and results"
	Queue    Part = "the queue of tasks"
)

// How long one call is waited for.
const (
	Read  = 5 * time.Second
	Write = 10 * time.Second
)

// An Error is the error of a call whose service did not answer in time. It is no
// context.DeadlineExceeded: the caller's own time was not over.
type Error struct {
	Part Part
	err  error
}

func (e *Error) Error() string { return fmt.Sprintf("outage: %s does not answer: %v", e.Part, e.err) }

// Public returns what callers may read.
func (e *Error) Public() string {
	return fmt.Sprintf("%s does not answer: try again in %s", e.Part, RetryAfter)
}

// RetryAfter is after how long another try is worth it.
const RetryAfter = 10 * time.Second

// Away reports whether err says that a service did not answer in time.
func Away(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// errLate is the cause of a context that ends because a service did not answer.
var errLate = errors.New("outage: no answer in time")

// Limit returns a context for one call of a part, which ends after at most `most`, and a
// function that must get the call's error. It returns that error, or an *Error if the call
// failed because its time was over.
func Limit(ctx context.Context, part Part, most time.Duration) (context.Context, func(error) error) {
	p := patienceOf(ctx)
	call, cancel := context.WithTimeoutCause(ctx, p.most(most), errLate)
	begin := time.Now()
	return call, func(err error) error {
		defer cancel()
		if err == nil || !late(ctx, call) {
			return err
		}
		p.lose(time.Since(begin))
		return &Error{part, err}
	}
}

// Series returns a context for calls of a part, and a function that makes one of them, which
// may take at most `most`. The time between two calls does not count. The first error ends
// the context.
func Series(ctx context.Context, part Part, most time.Duration) (context.Context, func(call func() error) error) {
	calls, end := context.WithCancelCause(ctx)
	p := patienceOf(ctx)
	return calls, func(call func() error) error {
		begin := time.Now()
		timer := time.AfterFunc(p.most(most), func() { end(errLate) })
		err := call()
		timer.Stop()
		if err == nil {
			return nil
		}
		if late(ctx, calls) {
			p.lose(time.Since(begin))
			err = &Error{part, err}
		}
		end(nil)
		return err
	}
}

// late reports whether a call ended because its service did not answer, and not because its
// caller's context ended.
func late(ctx, call context.Context) bool {
	return ctx.Err() == nil && errors.Is(context.Cause(call), errLate)
}

// A patience is what is left of the time in which a request may wait for services that do
// not answer.
type patience struct {
	mu   sync.Mutex
	left time.Duration
}

type patienceKey struct{}

// WithPatience returns a context whose calls together wait for at most d in vain. After that
// each call of a service that does not answer at once fails.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, &patience{left: d})
}

// Patience returns how long a call may take that would otherwise take at most `most`.
func Patience(ctx context.Context, most time.Duration) time.Duration {
	return patienceOf(ctx).most(most)
}

// Lose subtracts time that was waited in vain since begin, in a call that Limit and Series
// did not bound.
func Lose(ctx context.Context, begin time.Time) { patienceOf(ctx).lose(time.Since(begin)) }

// Impatient reports whether a request has no patience left, so that nothing is worth a retry.
func Impatient(ctx context.Context) bool {
	p := patienceOf(ctx)
	return p != nil && p.most(Write) <= atOnce
}

// patienceOf returns nil for a context without one.
func patienceOf(ctx context.Context) *patience {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	return p
}

// atOnce is how long a call may take when no patience is left: a service that works answers
// within it.
const atOnce = 200 * time.Millisecond

// most returns how long a call may take that would otherwise take at most d.
func (p *patience) most(d time.Duration) time.Duration {
	if p == nil {
		return d
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(min(d, p.left), atOnce)
}

// lose subtracts time that was waited in vain.
func (p *patience) lose(d time.Duration) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left -= d
}
