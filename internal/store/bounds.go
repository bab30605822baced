package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/whatis/internal/outage"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Bounds limit how long a call is repeated.
type Bounds struct {
	Total time.Duration // all tries together; 0 means until the context ends
	Call  time.Duration // one try, which is then repeated; 0 means no limit
}

// Found is what a read after a failed write shows about that write.
type Found int

// The values of Found.
const (
	Unchanged Found = iota // the document is as before the write
	Changed                // another writer came first
	Applied                // the write was applied, and its response was lost
)

// The pauses between two tries are random: the first is up to firstPause, and each may
// be twice as long as the one before, up to longestPause.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// Write calls once, which makes a conditional write, until it succeeds. After an error that
// a retry may fix it calls check, which returns what happened to the write and makes the
// next call of once use the current document. If check is nil, once must be safe to repeat
// and is called again. Errors of check end Write, unless reading again fixes them. If the
// bounds are reached while others write, the error is ErrBusy.
func (b Bounds) Write(ctx context.Context, once func(context.Context) error, check func(context.Context) (Found, error)) (err error) {
	ctx, cancel := b.limit(ctx)
	defer cancel()
	others := false // wrote just before
	defer func() {
		if others && errors.Is(err, errSilent) {
			err = fmt.Errorf("%w: %v", ErrBusy, err)
		}
	}()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		again, err := b.try(ctx, once)
		if !again {
			return err
		}
		if !errors.Is(err, context.DeadlineExceeded) && status.Code(err) != codes.DeadlineExceeded { // a call that is cut off says nothing of others
			others = kindOf(err)&changed != 0
		}
		found, missed := Unchanged, error(nil)
		if check != nil {
			missed = b.Read(ctx, func(ctx context.Context) (err error) {
				found, err = check(ctx)
				return err
			})
		}
		switch {
		case missed != nil:
			return missed
		case found == Applied:
			return nil
		case found == Unchanged && Gone(err):
			return err // the database does not exist
		case found == Changed && pause == firstPause:
			continue // conflicts are rare: the first retry needs no pause
		case !wait(ctx, pause):
			return ended(ctx, err)
		}
	}
}

// Read calls once, which reads, until it succeeds or fails with a permanent error.
func (b Bounds) Read(ctx context.Context, once func(context.Context) error) error {
	ctx, cancel := b.limit(ctx)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		again, err := b.try(ctx, once)
		if !again {
			return err
		}
		if !wait(ctx, pause) {
			return ended(ctx, err)
		}
	}
}

func (b Bounds) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.Total <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, b.Total, errLimit)
}

// errLimit is the cause of a context that ends with Bounds.Total, errSilent the error of a
// call that was running then.
var (
	errLimit  = errors.New("store: given up")
	errSilent = errors.New("store: Firestore does not answer")
)

// try makes a call, and reports whether to try again if it failed.
func (b Bounds) try(ctx context.Context, once func(context.Context) error) (again bool, err error) {
	call, cancel := ctx, context.CancelFunc(func() {})
	if b.Call > 0 {
		call, cancel = context.WithTimeout(ctx, b.Call)
	}
	defer cancel()
	err = once(call)
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		return false, ended(ctx, err)
	}
	if outage.Away(err) && outage.Impatient(ctx) {
		return false, err
	}
	return call.Err() != nil || kindOf(err)&(changed|passing) != 0, err
}

// wait pauses for a random time up to most. It returns false if ctx ended.
func wait(ctx context.Context, most time.Duration) bool {
	select {
	case <-time.After(rand.N(most)):
		return true
	case <-ctx.Done():
		return false
	}
}

// ended returns the error of a call that was repeated until ctx ended. Err is its last
// error.
func ended(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case !errors.Is(cause, errLimit):
		return fmt.Errorf("%w: %w", err, cause)
	case kindOf(err)&changed != 0:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded):
		return fmt.Errorf("%w: %v", errSilent, err) // not context.DeadlineExceeded, which would suggest the caller's own deadline
	}
	return err
}
