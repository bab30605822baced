package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/loopagent"
	"google.golang.org/adk/v2/agent/workflowagents/parallelagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/session"
)

var errBroken = errors.New("broken")

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

// does is an agent that does what do does.
func does(name string, do func(adk.InvocationContext) error) adk.Agent {
	return yields(name, func(ctx adk.InvocationContext, yield func(*session.Event, error) bool) {
		if err := do(ctx); err != nil {
			yield(nil, err)
		}
	})
}

func yields(name string, run func(adk.InvocationContext, func(*session.Event, error) bool)) adk.Agent {
	a, err := New(adk.Config{Name: name, Run: func(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) { run(ctx, yield) }
	}})
	if err != nil {
		panic(err)
	}
	return a
}

func greets(name string) adk.Agent {
	return does(name, func(ctx adk.InvocationContext) error {
		Output(ctx, "greeting", "hello from "+name)
		return nil
	})
}

func doubles(n int) adk.Agent {
	return does("doubler", func(ctx adk.InvocationContext) error {
		_, err := double.Call(ctx, n)
		return err
	})
}

func fails() adk.Agent {
	return does("failer", func(adk.InvocationContext) error { return errBroken })
}

func panics() adk.Agent {
	return does("panicker", func(adk.InvocationContext) error { panic("oops") })
}

func sequence(agents ...adk.Agent) adk.Agent {
	a, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{Name: "all", SubAgents: agents}})
	if err != nil {
		panic(err)
	}
	return Guard(a)
}

func loop(rounds uint, agents ...adk.Agent) adk.Agent {
	a, err := loopagent.New(loopagent.Config{MaxIterations: rounds, AgentConfig: adk.Config{Name: "all", SubAgents: agents}})
	if err != nil {
		panic(err)
	}
	return Guard(a)
}

func parallel(agents ...adk.Agent) adk.Agent {
	a, err := parallelagent.New(parallelagent.Config{AgentConfig: adk.Config{Name: "both", SubAgents: agents}})
	if err != nil {
		panic(err)
	}
	return Guard(a)
}

// watched runs a to its end or its first error.
func watched(ctx context.Context, a adk.Agent, watch func(*Event)) error {
	for e, err := range Run(ctx, a) {
		if err != nil {
			return err
		}
		Translate(e, watch)
	}
	return nil
}

// lines are a's events as "author kind" lines, an error as the last of them.
func lines(ctx context.Context, a adk.Agent) (lines []string) {
	err := watched(ctx, a, func(e *Event) { lines = append(lines, fmt.Sprintf("%s %s", e.Author, e.Kind)) })
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		lines = append(lines, "error "+message)
	}
	return lines
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name  string
		agent adk.Agent
		want  []string
	}{
		{"agent", greets("a"), []string{"a started", "a finished"}},
		{"tool", doubles(2), []string{"doubler started", "doubler tool_call", "doubler tool_result", "doubler finished"}},
		{"tool error", doubles(13), []string{"doubler started", "doubler tool_call", "doubler tool_result", "error doubler: double: broken"}},
		{"tool panic", doubles(0), []string{"doubler started", "doubler tool_call", "doubler tool_result", "error doubler: double: panic: nothing to double"}},
		{"panic", panics(), []string{"panicker started", "error panicker: panic: oops"}},
		{"sequence", sequence(greets("a"), greets("b")),
			[]string{"all started", "a started", "a finished", "b started", "b finished", "all finished"}},
		{"sequence stops at an error", sequence(fails(), greets("b")),
			[]string{"all started", "failer started", "error failer: broken"}},
		{"sequence stops at a panic", sequence(panics(), greets("b")),
			[]string{"all started", "panicker started", "error panicker: panic: oops"}},
		{"loop", loop(2, greets("a")), []string{"all started", "a started", "a finished", "a started", "a finished", "all finished"}},
		{"loop stops at an error", loop(2, greets("a"), fails()),
			[]string{"all started", "a started", "a finished", "failer started", "error failer: broken"}},
		{"no event", yields("a", func(_ adk.InvocationContext, yield func(*session.Event, error) bool) { yield(nil, nil) }),
			[]string{"a started", "a finished"}},
		{"goes on after an error", yields("a", func(_ adk.InvocationContext, yield func(*session.Event, error) bool) {
			if yield(nil, errBroken) {
				panic("asked for more")
			}
		}), []string{"a started", "error a: broken"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := lines(t.Context(), test.agent); !slices.Equal(got, test.want) {
				t.Errorf("events = %q, want %q", got, test.want)
			}
		})
	}
}

