package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Listed is finished work that has a result.
type Listed[R any] struct {
	Record
	Public R // the result as everybody may see it
}

// List returns finished work, the newest first, as work.Store does, and the place
// behind it for f.After; "" behind the last.
func (e *Executor[R, E]) List(ctx context.Context, f Filter) (list []Listed[R], next string, err error) {
	f.Limit = cmp.Or(f.Limit, MaxList)
	records, err := e.Work.List(ctx, f)
	if err != nil {
		return nil, "", err
	}
	for _, record := range records {
		if len(record.Result) == 0 {
			continue // what it was about was gone
		}
		one, err := e.finished(record)
		if err != nil {
			return nil, "", err
		}
		list = append(list, one)
	}
	if len(records) == f.Limit {
		next = records[len(records)-1].Cursor()
	}
	return list, next, nil
}

// Get returns one piece of finished work, or work.ErrNotFound.
func (e *Executor[R, E]) Get(ctx context.Context, id string) (Listed[R], error) {
	record, err := e.Work.Get(ctx, id)
	if err == nil && len(record.Result) == 0 {
		err = fmt.Errorf("%w: %s has no result", ErrNotFound, id)
	}
	if err != nil {
		return Listed[R]{}, err
	}
	return e.finished(record)
}

func (e *Executor[R, E]) finished(record Record) (Listed[R], error) {
	r, err := Decode[R](record.Result)
	return Listed[R]{record, e.kind.Public(r)}, err
}

// Begun reports that somebody is at the work called id, has done it, or tried. What
// was given back without an attempt, and before anything was paid, has not begun.
func (e *Executor[R, E]) Begun(ctx context.Context, id string) (bool, error) {
	record, err := e.Work.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("jobs: %w", err)
	}
	return record.State != Open || record.Attempts > 0 || record.Paid, nil
}
