package admission

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func acquire(t *testing.T, l *Limiter, n int64) func() {
	t.Helper()
	release, err := l.Acquire(t.Context(), n)
	if err != nil {
		t.Fatalf("Acquire(%d) = %v, want room", n, err)
	}
	return release
}

func TestAcquire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Requests: 100, Work: 50, Queue: 1, Patience: time.Second})
		first := acquire(t, l, 60)
		second := acquire(t, l, 40)
		begin := time.Now()
		var busy *Busy
		if _, err := l.Acquire(t.Context(), 1); !errors.As(err, &busy) || busy.RetryAfter < time.Second/2 || busy.RetryAfter > 3*time.Second/2 || time.Since(begin) != time.Second {
			t.Errorf("Acquire of a full house = %v after %v, want busy after 1s, for half a second to one and a half", err, time.Since(begin))
		}
		second()
		acquire(t, l, 40)()
		first()
		acquire(t, l, 1000)() // a request for more than the budget gets all of it
		acquire(t, l, 100)()
	})
}

func TestWaitsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Requests: 100, Work: 50, Queue: 1, Patience: time.Second})
		release := acquire(t, l, 100)
		go func() {
			time.Sleep(300 * time.Millisecond)
			release()
		}()
		begin := time.Now()
		acquire(t, l, 10)()
		if waited := time.Since(begin); waited != 300*time.Millisecond {
			t.Errorf("waited %v, want until there was room, 300ms", waited)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Requests: 100, Work: 50, Queue: 2, Patience: time.Second})
		release := acquire(t, l, 100)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if release, err := l.Acquire(t.Context(), 1); err == nil {
					release()
				}
			})
		}
		synctest.Wait()
		if !l.Waiting() {
			t.Error("Waiting() = false while two wait, want true")
		}
		begin := time.Now()
		var busy *Busy
		if _, err := l.Acquire(t.Context(), 1); !errors.As(err, &busy) || time.Since(begin) != 0 {
			t.Errorf("Acquire behind a full queue = %v after %v, want busy at once", err, time.Since(begin))
		}
		release()
		group.Wait()
		acquire(t, l, 100)()
		if l.Waiting() {
			t.Error("Waiting() = true when nobody waits, want false")
		}
	})
}

func TestCallerLeavesTheQueue(t *testing.T) {
	l := New(Config{Requests: 100, Work: 50, Queue: 1, Patience: time.Minute})
	release := acquire(t, l, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Acquire(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire = %v, want %v", err, context.Canceled)
	}
	release()
	acquire(t, l, 100)()
}

// Admitted requests never exceed the budget.
func TestBudgetHolds(t *testing.T) {
	l := New(Config{Requests: 10, Work: 50, Queue: 1000, Patience: time.Minute})
	var inside atomic.Int64
	var group sync.WaitGroup
	for i := range 200 {
		n := int64(i%7 + 1)
		group.Go(func() {
			release, err := l.Acquire(t.Context(), n)
			if err != nil {
				t.Error(err)
				return
			}
			if now := inside.Add(n); now > 10 {
				t.Errorf("%d bytes inside, want 10 at most", now)
			}
			inside.Add(-n)
			release()
		})
	}
	group.Wait()
}

// However many requests are admitted, there is memory for one step; and an admitted request
// gets more only if there is some.
func TestWorkIsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Requests: 100, Work: 50, Queue: 1, Patience: time.Second})
		defer acquire(t, l, 90)()
		if _, ok := l.TryAcquire(11); ok {
			t.Error("TryAcquire of 11 where 10 are left = true, want false")
		}
		more, ok := l.TryAcquire(10)
		if !ok {
			t.Fatal("TryAcquire of the last 10 = false, want true")
		}
		defer more()
		release, err := l.AcquireWork(t.Context(), 50)
		if err != nil {
			t.Fatalf("AcquireWork of all = %v, want room", err)
		}
		var busy *Busy
		if _, err := l.AcquireWork(t.Context(), 1); !errors.As(err, &busy) {
			t.Errorf("AcquireWork where there is none = %v, want busy", err)
		}
		release()
		if _, err := l.AcquireWork(t.Context(), 1000); err != nil || l.MaxWork() != 50 {
			t.Errorf("AcquireWork of more than there is = %v, at most %d; want all 50", err, l.MaxWork())
		}
	})
}

func TestNilAdmitsAll(t *testing.T) {
	var l *Limiter
	release, err := l.Acquire(t.Context(), 1<<40)
	work, also := l.AcquireWork(t.Context(), 1<<40)
	if err != nil || also != nil || l.MaxWork() != 0 {
		t.Fatalf("a nil Limiter = %v, %v, at most %d; want no limit", err, also, l.MaxWork())
	}
	work()
	release()
}