// A panic in one branch is the run's error, and ends neither the process nor
// anything that its caller has not begun.
func TestPanicInABranch(t *testing.T) {
	waits := does("waiter", func(ctx adk.InvocationContext) error { <-ctx.Done(); return ctx.Err() })
	got := lines(t.Context(), sequence(parallel(waits, panics()), greets("b")))
	if last := got[len(got)-1]; !strings.Contains(last, "panicker: panic: oops") || slices.Contains(got, "b started") {
		t.Errorf("events = %q, want the panic as the last, and no b", got)
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	if err := watched(t.Context(), sequence(doubles(13)), nil); !errors.Is(err, errBroken) {
		t.Errorf("Run = %v, want it to wrap %v", err, errBroken)
	}
}

func TestCancelledContextStartsNoStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	late := does("late", func(adk.InvocationContext) error { ran = true; return nil })
	cancels := does("canceller", func(adk.InvocationContext) error { cancel(); return nil })
	for range 2 { // in its middle, and from its beginning
		if err := watched(ctx, sequence(cancels, late), nil); !errors.Is(err, context.Canceled) || ran {
			t.Errorf("Run with a cancelled context = %v, ran %v; want %v, not run", err, ran, context.Canceled)
		}
	}
}

// A caller that stops listening ends the agent: its context is cancelled, its
// later events go nowhere, and the next agent is not started.
func TestCallerStopsEarly(t *testing.T) {
	var inner error
	chatty := does("chatty", func(ctx adk.InvocationContext) error {
		EmitUsage(ctx, Usage{})
		EmitUsage(ctx, Usage{})
		_, _ = double.Call(ctx, 2)
		inner = ctx.Err()
		return inner
	})
	seen := 0
	for e := range Run(t.Context(), sequence(chatty, panics())) {
		seen++
		if e.UsageMetadata != nil {
			break
		}
	}
	if seen != 3 || !errors.Is(inner, context.Canceled) {
		t.Errorf("after break at the third event: %d seen, the agent's context %v; want 3, %v", seen, inner, context.Canceled)
	}
}

// A panic of the loop over the events is the loop's own and is not swallowed,
// wherever it was that the event came from.
func TestCallersPanicPasses(t *testing.T) {
	for _, kind := range []Kind{Started, ToolCall, ToolResult, Finished} {
		func() {
			defer func() {
				if p := recover(); p != "the caller's" {
					t.Errorf("at %s: recovered %v, want the caller's panic", kind, p)
				}
			}()
			_ = watched(t.Context(), sequence(doubles(2)), func(e *Event) {
				if e.Author == "doubler" && e.Kind == kind {
					panic("the caller's")
				}
			})
			t.Errorf("at %s: the caller's panic was swallowed", kind)
		}()
	}
}

// Two agents written by hand, in a sequence, with a tool's call and an output each.
func BenchmarkRun(b *testing.B) {
	work := func(name string) adk.Agent {
		return does(name, func(ctx adk.InvocationContext) error {
			_, err := double.Call(ctx, 2)
			EmitUsage(ctx, Usage{Model: "m", InputTokens: 3})
			Output(ctx, name, "done")
			return err
		})
	}
	a := sequence(work("a"), work("b"))
	b.ReportAllocs()
	for b.Loop() {
		if err := watched(b.Context(), a, func(*Event) {}); err != nil {
			b.Fatal(err)
		}
	}
}
