package gemini

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// 120 a minute are two at once, and then one each half second, for all callers together.
// One that has no time to wait hears at once when to come again; models that cost nothing
// do not wait.
func TestTriesAreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &Client{config: Config{TriesPerMinute: 120}, pace: pacer(120)}
		began := time.Now()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if e := c.waitTurn(t.Context(), "gemini-3.6-flash"); e != nil {
					t.Errorf("waitTurn = %v", e)
				}
			})
		}
		group.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("four tries of 120 a minute took %v, want a second", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began = time.Now()
		if e := c.waitTurn(ctx, "gemini-3.6-flash"); e == nil || e.Kind != Quota || e.RetryAfter != time.Minute || time.Since(began) != 0 {
			t.Errorf("waitTurn without time = %v after %v, want a quota at once", e, time.Since(began))
		}
		if e := c.waitTurn(ctx, "emulated-image"); e != nil {
			t.Errorf("waitTurn of a model that costs nothing = %v", e)
		}
		if e := new(Client).waitTurn(ctx, "gemini-3.6-flash"); e != nil {
			t.Errorf("waitTurn without a limit = %v", e)
		}
	})
}
