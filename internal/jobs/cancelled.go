package jobs

import (
	"context"
	"errors"
	"time"
)

// ErrCancelled is why a context of UntilCancelled has ended.
var ErrCancelled = errors.New("jobs: the run is cancelled")

// cancelPoll is how often UntilCancelled looks.
const cancelPoll = time.Second

// cancelledKey is the key of a slice's context for what tells whether its run is cancelled.
type cancelledKey struct{}

// UntilCancelled returns a context that ends with ErrCancelled within a second or so when
// somebody cancels the run whose slice ctx belongs to. The slice then ends with what it has, and
// the next ends the run; the answer of a model's call that was under way is lost. The returned function releases what the context holds.
func UntilCancelled(ctx context.Context) (context.Context, func()) {
	cancelled, ok := ctx.Value(cancelledKey{}).(func(context.Context) bool)
	ctx, cancel := context.WithCancelCause(ctx)
	if !ok {
		return ctx, func() { cancel(nil) }
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		tick := time.NewTicker(cancelPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if cancelled(ctx) {
					cancel(ErrCancelled)
				}
			}
		}
	}()
	return ctx, func() { cancel(nil); <-left }
}

// withCancelled returns a context for a slice of the run, for UntilCancelled.
func (x *LongRuns) withCancelled(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, cancelledKey{}, func(ctx context.Context) bool {
		d, err := x.shown(ctx, id)
		return err == nil && d.Value.Cancelled // what cannot be read now is read again
	})
}
