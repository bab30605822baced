package server

import (
	"context"
	"sync/atomic"
)

// working is the context of the requests of this process's server. It is one for
// the process, as the functions framework hands functions nothing of its server's.
var working atomic.Pointer[context.Context]

// work begins a time of work and returns the function that ends it.
func work() (giveUp context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	working.Store(&ctx)
	return cancel
}

// Bound is ctx, ended as well when the server gives its requests up. The proxy's
// side of a request stays open meanwhile, so that the function can hand its work
// back and answer, and the server waits for it.
func Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	now := working.Load()
	if now == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(*now, cancel)
	return ctx, func() { stop(); cancel() }
}
