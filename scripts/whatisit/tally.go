package main

import (
	"context"
	"errors"
	"sync/atomic"
)

// A tally is how many photos there are, and what has become of them so far.
type tally struct {
	number       int
	done, failed atomic.Int64
}

// outcome is the error that a command ends with: what went wrong besides the photos, an
// interruption before all were done, or that some failed, which was told of each.
func (t *tally) outcome(ctx context.Context, errs ...error) error {
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case ctx.Err() != nil && t.done.Load() < int64(t.number):
		return errInterrupted
	case t.failed.Load() > 0:
		return errTold
	}
	return nil
}
