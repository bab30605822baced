package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/loopagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/exitlooptool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
	"example.com/whatis/internal/work"
)

var errDown = errors.New("the archive is down")

// failing is a tool that does fail until it is mended.
func failing(t testing.TB, mended *atomic.Bool, fail func(context.Context) error) tool.Tool {
	t.Helper()
	made, err := functiontool.New(functiontool.Config{Name: "look_up", Description: "looks up"},
		func(ctx agent.Context, _ struct{ Word string }) (map[string]any, error) {
			if mended.Load() {
				return map[string]any{"means": "found"}, nil
			}
			if err := ctx.State().Set("tried", true); err != nil {
				return nil, err
			}
			return nil, fail(ctx)
		})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// What ends a run ends it with that error, before the model hears of it, and is not
// kept: the next run calls the tool again and no model for what was answered.
func TestFaultsOfToolsEndTheRun(t *testing.T) {
	tests := []struct {
		name string
		fail func(context.Context) error
		is   func(error) bool
	}{
		{"passing", func(context.Context) error { return journal.Passing(errDown) }, func(err error) bool { return errors.Is(err, errDown) }},
		{"wrapped", func(context.Context) error { return fmt.Errorf("look up: %w", journal.Passing(errDown)) }, func(err error) bool { return errors.Is(err, errDown) }},
		{"a model that is down", func(context.Context) error { return &gemini.Error{Kind: gemini.Unavailable} }, kind(gemini.Unavailable)},
		{"a model that may not be asked", func(context.Context) error { return &gemini.Error{Kind: gemini.Unauthorized} }, kind(gemini.Unauthorized)},
		{"a journal that is full", func(ctx context.Context) error {
			full := journal.With(ctx, journal.Journal{Keep: func(context.Context, string, json.RawMessage) error { return work.ErrTooLarge }})
			_, err := journal.Once(full, "page", func(context.Context) (int, error) { return 1, nil })
			return err
		}, func(err error) bool { return errors.Is(err, work.ErrTooLarge) && strings.Contains(err.Error(), "page") }},
		{"a panic", func(context.Context) error { panic("boo") }, func(err error) bool {
			return strings.Contains(err.Error(), "look_up panicked: boo") && !strings.Contains(err.Error(), "goroutine")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var mended atomic.Bool
			w := start(t)
			a := w.agent(t, "reader", failing(t, &mended, tt.fail))
			w.Script(
				emulator.Answer{Match: asks("reader", 1, ""), Calls: word("apple")},
				emulator.Answer{Match: asks("reader", 3, ""), Text: "So sorry."})
			r := &record{}
			e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
			if e.err == nil || !tt.is(e.err) || len(e.events) != 1 || len(w.Calls()) != 1 {
				t.Errorf("ended with %v after %d calls and the events %q, want the fault after one call", e.err, len(w.Calls()), e.events)
			}
			if len(r.kept) != 1 {
				t.Errorf("kept %q, want the model's answer only", r.keys)
			}
			mended.Store(true)
			e = run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
			if e.err != nil || len(w.Calls()) != 2 || !strings.Contains(e.events[1], "found") {
				t.Errorf("mended: %v after %d calls and %q, want the tool's result and one call more", e.err, len(w.Calls()), e.events)
			}
		})
	}
}

func kind(k gemini.Kind) func(error) bool {
	return func(err error) bool {
		var e *gemini.Error
		return errors.As(err, &e) && e.Kind == k
	}
}

// What lies in the contents is the model's to deal with, and kept.
func TestErrorsForTheModel(t *testing.T) {
	for _, fault := range []error{errors.New("no such word"), &gemini.Error{Kind: gemini.Blocked}, context.DeadlineExceeded} {
		var mended atomic.Bool
		w := start(t)
		a := w.agent(t, "reader", failing(t, &mended, func(context.Context) error { return fault }))
		w.Script(
			emulator.Answer{Match: asks("reader", 1, ""), Calls: word("apple")},
			emulator.Answer{Match: asks("reader", 3, ""), Text: "So sorry."})
		r := &record{}
		first := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
		mended.Store(true)
		second := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
		for _, e := range []ended{first, second} {
			if e.err != nil || e.last != "So sorry." || !strings.Contains(e.events[1], fault.Error()) {
				t.Errorf("%v: ended with %q, %v and %q, want the model's answer to it", fault, e.last, e.err, e.events)
			}
		}
	}
}

// A tool that leaves the loop in the same breath does not hide the fault of another,
// and nothing runs after it.
func TestFaultBesideExitLoop(t *testing.T) {
	var mended atomic.Bool
	w := start(t)
	exit, err := exitlooptool.New()
	if err != nil {
		t.Fatal(err)
	}
	looping := must(t)(loopagent.New(loopagent.Config{AgentConfig: agent.Config{
		Name: "loop", SubAgents: []agent.Agent{w.agent(t, "reader", failing(t, &mended, func(context.Context) error { return journal.Passing(errDown) }), exit)},
	}}))
	a := must(t)(sequentialagent.New(sequentialagent.Config{AgentConfig: agent.Config{Name: "both", SubAgents: []agent.Agent{looping, w.agent(t, "writer")}}}))
	w.Script(emulator.Answer{Match: asks("reader", 1, ""), Calls: append(word("apple"), emulator.FunctionCall{Name: "exit_loop"})})
	r := &record{}
	e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
	if !errors.Is(e.err, errDown) || len(w.Calls()) != 1 || len(e.events) != 1 {
		t.Errorf("ended with %v after %d calls and %q, want the fault after one", e.err, len(w.Calls()), e.events)
	}
	if len(r.kept) != 2 {
		t.Errorf("kept %q, want the answer and exit_loop", r.keys)
	}
}

// Even where nobody heeds [journal.Events] the model is not asked to apologise, nor
// is the result of the agent that it was for.
func TestFaultInsideAnAgentTool(t *testing.T) {
	for _, skip := range []bool{false, true} {
		t.Run(fmt.Sprintf("skip summarization %v", skip), func(t *testing.T) {
			var mended atomic.Bool
			w := start(t)
			expert := w.agent(t, "expert", failing(t, &mended, func(context.Context) error { return journal.Passing(errDown) }))
			a := w.agent(t, "chief", agenttool.New(expert, &agenttool.Config{SkipSummarization: skip}))
			w.Script(
				emulator.Answer{Match: asks("chief", 1, ""), Calls: []emulator.FunctionCall{{Name: "expert", Args: map[string]any{"request": "of apples"}}}},
				emulator.Answer{Match: asks("expert", 1, ""), Calls: word("apple")})
			r := &record{}
			ctx := journal.With(t.Context(), r.journal(nil, 0, true))
			in, err := runner.NewInMemory("test", a)
			if err != nil {
				t.Fatal(err)
			}
			e := collect(in.Run(ctx, "user", "session", genai.NewContentFromText("begin", genai.RoleUser), agent.RunConfig{}))
			if !errors.Is(e.err, errDown) || !errors.Is(journal.Fault(ctx), errDown) || len(w.Calls()) != 2 {
				t.Errorf("ended with %v, fault %v, after %d calls, want the fault after two; events %q", e.err, journal.Fault(ctx), len(w.Calls()), e.events)
			}
			if r.models() != 2 || len(r.kept) != 2 {
				t.Errorf("kept %q, want the two answers", r.keys)
			}
		})
	}
}

// An agent tool whose agent leaves its loop beside the fault has a result all the
// same: it is not kept, and the run ends.
func TestFaultThatAnAgentToolDoesNotTell(t *testing.T) {
	var mended atomic.Bool
	w := start(t)
	exit, err := exitlooptool.New()
	if err != nil {
		t.Fatal(err)
	}
	expert := w.agent(t, "expert", failing(t, &mended, func(context.Context) error { return journal.Passing(errDown) }), exit)
	a := w.agent(t, "chief", agenttool.New(expert, nil))
	w.Script(
		emulator.Answer{Match: asks("chief", 1, ""), Calls: []emulator.FunctionCall{{Name: "expert", Args: map[string]any{"request": "of apples"}}}},
		emulator.Answer{Match: asks("expert", 1, ""), Calls: append(word("apple"), emulator.FunctionCall{Name: "exit_loop"})})
	r := &record{}
	e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
	if !errors.Is(e.err, errDown) || len(w.Calls()) != 2 || len(r.kept) != 3 {
		t.Errorf("ended with %v after %d calls, kept %q, want the fault after two, and the answers and exit_loop kept", e.err, len(w.Calls()), r.keys)
	}
}

// The error of a model that an agent tool asks keeps its type through ADK's texts.
func TestModelOfAnAgentToolIsDown(t *testing.T) {
	w := start(t)
	a := w.agent(t, "chief", agenttool.New(w.agent(t, "expert"), nil))
	w.Script(
		emulator.Answer{Match: asks("chief", 1, ""), Calls: []emulator.FunctionCall{{Name: "expert", Args: map[string]any{"request": "of apples"}}}},
		emulator.Answer{Match: asks("expert", 1, ""), Fault: &emulator.Fault{Type: emulator.Unavailable}})
	r := &record{}
	e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
	if e.err == nil || !kind(gemini.Unavailable)(e.err) || len(r.kept) != 1 {
		t.Errorf("ended with %v, kept %q, want %s and the first answer", e.err, r.keys, gemini.Unavailable)
	}
}

func TestJournalThatIsFullOrUnreadable(t *testing.T) {
	w := start(t)
	a := w.agent(t, "reader")
	full := journal.Journal{Keep: func(context.Context, string, json.RawMessage) error {
		return fmt.Errorf("%w: it would keep 2000000 bytes", work.ErrTooLarge)
	}}
	e := run(t.Context(), t, a, full, agent.StreamingModeNone)
	if !errors.Is(e.err, work.ErrTooLarge) || !strings.Contains(e.err.Error(), "journal: reader#1: ") {
		t.Errorf("a full journal: %v, want work.ErrTooLarge and the key", e.err)
	}
	for _, kept := range []string{`{`, `{"Value":7}`, `{"Large":"elsewhere"}`} {
		spoilt := journal.Journal{Kept: map[string]json.RawMessage{"reader#1": json.RawMessage(kept)}}
		e := run(t.Context(), t, a, spoilt, agent.StreamingModeNone)
		if e.err == nil || !strings.Contains(e.err.Error(), "journal: reader#1: ") {
			t.Errorf("kept %s: %v, want an error with the key", kept, e.err)
		}
	}
}

// Where no run has begun everything is as ADK has it.
func TestWithoutAJournal(t *testing.T) {
	var mended atomic.Bool
	w := start(t)
	a := w.agent(t, "reader", failing(t, &mended, func(context.Context) error { return journal.Passing(errDown) }))
	w.Script(
		emulator.Answer{Match: asks("reader", 1, ""), Calls: word("apple")},
		emulator.Answer{Match: asks("reader", 3, ""), Text: "So sorry."})
	in, err := runner.NewInMemory("test", a)
	if err != nil {
		t.Fatal(err)
	}
	e := collect(journal.Events(t.Context(), in.Run(t.Context(), "user", "session", genai.NewContentFromText("begin", genai.RoleUser), agent.RunConfig{})))
	if e.err != nil || e.last != "So sorry." {
		t.Errorf("ended with %q, %v, want ADK's own way", e.last, e.err)
	}
}
