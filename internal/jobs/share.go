package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"example.com/whatis/internal/admission"
)

// longestRun is the default time-out of a shared run.
const longestRun = 540 * time.Second

// shared lets requests that are equal at the same time share one run. The zero
// value is ready.
type shared[R, E any] struct {
	longest  time.Duration // that a run may take; 0 is longestRun
	outlives bool          // a run goes on when no caller waits for it any more

	mu   sync.Mutex
	open map[string]*sharedRun[R, E]
}

// A sharedRun is one run and the number of its callers. shared.mu guards waiting and now.
type sharedRun[R, E any] struct {
	cancel  context.CancelFunc
	waiting int
	now     progress[R, E]
}

// progress is how far a run is.
type progress[R, E any] struct {
	events []E // so far, from the first
	ended  bool
	result R // of an ended run, as is err
	err    error
	next   chan struct{} // closed when there is more
}

// A do does the work of a run and passes each of its events to watch.
type do[R, E any] func(ctx context.Context, watch func(E)) (R, error)

// join returns the result of do, which is called once for all concurrent callers with
// the same key, and whether that was for this caller. Each caller's watch gets every event, in
// the caller's goroutine, and none after join has returned. The run's context ends when its last caller has left,
// unless the run outlives them. A run that was refused for the caller who started it is no
// result for the others: one of them starts it anew.
func (r *shared[R, E]) join(ctx context.Context, key string, watch func(E), do do[R, E]) (result R, own bool, err error) {
	for {
		one, own := r.findOrStart(ctx, key, do)
		result, err = r.wait(ctx, key, one, watch)
		var many *admission.TooMany
		if own || !errors.As(err, &many) && !errors.Is(err, admission.ErrForeign) {
			return result, own, err
		}
	}
}

// wait returns the result of one, unless ctx ends first.
func (r *shared[R, E]) wait(ctx context.Context, key string, one *sharedRun[R, E], watch func(E)) (R, error) {
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

// findOrStart joins key's run, which is started if there is none, and reports whether it was.
func (r *shared[R, E]) findOrStart(ctx context.Context, key string, do do[R, E]) (one *sharedRun[R, E], started bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one, ok := r.open[key]; ok {
		one.waiting++
		return one, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(r.longest, longestRun))
	one = &sharedRun[R, E]{cancel: cancel, waiting: 1, now: progress[R, E]{next: make(chan struct{})}}
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
	return one, true
}

// recovered calls do and returns a panic as an error. The goroutine belongs to no
// request, so that the HTTP server would not recover it and the process would end.
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

// advance changes a run's progress and wakes its callers.
func (r *shared[R, E]) advance(one *sharedRun[R, E], change func(*progress[R, E])) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&one.now)
	close(one.now.next)
	one.now.next = make(chan struct{})
}

// cancelRun removes one caller, and cancels the run if it was the last.
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
