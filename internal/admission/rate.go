package admission

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"example.com/whatis/internal/usererror"
)

// A Rate limits how many calls each caller makes in a minute, in this process. A caller who
// was quiet may make them all at once. It is safe for concurrent use. A nil Rate allows all.
type Rate struct {
	perMinute int

	mu      sync.Mutex
	callers map[string]*rate.Limiter
	swept   time.Time // when callers were forgotten last
}

// NewRate returns the limit of so many calls in a minute; nil for 0.
func NewRate(perMinute int) *Rate {
	if perMinute <= 0 {
		return nil
	}
	return &Rate{perMinute: perMinute, callers: map[string]*rate.Limiter{}}
}

// TooMany is the error of a call above the limit of its caller.
type TooMany struct {
	PerMinute  int
	RetryAfter time.Duration // until the next call is allowed
}

func (e *TooMany) Error() string { return "admission: " + e.Public() }

// Public returns the text for callers (package usererror).
func (e *TooMany) Public() string {
	return fmt.Sprintf("this takes more than the %d model calls a minute that one caller may make here: wait a little, or send fewer at once", e.PerMinute)
}

// longestWait is how long a call waits whose caller does not.
const longestWait = 30 * time.Second

// ErrForeign is the error of a call for a request that a page of another site makes in
// somebody's browser, as with an img element.
var ErrForeign = usererror.New("admission", "a page of another site makes this request, which would ask a model: ask on this service's own page, or with a program")

type foreignKey struct{}

// WithForeign returns a context whose calls are all refused with ErrForeign.
func WithForeign(ctx context.Context) context.Context {
	return context.WithValue(ctx, foreignKey{}, true)
}

// Admit counts a call of the caller in ctx, who was set by WithCaller or WithAbsentCaller. A
// call above the limit is a *TooMany, or waits for a while if its caller is absent. Without a
// caller nothing is counted. Calls of a context of WithForeign are refused.
func (r *Rate) Admit(ctx context.Context) error {
	if ctx.Value(foreignKey{}) != nil {
		return ErrForeign
	}
	c := callerOf(ctx)
	if r == nil || c.key == "" {
		return nil
	}
	deadline := time.Now().Add(longestWait)
	for {
		wait := r.take(c.key, time.Now())
		if wait == 0 {
			return nil
		}
		if !c.absent || time.Now().Add(wait).After(deadline) {
			return &TooMany{PerMinute: r.perMinute, RetryAfter: wait}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// maxCallers is how many callers are remembered. One who may make all calls again is
// forgotten; those that find no place share one.
const maxCallers = 10_000

// take counts a call, or returns how long the caller has to wait for it.
func (r *Rate) take(caller string, now time.Time) time.Duration {
	call := r.of(caller, now).ReserveN(now, 1)
	wait := call.DelayFrom(now)
	if wait > 0 {
		call.CancelAt(now)
	}
	return wait
}

// of returns the caller's own limiter, or the one that is shared.
func (r *Rate) of(caller string, now time.Time) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.callers[caller]; !known && len(r.callers) >= maxCallers {
		r.forget(now)
	}
	if _, known := r.callers[caller]; !known && len(r.callers) >= maxCallers {
		caller = ""
	}
	if r.callers[caller] == nil {
		r.callers[caller] = rate.NewLimiter(rate.Limit(float64(r.perMinute)/60), r.perMinute)
	}
	return r.callers[caller]
}

// forget forgets callers who may make all calls again, at most once in a second: it looks at
// each of them.
func (r *Rate) forget(now time.Time) {
	if now.Sub(r.swept) < time.Second {
		return
	}
	r.swept = now
	for caller, calls := range r.callers {
		if calls.TokensAt(now) >= float64(r.perMinute) {
			delete(r.callers, caller)
		}
	}
}

type callerKey struct{}

// counted is whose calls are counted.
type counted struct {
	key    string
	absent bool // nobody waits for the answer
}

func callerOf(ctx context.Context) counted {
	c, _ := ctx.Value(callerKey{}).(counted)
	return c
}

// WithCaller returns a context whose calls count as those of the caller with that key.
func WithCaller(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callerKey{}, counted{key: key})
}

// WithAbsentCaller is WithCaller for work that goes on without its caller, as a batch does.
func WithAbsentCaller(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callerKey{}, counted{key, true})
}

// CallerOf returns the key of the caller in ctx, "" if there is none.
func CallerOf(ctx context.Context) string { return callerOf(ctx).key }
