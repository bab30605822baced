package jobs

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// longestRun is how long a shared run may take, unless it is said.
const longestRun = 540 * time.Second

// shared lets requests that are equal at the same time share one run. The zero
// value is ready.
type shared[R, E any] struct {
	longest  time.Duration // that a run may take; 0 is longestRun
	outlives bool          // a run goes on when nobody waits for it any more

	mu   sync.Mutex
	open map[string]*sharedRun[R, E]
}

// A sharedRun is one run and those who wait for it. shared.mu guards what changes.
type sharedRun[R, E any] struct {
	cancel  context.CancelFunc
	waiting int
	now     progress[R, E]
}

// progress is how far a run is.
type progress[R, E any] struct {
	events []E // so far, from the first
	ended  bool
	result R // of an ended run, as err
	err    error
	next   chan struct{} // closed when there is more
}

// A do hands each of its events to watch.
type do[R, E any] func(ctx context.Context, watch func(E)) (R, error)

// join returns what do returns, called once for all who ask for key meanwhile.
// Every one of them sees every event, in its own goroutine and its own time, and
// none after join has returned. The run's context ends when the last of them has
// left, not before, unless the run outlives them.
func (r *shared[R, E]) join(ctx context.Context, key string, watch func(E), do do[R, E]) (R, error) {
	one := r.findOrStart(ctx, key, do)
	defer r.cancelRun(key, one)
	for seen := 0; ; {
		now := r.progressOf(one)
		for ; watch != nil && seen < len(now.events); seen++ {
			watch(now.events[seen])
		}
		if now.ended {
			return now.result, now.err
		}
		select {
		case <-now.next:
		case <-ctx.Done():
			var none R
			return none, ctx.Err()
		}
	}
}

// findOrStart joins key's run, which is started if there is none.
func (r *shared[R, E]) findOrStart(ctx context.Context, key string, do do[R, E]) *sharedRun[R, E] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one, ok := r.open[key]; ok {
		one.waiting++
		return one
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(r.longest, longestRun))
	one := &sharedRun[R, E]{cancel: cancel, waiting: 1, now: progress[R, E]{next: make(chan struct{})}}
	if r.open == nil {
		r.open = map[string]*sharedRun[R, E]{}
	}
	r.open[key] = one
	go func() {
		defer cancel()
		result, err := recovered(ctx, do, func(e E) {
			r.advance(one, func(s *progress[R, E]) { s.events = append(s.events, e) })
		})
		r.advance(one, func(s *progress[R, E]) {
			s.ended, s.result, s.err = true, result, err
			r.forget(key, one)
		})
	}()
	return one
}

// recovered makes a panic of do an error. Its goroutine is no request's, so that no
// server would catch it, and all other requests would end with it.
func recovered[R, E any](ctx context.Context, do do[R, E], watch func(E)) (r R, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "run panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("jobs: it panicked: %v", p)
		}
	}()
	return do(ctx, watch)
}

func (r *shared[R, E]) progressOf(one *sharedRun[R, E]) progress[R, E] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return one.now
}

// advance changes a run's progress and wakes those who wait for it.
func (r *shared[R, E]) advance(one *sharedRun[R, E], change func(*progress[R, E])) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&one.now)
	close(one.now.next)
	one.now.next = make(chan struct{})
}

// cancelRun ends the run that nobody waits for any more.
func (r *shared[R, E]) cancelRun(key string, one *sharedRun[R, E]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one.waiting--; one.waiting == 0 && !r.outlives {
		one.cancel()
		r.forget(key, one)
	}
}

// forget lets the next request of key start a run of its own.
func (r *shared[R, E]) forget(key string, one *sharedRun[R, E]) {
	if r.open[key] == one {
		delete(r.open, key)
	}
}
