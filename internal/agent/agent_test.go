package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var errBroken = errors.New("broken")

const greeting Key[string] = "greeting"

// double doubles a number, refuses 13 and panics at 0.
var double = Tool[int, int]{Name: "double", Do: func(_ context.Context, n int) (int, error) {
	switch n {
	case 13:
		return 0, errBroken
	case 0:
		panic("nothing to double")
	}
	return 2 * n, nil
}}

func greets(name string) Agent {
	return Step(name, func(_ context.Context, t *Turn) error {
		greeting.Set(t.Session, "hello from "+name)
		t.Output("hello")
		return nil
	})
}

func doubles(n int) Agent {
	return Step("doubler", func(ctx context.Context, t *Turn) error {
		_, err := double.Call(ctx, t, n)
		return err
	})
}

func fails() Agent {
	return Step("failer", func(context.Context, *Turn) error { return errBroken })
}

func panics() Agent {
	return Step("panicker", func(context.Context, *Turn) error { panic("oops") })
}

// events is a's events as "author kind" lines, an error as the last of them.
func events(ctx context.Context, a Agent) []string {
	var lines []string
	for e, err := range a.Run(ctx, NewSession()) {
		if err != nil {
			message, _, _ := strings.Cut(err.Error(), "\n")
			lines = append(lines, "error "+message)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s", e.Author, e.Kind))
	}
	return lines
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name  string
		agent Agent
		want  []string
	}{
		{"step", greets("a"), []string{"a started", "a finished"}},
		{"tool", doubles(2), []string{"doubler started", "doubler tool_call", "doubler tool_result", "doubler finished"}},
		{"tool error", doubles(13), []string{"doubler started", "doubler tool_call", "doubler tool_result", "error doubler: double: broken"}},
		{"tool panic", doubles(0), []string{"doubler started", "doubler tool_call", "doubler tool_result", "error doubler: double: panic: nothing to double"}},
		{"step panic", panics(), []string{"panicker started", "error panicker: panic: oops"}},
		{"sequence", Sequence("all", greets("a"), greets("b")),
			[]string{"all started", "a started", "a finished", "b started", "b finished", "all finished"}},
		{"sequence stops at an error", Sequence("all", fails(), greets("b")),
			[]string{"all started", "failer started", "error failer: broken"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := events(t.Context(), test.agent); !slices.Equal(got, test.want) {
				t.Errorf("events = %q, want %q", got, test.want)
			}
		})
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	err := Run(t.Context(), Sequence("all", doubles(13)), NewSession(), nil)
	if !errors.Is(err, errBroken) {
		t.Errorf("Run = %v, want it to wrap %v", err, errBroken)
	}
}

func TestCancelledContextStartsNoStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	a := Step("late", func(context.Context, *Turn) error { ran = true; return nil })
	if err := Run(ctx, a, NewSession(), nil); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("Run with a cancelled context = %v, ran %v; want %v, not run", err, ran, context.Canceled)
	}
}

// A caller that stops listening ends the step: its context is cancelled, its
// later events go nowhere, and the next agent is not started.
func TestCallerStopsEarly(t *testing.T) {
	var stepErr error
	chatty := Step("chatty", func(ctx context.Context, t *Turn) error {
		t.Emit(Event{Kind: ModelUsage})
		t.Emit(Event{Kind: ModelUsage})
		stepErr = ctx.Err()
		return stepErr
	})
	seen := 0
	for e := range Sequence("all", chatty, panics()).Run(t.Context(), NewSession()) {
		seen++
		if e.Kind == ModelUsage {
			break
		}
	}
	if seen != 3 || !errors.Is(stepErr, context.Canceled) {
		t.Errorf("after break at the third event: %d seen, step's context %v; want 3, %v", seen, stepErr, context.Canceled)
	}
}

// A panic of the loop over the events is the loop's own and is not swallowed.
func TestCallersPanicPasses(t *testing.T) {
	defer func() {
		if p := recover(); p != "the caller's" {
			t.Errorf("recovered %v, want the caller's panic", p)
		}
	}()
	for e := range doubles(2).Run(t.Context(), NewSession()) {
		if e.Kind == ToolCall {
			panic("the caller's")
		}
	}
	t.Error("the caller's panic was swallowed")
}

func TestKey(t *testing.T) {
	s := NewSession()
	if got, ok := greeting.Get(s); ok {
		t.Errorf("Get of an unset key = %q, true", got)
	}
	if err := Run(t.Context(), greets("a"), s, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := greeting.Get(s); got != "hello from a" {
		t.Errorf("Get = %q, want the step's greeting", got)
	}
}
