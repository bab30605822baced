package intake

import (
	"context"
	"slices"
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

// A run is one analysis and those who wait for it.
type run struct {
	cancel  context.CancelFunc
	done    chan struct{} // closed when result and err are set
	result  analyze.Result
	err     error
	waiters []*waiter
	events  []*agent.Event // so far, for those who come later
}

// A waiter is one request that waits for a run.
type waiter struct {
	watch func(*agent.Event) // may be nil
}

// join returns what do returns, called once for all who ask for key meanwhile.
// Every one of them sees every event. The run's context ends when the last of
// them has left, not before.
func (r *runs) join(ctx context.Context, key string, watch func(*agent.Event), do func(context.Context, func(*agent.Event)) (analyze.Result, error)) (analyze.Result, error) {
	me := &waiter{watch}
	one := r.enter(ctx, key, me, do)
	select {
	case <-one.done:
		return one.result, one.err
	case <-ctx.Done():
		r.leave(key, one, me)
		return analyze.Result{}, ctx.Err()
	}
}

// enter makes me a waiter of key's run, which is started if there is none.
func (r *runs) enter(ctx context.Context, key string, me *waiter, do func(context.Context, func(*agent.Event)) (analyze.Result, error)) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one, ok := r.open[key]; ok {
		one.waiters = append(one.waiters, me)
		for _, e := range one.events {
			me.tell(e)
		}
		return one
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
	one := &run{cancel: cancel, done: make(chan struct{}), waiters: []*waiter{me}}
	if r.open == nil {
		r.open = map[string]*run{}
	}
	r.open[key] = one
	go func() {
		defer cancel()
		one.result, one.err = do(ctx, func(e *agent.Event) { r.tell(one, e) })
		r.close(key, one)
		close(one.done)
	}()
	return one
}

func (r *runs) tell(one *run, e *agent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.events = append(one.events, e)
	for _, w := range one.waiters {
		w.tell(e)
	}
}

func (w *waiter) tell(e *agent.Event) {
	if w.watch != nil {
		w.watch(e)
	}
}

// leave takes me out of a run, and ends the run that nobody waits for.
func (r *runs) leave(key string, one *run, me *waiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.waiters = slices.DeleteFunc(one.waiters, func(w *waiter) bool { return w == me })
	if len(one.waiters) == 0 {
		one.cancel()
		r.forget(key, one)
	}
}

func (r *runs) close(key string, one *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(key, one)
}

// forget lets the next request of key start a run of its own.
func (r *runs) forget(key string, one *run) {
	if r.open[key] == one {
		delete(r.open, key)
	}
}
