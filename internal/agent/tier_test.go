package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// A ledger stores the checkpoints of a run, which ends with killed just after the write of
// the named key.
type ledger struct {
	kept   map[string]json.RawMessage
	killed string
}

var errKilled = errors.New("killed")

// run returns the context of a delivery with the checkpoints of earlier ones.
func (l *ledger) run(ctx context.Context) context.Context {
	if l.kept == nil {
		l.kept = map[string]json.RawMessage{}
	}
	return jobs.WithCheckpoints(gemini.WithTier(ctx, gemini.Flex), jobs.Checkpoints{
		Kept: maps.Clone(l.kept),
		Keep: func(_ context.Context, key string, value json.RawMessage) error {
			l.kept[key] = value
			if l.killed != "" && strings.HasPrefix(key, l.killed+" ") && strings.HasSuffix(key, " flex_refused") {
				l.killed = ""
				return errKilled
			}
			return nil
		},
	})
}

// tiers returns the tiers of the emulator's calls, in order.
func tiers(w *emulate.World) (all []string) {
	for _, c := range w.Gemini.Calls() {
		all = append(all, c.Tier)
	}
	w.Gemini.ResetCalls()
	return all
}

func wantTiers(t *testing.T, what string, w *emulate.World, want ...string) {
	t.Helper()
	if got := tiers(w); !slices.Equal(got, want) {
		t.Errorf("%s: the model was asked at %q, want %q", what, got, want)
	}
}

// verdicts scripts so many verdicts.
func verdicts(w *emulate.World, n int) {
	for range n {
		w.Gemini.Script(emulated.Answer{Text: `{"why":"so","score":3}`})
	}
}

// A refusal of a tier is stored, and the standard tier asked next; a run that dies in
// between resumes there.
func TestRefusedTier(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault emulated.Fault
	}{
		{"429", emulated.Fault{Type: emulated.RateLimited, Delay: time.Hour, Tier: "flex"}},
		{"503", emulated.Fault{Type: emulated.Unavailable, Tier: "flex"}},
		{"no answer", emulated.Fault{Type: emulated.TimeOut, Tier: "flex"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := emulate.Start(t, emulate.Gemini)
			c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond, FlexTimeout: 500 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			p, l := judge(t, c, "judge in {lang}"), &ledger{}
			w.Gemini.SetFaults(test.fault)

			verdicts(w, 1)
			if answer, err := p.Ask(l.run(t.Context()), call("verdict", korean)); err != nil || answer.Value.Score != 3 {
				t.Fatalf("Ask = %+v, %v; want the answer of the standard tier", answer, err)
			}
			wantTiers(t, "at once", w, "flex", "")

			l = &ledger{killed: "verdict"}
			if _, err := p.Ask(l.run(t.Context()), call("verdict", korean)); !errors.Is(err, errKilled) {
				t.Fatalf("Ask = %v, want it killed between the tiers", err)
			}
			wantTiers(t, "killed in between", w, "flex")
			verdicts(w, 1)
			if _, err := p.Ask(l.run(t.Context()), call("verdict", korean)); err != nil {
				t.Fatalf("Ask, delivered again = %v", err)
			}
			wantTiers(t, "delivered again", w, "")
			verdicts(w, 1)
			if _, err := p.Ask(l.run(t.Context()), call("another", korean)); err != nil {
				t.Fatalf("Ask for another step = %v", err)
			}
			wantTiers(t, "another step", w, "flex", "")
		})
	}
}

// A call for which a delivery has too little time is left to the next one, unless that
// would have no more time.
func TestTierAndTheTimeLeft(t *testing.T) {
	w := emulate.Start(t, emulate.Gemini)
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond, FlexTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	p, l := judge(t, c, "judge in {lang}"), &ledger{}
	short, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	verdicts(w, 1)
	ctx := l.run(short)
	if _, err := p.Ask(ctx, call("first", korean)); err != nil {
		t.Fatalf("the first call of a delivery = %v, want an answer", err)
	}
	wantTiers(t, "the first call, without the time for flex", w, "")
	var e *gemini.Error
	if _, err := p.Ask(ctx, call("second", korean)); !errors.As(err, &e) || e.Kind != gemini.Later {
		t.Fatalf("the second call of a delivery = %v, want later", err)
	}
	wantTiers(t, "the second call", w)
	verdicts(w, 1)
	if _, err := p.Ask(l.run(t.Context()), call("second", korean)); err != nil {
		t.Fatalf("the second call, delivered again = %v", err)
	}
	wantTiers(t, "the second call, delivered again", w, "flex")
}

// After a time-out at the flex tier, the standard tier is asked too if there is time.
func TestStandardTierAndTheTimeLeft(t *testing.T) {
	w := emulate.Start(t, emulate.Gemini)
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, CallTimeout: time.Hour, FlexTimeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	p, l := judge(t, c, "judge in {lang}"), &ledger{}
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.TimeOut, Tier: "flex"})
	short, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	var e *gemini.Error
	if _, err := p.Ask(l.run(short), call("verdict", korean)); !errors.As(err, &e) || e.Kind != gemini.Later {
		t.Fatalf("Ask = %v, want later", err)
	}
	wantTiers(t, "in a delivery without the time for both", w, "flex")
	verdicts(w, 1)
	if _, err := p.Ask(l.run(t.Context()), call("verdict", korean)); err != nil {
		t.Fatalf("Ask, delivered again = %v", err)
	}
	wantTiers(t, "delivered again", w, "")
}
