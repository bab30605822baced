package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/gemini"
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

// A step of the tests works on how many greetings there were.
type step = Step[int]

func greets(name string) step {
	return step{Name: name, Do: func(_ context.Context, n *int) error { *n++; return nil },
		Key: "greetings", Output: func(n *int) any { return *n }}
}

func doubles(n int) step {
	return step{Name: "doubler", Do: func(ctx context.Context, _ *int) error {
		_, err := double.Call(ctx, n)
		return err
	}}
}

func fails() step {
	return step{Name: "failer", Do: func(context.Context, *int) error { return errBroken }}
}

func panics() step {
	return step{Name: "panicker", Do: func(context.Context, *int) error { panic("oops") }}
}

func sequence(steps ...step) step { return step{Name: "all", Steps: steps} }

// lines returns a's events as "author kind" lines, with an error as the last.
func lines(ctx context.Context, a step) (lines []string) {
	err := a.Run(ctx, new(int), func(e *Event) { lines = append(lines, fmt.Sprintf("%s %s", e.Author, e.Kind)) })
	return withError(lines, err)
}

func withError(lines []string, err error) []string {
	if err == nil {
		return lines
	}
	message, _, _ := strings.Cut(err.Error(), "\n")
	return append(lines, "error "+message)
}

// ask sends a an empty message by ADK's runner, and passes its events to use.
func ask(ctx context.Context, a step, sessions session.Service, use func(*session.Event)) error {
	made, err := a.Agent(func(ctx context.Context, _ *genai.Content) (context.Context, *int, error) { return ctx, new(int), nil }, func(n *int) any { return *n })
	if err != nil {
		return err
	}
	r, err := runner.New(runner.Config{AppName: "test", Agent: made, SessionService: sessions, AutoCreateSession: true})
	if err != nil {
		return err
	}
	for e, err := range r.Run(ctx, "u", "s", nil, adk.RunConfig{}) {
		if err != nil {
			return err
		}
		use(e)
	}
	return nil
}

func TestSteps(t *testing.T) {
	tests := []struct {
		name string
		step step
		want []string
	}{
		{"one", greets("a"), []string{"a started", "a finished"}},
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
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := lines(t.Context(), test.step); !slices.Equal(got, test.want) {
				t.Errorf("events = %q, want %q", got, test.want)
			}
			var byADK []string
			err := ask(t.Context(), test.step, session.InMemoryService(), func(e *session.Event) {
				Translate(e, func(e *Event) { byADK = append(byADK, fmt.Sprintf("%s %s", e.Author, e.Kind)) })
			})
			if byADK = withError(byADK, err); !slices.Equal(byADK, test.want) {
				t.Errorf("events of ADK's runner = %q, want %q", byADK, test.want)
			}
			unwatched := test.step.Run(t.Context(), new(int), nil)
			if got := withError(nil, unwatched); len(got) > 0 && got[0] != test.want[len(test.want)-1] || len(got) == 0 && strings.HasPrefix(test.want[len(test.want)-1], "error") {
				t.Errorf("without anybody watching: %q, want it to end as %q", got, test.want)
			}
		})
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	all := sequence(doubles(13))
	if err := all.Run(t.Context(), new(int), nil); !errors.Is(err, errBroken) {
		t.Errorf("Run = %v, want it to wrap %v", err, errBroken)
	}
}

func TestCancelledContextStartsNoStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	all := sequence(
		step{Name: "canceller", Do: func(context.Context, *int) error { cancel(); return nil }},
		step{Name: "late", Do: func(context.Context, *int) error { ran = true; return nil }},
	)
	for range 2 { // in its middle, and from its beginning
		if err := all.Run(ctx, new(int), nil); !errors.Is(err, context.Canceled) || ran {
			t.Errorf("Run with a cancelled context = %v, ran %v; want %v, not run", err, ran, context.Canceled)
		}
	}
}

