package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Listed is finished work that has a result.
type Listed[R any] struct {
	Record
	Public R // the result without private parts

	Unreadable bool // this version cannot read the result, which another has written: Public has what it could
}

// List returns finished work as Store.List does, and the cursor of
// the next page for f.After, "" after the last.
func (e *Executor[R, E]) List(ctx context.Context, f Filter) (list []Listed[R], next string, err error) {
	f.Limit = cmp.Or(f.Limit, MaxList)
	records, err := e.Work.List(ctx, f)
	if err != nil {
		return nil, "", err
	}
	for _, record := range records {
		if len(record.Result) == 0 {
			continue // its subject was gone
		}
		list = append(list, e.finished(ctx, record))
	}
	if len(records) == f.Limit {
		next = records[len(records)-1].Cursor(f)
	}
	return list, next, nil
}

// Get returns one piece of finished work, or ErrNotFound.
func (e *Executor[R, E]) Get(ctx context.Context, id string) (Listed[R], error) {
	record, err := e.Work.Get(ctx, id)
	if err == nil && len(record.Result) == 0 {
		err = fmt.Errorf("%w: %s has no result", ErrNotFound, id)
	}
	if err != nil {
		return Listed[R]{}, err
	}
	return e.finished(ctx, record), nil
}

func (e *Executor[R, E]) finished(ctx context.Context, record Record) Listed[R] {
	r, err := Decode[R](record.Result)
	if err != nil {
		slog.WarnContext(ctx, "result not read", "id", record.ID, "error", err)
	}
	return Listed[R]{record, e.kind.Public(r), err != nil}
}

// Begun reports that the work called id is running, done or was tried. Work that was
// released without an attempt, and before anything was paid, has not begun.
func (e *Executor[R, E]) Begun(ctx context.Context, id string) (bool, error) {
	record, err := e.Work.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("jobs: %w", err)
	}
	return record.State != Open || record.Attempts > 0 || len(record.Kept) > 0, nil
}
