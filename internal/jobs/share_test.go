package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/internal/admission"
)

// An answer is a result that has nothing to do with photos.
type answer struct{ ID string }

// wantNewRun checks that the next caller begins a new run.
func wantNewRun(t *testing.T, r *shared[answer, string]) {
	t.Helper()
	got, _, err := r.join(t.Context(), "a", nil, func(context.Context, func(string)) (answer, error) {
		return answer{ID: "new"}, nil
	})
	if err != nil || got.ID != "new" {
		t.Errorf("join afterwards = %q, %v; want a new run", got.ID, err)
	}
}

// The run goes on while a caller waits, and ends with the last one.
func TestTheLastWaiterEndsTheRun(t *testing.T) {
	var r shared[answer, string]
	ended := make(chan error, 1)
	do := func(ctx context.Context, watch func(string)) (answer, error) {
		watch("started")
		<-ctx.Done()
		ended <- ctx.Err()
		return answer{}, ctx.Err()
	}
	leaves := make([]context.CancelFunc, 2)
	errs := make(chan error, 2)
	var joined atomic.Int32
	for i := range leaves {
		var ctx context.Context
		ctx, leaves[i] = context.WithCancel(t.Context())
		go func() {
			_, _, err := r.join(ctx, "a", func(string) { joined.Add(1) }, do)
			errs <- err
		}()
	}
	for joined.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	leaves[0]()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left got %v, want %v", err, context.Canceled)
	}
	select {
	case <-ended:
		t.Fatal("the run ended while somebody waits")
	case <-time.After(20 * time.Millisecond):
	}
	leaves[1]()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the run's context ended with %v, want %v", err, context.Canceled)
	}
	wantNewRun(t, &r) // and not the cancelled one
}

// A slow watcher, such as a client, does not delay the others, and callers that have left
// get no more events.
func TestWatchersKeepTheirOwnTime(t *testing.T) {
	var r shared[answer, string]
	stuck, proceed, release := make(chan bool), make(chan bool), make(chan bool)
	do := func(_ context.Context, watch func(string)) (answer, error) {
		watch("started")
		<-release
		watch("finished")
		return answer{ID: "shared"}, nil
	}
	var slow atomic.Int32
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, _, err := r.join(ctx, "a", func(string) {
			slow.Add(1)
			close(stuck)
			<-proceed
		}, do)
		left <- err
	}()
	<-stuck
	var quick atomic.Int32
	done := make(chan error, 1)
	go func() {
		_, _, err := r.join(t.Context(), "a", func(string) { quick.Add(1) }, do)
		done <- err
	}()
	for quick.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	leave()
	close(proceed)
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("join of the one who left = %v, want %v", err, context.Canceled)
	}
	close(release)
	if err := <-done; err != nil || quick.Load() != 2 || slow.Load() != 1 {
		t.Errorf("join = %v with %d events, and %d for the one who left; want 2 and 1", err, quick.Load(), slow.Load())
	}
}

// A panic is the error of all waiting callers, and of none after them.
func TestPanicIsAnError(t *testing.T) {
	var r shared[answer, string]
	panics := func(context.Context, func(string)) (answer, error) { panic("out of range") }
	if _, _, err := r.join(t.Context(), "a", nil, panics); err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("join = %v, want the panic", err)
	}
	wantNewRun(t, &r)
}

// A run that outlives its callers ends by itself.
func TestRunOutlivesItsWaiters(t *testing.T) {
	r := shared[answer, string]{outlives: true}
	begun, release, ended := make(chan bool), make(chan bool), make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-begun
		leave()
	}()
	_, _, err := r.join(ctx, "a", nil, func(ctx context.Context, _ func(string)) (answer, error) {
		close(begun)
		<-release
		ended <- ctx.Err()
		return answer{}, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("join of the one who left = %v, want %v", err, context.Canceled)
	}
	close(release)
	if err := <-ended; err != nil {
		t.Errorf("the context of the run ended with those who waited: %v", err)
	}
}

// A run that ends at the limit of whoever came first is no answer for the others, who may go on.
func TestLimitOfTheFirst(t *testing.T) {
	for name, refusal := range map[string]error{"calls a minute": &admission.TooMany{PerMinute: 1}, "another site's page": admission.ErrForeign} {
		t.Run(name, func(t *testing.T) {
			var r shared[answer, string]
			joined := make(chan struct{})
			refused := func(ctx context.Context, watch func(string)) (answer, error) {
				watch("started")
				<-joined
				return answer{}, fmt.Errorf("analyze: %w", refusal)
			}
			first := make(chan error, 1)
			started := make(chan struct{})
			go func() {
				_, _, err := r.join(t.Context(), "a", func(string) { close(started) }, refused)
				first <- err
			}()
			<-started
			others := make(chan string, 8)
			for range cap(others) {
				go func() {
					got, _, err := r.join(t.Context(), "a", nil, func(context.Context, func(string)) (answer, error) {
						return answer{ID: "made"}, nil
					})
					others <- fmt.Sprint(got.ID, err)
				}()
			}
			for r.waiting("a") <= cap(others) {
				time.Sleep(time.Millisecond)
			}
			close(joined)
			if err := <-first; !errors.Is(err, refusal) {
				t.Errorf("the first gets %v, want %v", err, refusal)
			}
			for range cap(others) {
				if got := <-others; got != "made<nil>" {
					t.Errorf("another gets %s, want an answer", got)
				}
			}
		})
	}
}

func (r *shared[R, E]) waiting(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[key].waiting
}
