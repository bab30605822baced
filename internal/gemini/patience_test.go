package gemini

import (
	"context"
	"errors"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

// A caller is told soon of a model that does not answer. What it answers later is booked, and
// answers the next equal call, also one that comes before it, without another request.
func TestPatience(t *testing.T) {
	const late = 600 * time.Millisecond
	for name, again := range map[string]time.Duration{"asked again after the answer": 2 * late, "asked again before it": late / 4} {
		t.Run(name, func(t *testing.T) {
			spent := make(chan float64, 9)
			c, s := start(t, Config{Record: func(_, _ string, usd float64) { spent <- usd }})
			s.Script(emulator.Answer{Text: "late", ModelVersion: lite, Fault: &emulator.Fault{Type: emulator.Latency, Delay: late}})
			ask := func(patience time.Duration, attempts int) (*Response, Ledger, error) {
				account := &Account{Attempts: attempts}
				r, err := c.Generate(WithPatience(WithAccount(t.Context(), account), patience), Request{Model: lite, Parts: []Part{Text("What is it?")}})
				return r, account.Ledger(), err
			}
			began := time.Now()
			_, _, err := ask(late/4, CallerAttempts)
			var e *Error
			if !errors.As(err, &e) || e.Kind != Unavailable || e.Reason != SlowModel || e.RetryAfter <= 0 || time.Since(began) >= late {
				t.Fatalf("after %v: %v, want %s before the answer", time.Since(began), err, SlowModel)
			}
			time.Sleep(again)
			r, ledger, err := ask(2*late, CallerAttempts)
			if err != nil || r.Text != "late" || len(s.Calls()) != 1 {
				t.Fatalf("asked again: %+v, %v after %d requests; want the late answer, after one", r, err, len(s.Calls()))
			}
			if usd := <-spent; usd <= 0 || ledger.USD != 0 || len(spent) != 0 {
				t.Errorf("it cost %v, and whoever asked again %v; want it booked once, when it came", usd, ledger.USD)
			}
			if r, _, err = ask(late, CallerAttempts); err != nil || r.Text == "late" || len(s.Calls()) != 2 {
				t.Errorf("asked once more: %+v, %v after %d requests; want a request of its own", r, err, len(s.Calls()))
			}
		})
	}
}

// Each answer begins the wait anew; a wait that the service asks for is not begun if it takes
// longer than the caller waits; nobody waits for events.
func TestPatienceOfCalls(t *testing.T) {
	for _, test := range []struct {
		name     string
		fault    emulator.Fault
		attempts int
		calls    int // asked for one after the other
		tries    int
		kind     Kind
	}{
		{"two slow answers", emulator.Fault{Type: emulator.Latency, Delay: 250 * time.Millisecond}, CallerAttempts, 3, 3, ""},
		{"a wait longer than the rest of the patience", emulator.Fault{Type: emulator.RateLimited, Delay: 300 * time.Millisecond}, CallerAttempts, 1, 2, Quota},
		{"an event", emulator.Fault{Type: emulator.Latency, Delay: 700 * time.Millisecond}, EventAttempts, 1, 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, s := start(t, Config{})
			s.SetFaults(test.fault)
			ctx := WithPatience(WithAccount(t.Context(), &Account{Attempts: test.attempts}), 500*time.Millisecond)
			var err error
			for range test.calls {
				_, err = c.Generate(ctx, Request{Model: lite, Parts: []Part{Text("What is it?")}})
			}
			var e *Error
			if errors.As(err, &e); (test.kind == "") != (err == nil) || e != nil && e.Kind != test.kind || len(s.Calls()) != test.tries {
				t.Errorf("%v after %d tries, want %q after %d", err, len(s.Calls()), test.kind, test.tries)
			}
		})
	}
}

// A call whose caller has gone is ended.
func TestPatienceOfNobody(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.TimeOut})
	ctx, leave := context.WithTimeout(WithPatience(WithAccount(t.Context(), &Account{Attempts: CallerAttempts}), time.Minute), 50*time.Millisecond)
	defer leave()
	if _, err := c.Generate(ctx, Request{Model: lite, Parts: []Part{Text("What is it?")}}); err == nil || len(c.late.all) != 0 {
		t.Errorf("%v, and %d requests go on; want none", err, len(c.late.all))
	}
}
