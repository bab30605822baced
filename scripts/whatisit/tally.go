package main

import (
	"context"
	"errors"
	"sync/atomic"
)

// A tally counts photos by outcome.
type tally struct {
	number       int
	done, failed atomic.Int64
}

// outcome returns the error that a command ends with: an error other than a photo's, an
// interruption, or errPrinted if photos failed, whose errors were printed already.
func (t *tally) outcome(ctx context.Context, errs ...error) error {
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case ctx.Err() != nil && t.done.Load() < int64(t.number):
		return errInterrupted
	case t.failed.Load() > 0:
		return errPrinted
	}
	return nil
}
