package intake

import (
	"context"
	"errors"
	"fmt"

	"example.com/whatis/internal/work"
)

// Begun reports that somebody is at the work that d is about, has done it, or
// tried. What was given back without an attempt, and before anything was paid, has
// not begun.
func (in *Intake) Begun(ctx context.Context, d Delivery) (bool, error) {
	record, err := in.Work.Get(ctx, d.id())
	switch {
	case errors.Is(err, work.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("intake: %s: %w", d.URI(), err)
	}
	return record.State != work.Open || record.Attempts > 0 || record.Paid, nil
}
