package intake

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
)

// longest is how long a shared run may take.
const longest = 540 * time.Second

// runs lets requests that are the same at the same time share one run. The zero
// value is ready.
type runs struct {
	mu   sync.Mutex
	open map[string]*run
}

// A run is one analysis and those who wait for it. runs.mu guards what changes.
type run struct {
	cancel  context.CancelFunc
	waiting int
	now     state
}

// A state is how far a run is.
type state struct {
	events []*agent.Event // so far, from the first
	ended  bool
	result analyze.Result // of an ended run, as err
	err    error
	next   chan struct{} // closed when the next state is there
}

// An analysis hands each of its events to watch, if it is not nil.
type analysis func(ctx context.Context, watch func(*agent.Event)) (analyze.Result, error)

// join returns what do returns, called once for all who ask for key meanwhile.
// Every one of them sees every event, in its own goroutine and its own time, and
// none after join has returned. The run's context ends when the last of them has
// left, not before.
func (r *runs) join(ctx context.Context, key string, watch func(*agent.Event), do analysis) (analyze.Result, error) {
	one := r.enter(ctx, key, do)
	defer r.leave(key, one)
	for seen := 0; ; {
		now := r.look(one)
		for ; watch != nil && seen < len(now.events); seen++ {
			watch(now.events[seen])
		}
		if now.ended {
			return now.result, now.err
		}
		select {
		case <-now.next:
		case <-ctx.Done():
			return analyze.Result{}, ctx.Err()
		}
	}
}

// enter waits for key's run, which is started if there is none.
func (r *runs) enter(ctx context.Context, key string, do analysis) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one, ok := r.open[key]; ok {
		one.waiting++
		return one
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
	one := &run{cancel: cancel, waiting: 1, now: state{next: make(chan struct{})}}
	if r.open == nil {
		r.open = map[string]*run{}
	}
	r.open[key] = one
	go func() {
		defer cancel()
		result, err := guarded(ctx, do, func(e *agent.Event) {
			r.advance(one, func(s *state) { s.events = append(s.events, e) })
		})
		r.advance(one, func(s *state) {
			s.ended, s.result, s.err = true, result, err
			r.forget(key, one)
		})
	}()
	return one
}

// guarded makes a panic of do an error. Its goroutine is no request's, so that no
// server would catch it, and all other requests would end with it.
func guarded(ctx context.Context, do analysis, watch func(*agent.Event)) (r analyze.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "analysis panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("intake: the analysis panicked: %v", p)
		}
	}()
	return do(ctx, watch)
}

func (r *runs) look(one *run) state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return one.now
}

// advance makes a run's next state and wakes those who wait for it.
func (r *runs) advance(one *run, change func(*state)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&one.now)
	close(one.now.next)
	one.now.next = make(chan struct{})
}

// leave ends the run that nobody waits for any more.
func (r *runs) leave(key string, one *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one.waiting--; one.waiting == 0 {
		one.cancel()
		r.forget(key, one)
	}
}

// forget lets the next request of key start a run of its own.
func (r *runs) forget(key string, one *run) {
	if r.open[key] == one {
		delete(r.open, key)
	}
}
