package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func enter(t *testing.T, g *Gate, n int64) func() {
	t.Helper()
	leave, err := g.Enter(t.Context(), n)
	if err != nil {
		t.Fatalf("Enter(%d) = %v, want room", n, err)
	}
	return leave
}

func TestEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(100, 1, time.Second)
		first := enter(t, g, 60)
		second := enter(t, g, 40)
		begin := time.Now()
		var busy *Busy
		if _, err := g.Enter(t.Context(), 1); !errors.As(err, &busy) || busy.RetryAfter < time.Second/2 || busy.RetryAfter > 3*time.Second/2 || time.Since(begin) != time.Second {
			t.Errorf("Enter of a full house = %v after %v, want busy after 1s, for half a second to one and a half", err, time.Since(begin))
		}
		second()
		enter(t, g, 40)()
		first()
		enter(t, g, 1000)() // more than there is gets the whole
		enter(t, g, 100)()
	})
}

func TestWaitsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(100, 1, time.Second)
		leave := enter(t, g, 100)
		go func() {
			time.Sleep(300 * time.Millisecond)
			leave()
		}()
		begin := time.Now()
		enter(t, g, 10)()
		if waited := time.Since(begin); waited != 300*time.Millisecond {
			t.Errorf("waited %v, want until there was room, 300ms", waited)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(100, 2, time.Second)
		leave := enter(t, g, 100)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if leave, err := g.Enter(t.Context(), 1); err == nil {
					leave()
				}
			})
		}
		synctest.Wait()
		if !g.Wanted() {
			t.Error("Wanted() = false while two wait, want true")
		}
		begin := time.Now()
		var busy *Busy
		if _, err := g.Enter(t.Context(), 1); !errors.As(err, &busy) || time.Since(begin) != 0 {
			t.Errorf("Enter behind a full queue = %v after %v, want busy at once", err, time.Since(begin))
		}
		leave()
		group.Wait()
		enter(t, g, 100)()
		if g.Wanted() {
			t.Error("Wanted() = true when nobody waits, want false")
		}
	})
}

func TestCallerLeavesTheQueue(t *testing.T) {
	g := New(100, 1, time.Minute)
	leave := enter(t, g, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Enter(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Enter = %v, want %v", err, context.Canceled)
	}
	leave()
	enter(t, g, 100)()
}

// What is inside never exceeds the budget.
func TestBudgetHolds(t *testing.T) {
	g := New(10, 1000, time.Minute)
	var inside atomic.Int64
	var group sync.WaitGroup
	for i := range 200 {
		n := int64(i%7 + 1)
		group.Go(func() {
			leave, err := g.Enter(t.Context(), n)
			if err != nil {
				t.Error(err)
				return
			}
			if now := inside.Add(n); now > 10 {
				t.Errorf("%d bytes inside, want 10 at most", now)
			}
			inside.Add(-n)
			leave()
		})
	}
	group.Wait()
}
