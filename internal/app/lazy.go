package app

import (
	"context"
	"sync"
)

// lazy is a value that is opened at its first use and kept. An opening that
// fails is tried again at the next use.
type lazy[T any] struct {
	open   func(context.Context) (T, error)
	mu     sync.Mutex
	opened bool
	value  T
}

// get returns the value, opening it if need be. What is opened outlives ctx.
func (l *lazy[T]) get(ctx context.Context) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened {
		return l.value, nil
	}
	v, err := l.open(context.WithoutCancel(ctx))
	if err != nil {
		return v, err
	}
	l.value, l.opened = v, true
	return v, nil
}
