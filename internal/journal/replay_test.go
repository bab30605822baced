package journal_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/loopagent"
	"google.golang.org/adk/v2/agent/workflowagents/parallelagent"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/exitlooptool"
	"google.golang.org/adk/v2/tool/functiontool"

	emulator "example.com/whatis/emulators/gemini"
)

// A scenario is a tree of agents, what its models answer, and what that comes to.
type scenario struct {
	agent   agent.Agent
	answers []emulator.Answer
	calls   int           // of models
	tools   *atomic.Int32 // counts the calls of tools
	runs    int           // of tools
	last    string
}

type place struct {
	Name string
	Far  bool
}

// lookUp is a tool that counts its calls and leaves a struct in the state.
func lookUp(t testing.TB, calls *atomic.Int32) tool.Tool {
	t.Helper()
	made, err := functiontool.New(functiontool.Config{Name: "look_up", Description: "looks up"},
		func(ctx agent.Context, in struct{ Word string }) (map[string]any, error) {
			calls.Add(1)
			if err := ctx.State().Set("found_"+in.Word, place{in.Word, true}); err != nil {
				return nil, err
			}
			if in.Word == "" {
				return nil, errors.New("look_up wants a Word")
			}
			return map[string]any{"means": "about " + in.Word}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func word(w string) []emulator.FunctionCall {
	return []emulator.FunctionCall{{Name: "look_up", Args: map[string]any{"Word": w}}}
}

var signature = []byte("thought of it")

// loop counts 1, 2, 3 and leaves.
func loop(t testing.TB, w world) scenario {
	exit, err := exitlooptool.New()
	if err != nil {
		t.Fatal(err)
	}
	return scenario{
		agent: must(t)(loopagent.New(loopagent.Config{MaxIterations: 5, AgentConfig: agent.Config{
			Name: "loop", SubAgents: []agent.Agent{w.agent(t, "counter", exit)},
		}})),
		answers: []emulator.Answer{
			{Match: asks("counter", 1, ""), Text: "1"},
			{Match: asks("counter", 3, ""), Text: "2"},
			{Match: asks("counter", 4, ""), Text: "3", Calls: []emulator.FunctionCall{{Name: "exit_loop"}}, Signature: signature},
		},
		calls: 3, tools: &atomic.Int32{}, last: "3",
	}
}

// pair looks two words up at the same time.
func pair(t testing.TB, w world) scenario {
	var calls atomic.Int32
	return scenario{
		agent: must(t)(parallelagent.New(parallelagent.Config{AgentConfig: agent.Config{
			Name: "pair", SubAgents: []agent.Agent{w.agent(t, "left", lookUp(t, &calls)), w.agent(t, "right", lookUp(t, &calls))},
		}})),
		answers: []emulator.Answer{
			{Match: asks("left", 1, ""), Calls: word("apple"), Signature: signature},
			{Match: asks("left", 3, ""), Text: "same"},
			{Match: asks("right", 1, ""), Calls: word("pear"), Signature: signature},
			{Match: asks("right", 3, ""), Text: "same"},
		},
		calls: 4, tools: &calls, runs: 2, last: "same",
	}
}

// toolCall looks one word up wrongly, which the model is told, and then two at once.
func toolCall(t testing.TB, w world) scenario {
	var calls atomic.Int32
	return scenario{
		agent: w.agent(t, "reader", lookUp(t, &calls)),
		answers: []emulator.Answer{
			{Match: asks("reader", 1, ""), Calls: word("")},
			{Match: asks("reader", 3, ""), Calls: append(word("apple"), word("pear")...), Signature: signature},
			{Match: asks("reader", 5, ""), Text: "Both are fruit."},
		},
		calls: 3, tools: &calls, runs: 3, last: "Both are fruit.",
	}
}

// agentTool asks one expert two things at once; the expert looks each of them up.
func agentTool(t testing.TB, w world) scenario {
	var calls atomic.Int32
	expert := w.agent(t, "expert", lookUp(t, &calls))
	ask := func(request string) emulator.FunctionCall {
		return emulator.FunctionCall{Name: "expert", Args: map[string]any{"request": request}}
	}
	return scenario{
		agent: w.agent(t, "chief", agenttool.New(expert, nil)),
		answers: []emulator.Answer{
			{Match: asks("chief", 1, ""), Text: "Let me ask.", Calls: []emulator.FunctionCall{ask("of apples"), ask("of pears")}, Signature: signature},
			{Match: asks("expert", 1, "of apples"), Calls: word("apple"), Signature: signature},
			{Match: asks("expert", 3, "of apples"), Text: "Apples are red."},
			{Match: asks("expert", 1, "of pears"), Calls: word("pear")},
			{Match: asks("expert", 3, "of pears"), Text: "Pears are green."},
			{Match: asks("chief", 3, ""), Text: "Red and green."},
		},
		calls: 6, tools: &calls, runs: 2, last: "Red and green.",
	}
}

// Killed with every value it keeps, just after it is stored or just before, a run is
// taken up by another that asks no model and calls no tool for what is kept, ends the
// same and is charged the same.
func TestKilledRunsPayOnce(t *testing.T) {
	for name, make := range map[string]func(testing.TB, world) scenario{"loop": loop, "pair": pair, "tool": toolCall, "agenttool": agentTool} {
		for _, mode := range []agent.StreamingMode{agent.StreamingModeNone, agent.StreamingModeSSE} {
			t.Run(fmt.Sprintf("%s %s", name, mode), func(t *testing.T) {
				p := process{make, mode}
				whole := &record{}
				want := p.run(t, whole, 0, true)
				want.wantEnd(t)
				for keep := 1; keep <= len(whole.keys); keep++ {
					p.killAndGoOn(t, want, keep, true)
					p.killAndGoOn(t, want, keep, false)
				}
				again := p.run(t, whole, 0, true)
				if again.sameEnd(t, "all kept", want); again.asked != 0 || again.tools.Load() != 0 || again.partial != 0 {
					t.Errorf("all kept: %d calls, %d of tools, %d partial events, want none", again.asked, again.tools.Load(), again.partial)
				}
			})
		}
	}
}

// A process runs a scenario, with agents and a service of its own each time: what is
// in flight when it is killed is no matter of the next.
type process struct {
	make func(testing.TB, world) scenario
	mode agent.StreamingMode
}

// An exit is what came of a process.
type exit struct {
	scenario
	ended
	asked int // calls that reached the service
}

// run runs the scenario with a record, killed with the keep-th value.
func (p process) run(t *testing.T, r *record, keep int, stored bool) exit {
	t.Helper()
	w := start(t)
	s := p.make(t, w)
	w.Script(s.answers...)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	e := run(ctx, t, s.agent, r.journal(kill, keep, stored), p.mode)
	return exit{s, e, len(w.Calls())}
}

func (e exit) wantEnd(t *testing.T) {
	t.Helper()
	if e.err != nil || e.ended.last != e.scenario.last || e.ledger.Calls.Generate != e.calls || int(e.tools.Load()) != e.runs {
		t.Fatalf("ended with %q, %v after %d calls and %d of tools, want %q after %d and %d; events\n%s", e.ended.last, e.err,
			e.ledger.Calls.Generate, e.tools.Load(), e.scenario.last, e.calls, e.runs, strings.Join(e.events, "\n"))
	}
}

func (p process) killAndGoOn(t *testing.T, want exit, keep int, stored bool) {
	t.Helper()
	what := fmt.Sprintf("killed with value %d, stored %v", keep, stored)
	r := &record{}
	if first := p.run(t, r, keep, stored); first.err == nil {
		t.Errorf("%s: the run lived", what)
	}
	models, tools, before := r.models(), r.looked(), slices.Clone(r.keys)
	second := p.run(t, r, 0, true)
	second.sameEnd(t, what, want)
	if second.asked != want.calls-models || int(second.tools.Load()) != want.runs-tools {
		t.Errorf("%s: %d calls of %d and %d of %d tools, kept were %q", what, second.asked, want.calls, second.tools.Load(), want.runs, before)
	}
	if slices.Sort(r.keys); len(slices.Compact(r.keys)) != len(r.kept) || len(r.keys) != len(r.kept) {
		t.Errorf("%s: a key was kept twice: %q", what, r.keys)
	}
}

func (got exit) sameEnd(t *testing.T, what string, want exit) {
	t.Helper()
	if got.err != nil || got.ended.last != want.ended.last {
		t.Errorf("%s: ended with %q, %v, want %q", what, got.ended.last, got.err, want.ended.last)
	}
	if a, b := sorted(got.events), sorted(want.events); !reflect.DeepEqual(a, b) {
		t.Errorf("%s: events\n%s\nwant\n%s", what, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	if !reflect.DeepEqual(got.ledger, want.ledger) {
		t.Errorf("%s: ledger %+v, want %+v", what, got.ledger, want.ledger)
	}
}

// sorted are events by branch: those of two branches have no order.
func sorted(events []string) []string {
	branch := func(e string) string {
		_, after, _ := strings.Cut(e, `"branch":"`)
		name, _, _ := strings.Cut(after, `"`)
		return name
	}
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b string) int { return cmp.Compare(branch(a), branch(b)) })
	return events
}