// An ADK caller that stops iterating ends the agent: its context is cancelled, its later
// events are dropped, and the next step is not begun.
func TestCallerStopsEarly(t *testing.T) {
	var inner error
	chatty := step{Name: "chatty", Do: func(ctx context.Context, _ *int) error {
		emitUsage(ctx, &gemini.Response{})
		emitUsage(ctx, &gemini.Response{})
		_, _ = double.Call(ctx, 2)
		inner = ctx.Err()
		return nil
	}}
	all := sequence(chatty, panics())
	made, err := all.Agent(func(ctx context.Context, _ *genai.Content) (context.Context, *int, error) { return ctx, new(int), nil }, func(n *int) any { return *n })
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.New(runner.Config{AppName: "test", Agent: made, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for e := range r.Run(t.Context(), "u", "s", nil, adk.RunConfig{}) {
		seen++
		if e.UsageMetadata != nil {
			break
		}
	}
	if seen != 3 || !errors.Is(inner, context.Canceled) {
		t.Errorf("after break at the third event: %d seen, the agent's context %v; want 3, %v", seen, inner, context.Canceled)
	}
}

// A panic of watch is not recovered, at whichever event.
func TestWatchersPanicPasses(t *testing.T) {
	for _, kind := range []Kind{Started, ToolCall, ToolResult, Finished} {
		func() {
			defer func() {
				if p := recover(); p != "the caller's" {
					t.Errorf("at %s: recovered %v, want the caller's panic", kind, p)
				}
			}()
			all := sequence(doubles(2))
			_ = all.Run(t.Context(), new(int), func(e *Event) {
				if e.Author == "doubler" && e.Kind == kind {
					panic("the caller's")
				}
			})
			t.Errorf("at %s: the caller's panic was swallowed", kind)
		}()
	}
}

// ADK stores of a run the outputs of its steps, their tool calls and responses, and the
// result; it lists the steps by their names.
func TestStepsInASession(t *testing.T) {
	service := session.InMemoryService()
	all := sequence(greets("a"), doubles(2), greets("b"))
	var last string
	if err := ask(t.Context(), all, service, func(e *session.Event) { last = Text(e) }); err != nil {
		t.Fatal(err)
	}
	kept, err := service.Get(t.Context(), &session.GetRequest{AppName: "test", UserID: "u", SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	var authors []string
	for e := range kept.Session.Events().All() {
		authors = append(authors, e.Author)
	}
	if want := []string{"a", "doubler", "doubler", "b", "all"}; !slices.Equal(authors, want) {
		t.Errorf("the session keeps events of %q, want two outputs, a call and its response, and the result: %q", authors, want)
	}
	if got, err := kept.Session.State().Get("greetings"); got != 2 || err != nil || last != "2" {
		t.Errorf("the state has %v greetings, %v, and the last event says %q; want 2", got, err, last)
	}
	made, err := all.Agent(nil, nil)
	if err != nil || len(made.SubAgents()) != 3 || made.FindAgent("doubler") == nil {
		t.Errorf("Agent = %v, %v; want one with its three steps", made, err)
	}
	if err := runADK(t.Context(), made.FindAgent("doubler"), nil); !errors.Is(err, errNotAsked) {
		t.Errorf("a step that is asked for itself = %v, want %v", err, errNotAsked)
	}
}

// Two steps, with a tool's call, a model's usage and an output each, watched and not.
func BenchmarkRun(b *testing.B) {
	work := func(name string) step {
		return step{Name: name, Output: func(*int) any { return "done" }, Do: func(ctx context.Context, _ *int) error {
			_, err := double.Call(ctx, 2)
			emitUsage(ctx, &gemini.Response{Model: "m"})
			return err
		}}
	}
	a := sequence(work("a"), work("b"))
	for name, watch := range map[string]func(*Event){"watched": func(*Event) {}, "unwatched": nil} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := a.Run(b.Context(), new(int), watch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
