package app

import (
	"context"
	"time"
)

// openTimeout bounds a call of open.
const openTimeout = 30 * time.Second

// A lazy value is opened at its first use and kept. After an error, the next use tries
// again.
type lazy[T any] struct {
	open   func(context.Context) (T, error)
	turn   chan struct{} // a lock: holds one token, needed to open the value
	opened bool
	value  T
}

// newLazy returns a value that open opens at its first use.
func newLazy[T any](open func(context.Context) (T, error)) *lazy[T] {
	l := &lazy[T]{open: open, turn: make(chan struct{}, 1)}
	l.turn <- struct{}{}
	return l
}

// Get returns the value, opening it if necessary. The value outlives ctx. A caller that
// waits for another caller's open returns when its own ctx ends.
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
