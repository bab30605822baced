package admission_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/whatis/internal/admission"
)

// A caller makes a minute's calls at once, then as many as the time allows; others are not
// concerned.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := admission.NewRate(60)
		kim, ana := admission.WithCaller(t.Context(), "kim"), admission.WithCaller(t.Context(), "ana")
		for i := range 60 {
			if err := r.Admit(kim); err != nil {
				t.Fatalf("call %d: %v", i+1, err)
			}
		}
		var many *admission.TooMany
		if err := r.Admit(kim); !errors.As(err, &many) || many.RetryAfter != time.Second || many.PerMinute != 60 {
			t.Errorf("call 61: %v, want to wait for a second", err)
		}
		if err := r.Admit(ana); err != nil {
			t.Errorf("another caller: %v", err)
		}
		time.Sleep(many.RetryAfter)
		if err := r.Admit(kim); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		if err := r.Admit(kim); err == nil {
			t.Error("two calls after the wait for one")
		}
		time.Sleep(time.Hour)
		n := 0
		for r.Admit(kim) == nil {
			n++
		}
		if n != 60 {
			t.Errorf("%d calls after an hour, want 60", n)
		}
	})
}

// Work that goes on without its caller waits for its turn, for a while.
func TestRateOfAbsentCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := admission.NewRate(60)
		ctx := admission.WithAbsentCaller(t.Context(), "kim")
		start := time.Now()
		for range 80 {
			if err := r.Admit(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < 20*time.Second || took > 21*time.Second {
			t.Errorf("80 calls took %v, want 20 s", took)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := r.Admit(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("an ended context: %v", err)
		}
		slow := admission.NewRate(1)
		_ = slow.Admit(ctx)
		if err := slow.Admit(ctx); !errors.As(err, new(*admission.TooMany)) {
			t.Errorf("a wait of a minute: %v, want TooMany", err)
		}
	})
}

func TestRateWithoutCaller(t *testing.T) {
	t.Parallel()
	r := admission.NewRate(1)
	for range 10 {
		if err := r.Admit(t.Context()); err != nil {
			t.Errorf("without a caller: %v", err)
		}
		if err := admission.NewRate(0).Admit(admission.WithCaller(t.Context(), "kim")); err != nil {
			t.Errorf("without a limit: %v", err)
		}
	}
}

// However many callers there are, a bounded number is remembered.
func TestRateOfManyCallers(t *testing.T) {
	t.Parallel()
	r := admission.NewRate(2)
	var refused atomic.Int64
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for n := range 10_000 {
				if r.Admit(admission.WithCaller(t.Context(), fmt.Sprint(i, " ", n))) != nil {
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	if n := refused.Load(); n < 29_000 || n > 30_000 {
		t.Errorf("%d of 40,000 callers refused, want those that found no place", n)
	}
}
