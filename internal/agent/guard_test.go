package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/parallelagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// yields returns a guarded ADK agent.
func yields(name string, run func(adk.InvocationContext, func(*session.Event, error) bool)) adk.Agent {
	a, err := adk.New(adk.Config{Name: name, Run: func(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) { run(ctx, yield) }
	}})
	if err != nil {
		panic(err)
	}
	return Guard(a)
}

// does returns a guarded agent that calls do.
func does(name string, do func(context.Context) error) adk.Agent {
	return yields(name, func(ctx adk.InvocationContext, yield func(*session.Event, error) bool) {
		if err := do(ctx); err != nil {
			yield(nil, err)
		}
	})
}

func nothing(name string) adk.Agent { return does(name, func(context.Context) error { return nil }) }

func inSequence(agents ...adk.Agent) adk.Agent {
	a, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{Name: "all", SubAgents: agents}})
	if err != nil {
		panic(err)
	}
	return Guard(a)
}

// runADK runs a and passes its events to watch, until watch returns false.
func runADK(ctx context.Context, a adk.Agent, watch func(*Event)) error {
	r, err := runner.New(runner.Config{AppName: "test", Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		return err
	}
	for e, err := range r.Run(ctx, "u", "s", nil, adk.RunConfig{}) {
		if err != nil {
			return err
		}
		Translate(e, watch)
	}
	return nil
}

func TestGuard(t *testing.T) {
	oops := does("panicker", func(context.Context) error { panic("oops") })
	waits := does("waiter", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	both, err := parallelagent.New(parallelagent.Config{AgentConfig: adk.Config{Name: "both", SubAgents: []adk.Agent{waits, oops}}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		agent adk.Agent
		want  []string // a branch that runs beside others may begin at any time
	}{
		{"sequence", inSequence(nothing("a"), nothing("b")), []string{"all started", "a started", "a finished", "b started", "b finished", "all finished"}},
		{"stops at an error", inSequence(does("failer", func(context.Context) error { return errBroken }), nothing("b")),
			[]string{"all started", "failer started", "error failer: broken"}},
		{"stops at a panic", inSequence(oops, nothing("b")), []string{"all started", "panicker started", "error panicker: panic: oops"}},
		{"no event", yields("a", func(_ adk.InvocationContext, yield func(*session.Event, error) bool) { yield(nil, nil) }),
			[]string{"a started", "a finished"}},
		{"goes on after an error", yields("a", func(_ adk.InvocationContext, yield func(*session.Event, error) bool) {
			if yield(nil, errBroken) {
				panic("asked for more")
			}
		}), []string{"a started", "error a: broken"}},
		{"an event of the user", yields("a", func(_ adk.InvocationContext, yield func(*session.Event, error) bool) {
			e := &session.Event{}
			e.Content = genai.NewContentFromFunctionResponse("double", map[string]any{"result": 4}, genai.RoleUser)
			yield(e, nil)
		}), []string{"a started", "a tool_result", "a finished"}},
	}
	for _, test := range tests {
		var got []string
		err := runADK(t.Context(), test.agent, func(e *Event) { got = append(got, fmt.Sprintf("%s %s", e.Author, e.Kind)) })
		if got = withError(got, err); !slices.Equal(got, test.want) {
			t.Errorf("%s: events = %q, want %q", test.name, got, test.want)
		}
	}

	// A panic in one branch is the run's error, and ends neither the process nor anything
	// that its caller has not begun.
	var got []string
	err = runADK(t.Context(), inSequence(Guard(both), nothing("b")), func(e *Event) { got = append(got, e.Author) })
	if err == nil || !strings.Contains(err.Error(), "panicker: panic: oops") || slices.Contains(got, "b") {
		t.Errorf("a panic in a branch: %v after events of %q, want the panic, and no b", err, got)
	}
}

// A panic of the loop over the events is the loop's own.
func TestGuardedCallersPanicPasses(t *testing.T) {
	for _, kind := range []Kind{Started, Finished} {
		func() {
			defer func() {
				if p := recover(); p != "the caller's" {
					t.Errorf("at %s: recovered %v, want the caller's panic", kind, p)
				}
			}()
			_ = runADK(t.Context(), inSequence(nothing("a")), func(e *Event) {
				if e.Author == "a" && e.Kind == kind {
					panic("the caller's")
				}
			})
			t.Errorf("at %s: the caller's panic was swallowed", kind)
		}()
	}
}
