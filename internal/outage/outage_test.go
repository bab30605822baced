package outage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/usererror"
)

// silent waits until ctx ends, as a call does whose service does not answer.
func silent(ctx context.Context) error {
	<-ctx.Done()
	return fmt.Errorf("call: %w", ctx.Err())
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		ended, end := context.WithCancel(t.Context())
		end()
		tests := []struct {
			what string
			ctx  context.Context
			call func(context.Context) error
			away bool
			want error
		}{
			{"an answer", t.Context(), func(context.Context) error { return nil }, false, nil},
			{"an error", t.Context(), func(context.Context) error { return broken }, false, broken},
			{"no answer", t.Context(), silent, true, nil},
			{"a caller who left", ended, silent, false, context.Canceled},
		}
		for _, test := range tests {
			ctx, done := outage.Limit(test.ctx, outage.Database, 20*time.Millisecond)
			err := done(test.call(ctx))
			if outage.Away(err) != test.away || test.want != nil && !errors.Is(err, test.want) || test.want == nil && !test.away && err != nil {
				t.Errorf("%s: %v, want away %v, %v", test.what, err, test.away, test.want)
			}
			if ctx.Err() == nil {
				t.Errorf("%s: the context goes on after the call", test.what)
			}
			if text, ok := usererror.Message(fmt.Errorf("store: %w", err)); test.away && (!ok || text != "the database does not answer: try again in 10s") {
				t.Errorf("%s: callers read %q", test.what, text)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v is a deadline, as if the caller's own time were over", test.what, err)
			}
		}
	})
}

// The pieces of a list may be read slowly, but each must come in time.
func TestSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, wait := outage.Series(t.Context(), outage.Objects, 50*time.Millisecond)
		for range 3 {
			if err := wait(func() error { return nil }); err != nil || ctx.Err() != nil {
				t.Fatalf("a piece = %v, %v", err, ctx.Err())
			}
			time.Sleep(60 * time.Millisecond)
		}
		if err := wait(func() error { return silent(ctx) }); !outage.Away(err) {
			t.Errorf("a piece that does not come = %v, want an outage", err)
		}
	})
}

// A request waits in vain only so long, however many calls it makes; a call that is answered
// costs no patience.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := outage.WithPatience(t.Context(), 300*time.Millisecond)
		for range 5 {
			call, done := outage.Limit(ctx, outage.Database, time.Second)
			time.Sleep(100 * time.Millisecond)
			if err := done(call.Err()); err != nil {
				t.Fatalf("a call within its time = %v", err)
			}
		}
		begin := time.Now()
		for n := range 2 {
			if outage.Impatient(ctx) != (n > 0) {
				t.Errorf("Impatient before call %d = %v", n, outage.Impatient(ctx))
			}
			call, done := outage.Limit(ctx, outage.Database, 10*time.Second)
			if err := done(silent(call)); !outage.Away(err) {
				t.Errorf("call %d = %v, want an outage", n, err)
			}
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("two calls in vain took %v, want the patience and one short try", took)
		}
	})
}
