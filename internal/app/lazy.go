package app

import (
	"context"
	"time"
)

// openTimeout bounds an opening.
const openTimeout = 30 * time.Second

// A lazy value is one that is opened at its first use and kept. An opening that
// fails is tried again at the next use.
type lazy[T any] struct {
	open   func(context.Context) (T, error)
	turn   chan struct{} // holds one token: whoever has it may open
	opened bool
	value  T
}

// newLazy returns a value that open opens at its first use.
func newLazy[T any](open func(context.Context) (T, error)) *lazy[T] {
	l := &lazy[T]{open: open, turn: make(chan struct{}, 1)}
	l.turn <- struct{}{}
	return l
}

// Get returns the value, opening it if need be. What is opened outlives ctx, and
// whoever waits for another's opening leaves when its own ctx ends.
func (l *lazy[T]) Get(ctx context.Context) (value T, err error) {
	select {
	case <-l.turn:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { l.turn <- struct{}{} }()
	if l.opened {
		return l.value, nil
	}
	opening, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
	defer cancel()
	if value, err = l.open(opening); err != nil {
		return value, err
	}
	l.value, l.opened = value, true
	return value, nil
}
