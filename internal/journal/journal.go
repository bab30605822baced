// Package journal keeps what a run has paid for, so that another run of the same
// work goes on behind it.
//
//	context → Journal → Once(key, do) → the kept value, or do's, which is kept
//
// A run carries its journal in its context.
package journal

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/whatis/internal/gemini"
)

// A Journal keeps the values of one run. The zero Journal keeps nothing.
type Journal struct {
	// Kept are the values of an earlier run, as JSON by key.
	Kept map[string]json.RawMessage
	// Keep stores a value before the run goes on; nil stores nothing.
	Keep func(ctx context.Context, key string, value json.RawMessage) error
}

type contextKey struct{}

// With returns ctx with j as the journal of the run.
func With(ctx context.Context, j Journal) context.Context {
	return context.WithValue(ctx, contextKey{}, j)
}

// Of returns the journal of ctx, the zero Journal if it has none.
func Of(ctx context.Context) Journal {
	j, _ := ctx.Value(contextKey{}).(Journal)
	return j
}

// entry is a kept value and what it cost.
type entry[T any] struct {
	Value T
	Spent gemini.Ledger
}

// Once returns the value that the journal of ctx has under key, or calls do and
// keeps what it returns. What do is charged for is kept with its value, and charged
// again to the account of a run that finds it kept. T must survive JSON. An error of
// do is not kept.
func Once[T any](ctx context.Context, key string, do func(context.Context) (T, error)) (T, error) {
	j := Of(ctx)
	var e entry[T]
	if data, ok := j.Kept[key]; ok {
		if err := json.Unmarshal(data, &e); err != nil {
			return e.Value, fmt.Errorf("journal: %s: %w", key, err)
		}
		gemini.Charge(ctx, e.Spent)
		return e.Value, nil
	}
	split, charge := gemini.Split(ctx)
	value, err := do(split)
	e = entry[T]{value, charge()}
	if err != nil || j.Keep == nil {
		return value, err
	}
	data, err := json.Marshal(e)
	if err != nil {
		return value, fmt.Errorf("journal: %s: %w", key, err)
	}
	if err := j.Keep(ctx, key, data); err != nil {
		return value, fmt.Errorf("journal: %s: %w", key, err)
	}
	return value, nil
}
