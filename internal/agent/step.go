package agent

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"example.com/whatis/internal/trace"
)

// Step is an agent made from a function. It yields Started, whatever do emits,
// and Finished. A panic in do becomes an error.
func Step(name string, do func(ctx context.Context, t *Turn) error) Agent {
	return step{name: name, do: do}
}

type step struct {
	name string
	do   func(ctx context.Context, t *Turn) error
}

func (s step) Name() string { return s.name }

func (s step) Run(ctx context.Context, session *Session) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx, end := trace.Start(ctx, s.name)
		t := &Turn{Session: session, author: s.name, yield: yield, stop: cancel}
		t.Emit(Event{Kind: Started})
		err := s.guarded(ctx, t)
		end(err)
		switch {
		case t.stopped:
		case err != nil:
			yield(nil, fmt.Errorf("%s: %w", s.name, err))
		default:
			t.Emit(Event{Kind: Finished, Data: t.output})
		}
	}
}

// guarded calls do and turns its panics into errors, but lets through those of
// the caller's own loop body, which run inside do's emits.
func (s step) guarded(ctx context.Context, t *Turn) (err error) {
	if t.stopped {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if t.yielding {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.do(ctx, t)
}

// A Turn is a step's run: the session, and the way to emit events. It is used
// only by the goroutine that runs the step.
type Turn struct {
	*Session
	author   string
	output   any
	yield    func(*Event, error) bool
	stop     context.CancelFunc
	stopped  bool
	yielding bool
}

// Emit yields e with the step's name and the present time. Once the caller has
// stopped listening it does nothing, and the step's context is cancelled.
func (t *Turn) Emit(e Event) {
	if t.stopped {
		return
	}
	e.Author, e.Time = t.author, time.Now()
	t.yielding = true
	more := t.yield(&e, nil)
	t.yielding = false
	if !more {
		t.stopped = true
		t.stop()
	}
}

// Output sets what the step's Finished event shows.
func (t *Turn) Output(v any) { t.output = v }
