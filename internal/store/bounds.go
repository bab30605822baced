package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Bounds say how long a call is repeated.
type Bounds struct {
	Total time.Duration // all tries together; 0 is until the context ends
	Call  time.Duration // one try, which is then made again; 0 is as long as Firestore takes
}

// Found is what a read after a failed write tells of that.
type Found int

// What may be found.
const (
	Unchanged Found = iota // the document is as it was before the write
	Changed                // another writer came first
	Applied                // the write was applied, and its response was lost
)

// The pauses between two tries are random: the first is up to firstPause, and each may
// be twice as long as the one before, up to longestPause.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// Write calls once, which makes a conditional write, until it succeeds. After an error
// that another try may mend it calls check, which says what became of the write and has
// once rest on what is there now. Without check, a write that may be repeated as it is,
// once is called again. Errors of check end it, unless a repeated read mends them. If
// the bounds are reached while others write, the error is ErrBusy.
func (b Bounds) Write(ctx context.Context, once func(context.Context) error, check func(context.Context) (Found, error)) error {
	ctx, cancel := b.limit(ctx)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		again, err := b.try(ctx, once)
		if !again {
			return err
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
			return err // there is no such database
		case found == Changed && pause == firstPause:
			continue // others write seldom: the second try needs no pause
		case !wait(ctx, pause):
			return ended(ctx, err)
		}
	}
}

// Read calls once, which reads, until it succeeds or fails for good.
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

// errLimit is the cause of a context that ends with Bounds.Total, and errSilent the error
// of a call that was under way then.
var (
	errLimit  = errors.New("store: given up")
	errSilent = errors.New("store: Firestore does not answer")
)

// try makes a call, and reports whether another may succeed where it failed.
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
	return call.Err() != nil || kindOf(err)&(changed|passing) != 0, err
}

// wait pauses for a random time up to most, and reports whether ctx goes on.
func wait(ctx context.Context, most time.Duration) bool {
	select {
	case <-time.After(rand.N(most)):
		return true
	case <-ctx.Done():
		return false
	}
}

// ended is the error of a call that was repeated until ctx ended, of which err is the
// last error.
func ended(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case !errors.Is(cause, errLimit):
		return fmt.Errorf("%w: %w", err, cause)
	case kindOf(err)&changed != 0:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded):
		return fmt.Errorf("%w: %v", errSilent, err) // not the deadline of whoever called
	}
	return err
}
