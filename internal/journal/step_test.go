package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
)

// One agent that works on two branches gets what is kept of each, whatever their
// order.
func TestBranchesAreToldApart(t *testing.T) {
	w := start(t)
	worker := w.agent(t, "worker")
	var order []string
	a := must(t)(agent.New(agent.Config{Name: "root", SubAgents: []agent.Agent{worker}, Run: func(ctx agent.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) {
			for _, branch := range order {
				for event, err := range worker.Run(ctx.WithICDelta(&agent.InvocationContextDelta{Branch: &branch})) {
					if !yield(event, err) {
						return
					}
				}
			}
		}
	}}))
	w.Script(emulator.Answer{Text: "of left"}, emulator.Answer{Text: "of right"})
	r := &record{}
	for _, order = range [][]string{{"left", "right"}, {"right", "left"}} {
		e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
		for _, event := range e.events {
			left, right := strings.Contains(event, `"branch":"left"`), strings.Contains(event, "of right")
			if e.err != nil || len(e.events) != 2 || left == right {
				t.Errorf("%q: %v, %s, want each branch its own", order, e.err, event)
			}
		}
	}
	if len(w.Calls()) != 2 {
		t.Errorf("%d calls, want 2", len(w.Calls()))
	}
}

// Of two calls of one agent tool at the same time, one was answered before the run
// was killed. The next run, where the other comes first, gives it to the right one.
func TestOuterCallsAreToldApart(t *testing.T) {
	w := start(t)
	first := make(chan struct{}) // closed when the agent whose turn is first has come through
	await := "of apples"
	var once sync.Once
	expert := must(t)(llmagent.New(llmagent.Config{Name: "expert", Mode: llmagent.ModeChat, Instruction: "know", Model: w.llm(), BeforeModelCallbacks: []llmagent.BeforeModelCallback{
		func(ctx agent.Context, r *model.LLMRequest) (*model.LLMResponse, error) {
			if strings.Contains(r.Contents[0].Parts[0].Text, await) {
				<-first
			}
			return nil, nil
		},
	}, AfterModelCallbacks: []llmagent.AfterModelCallback{func(ctx agent.Context, r *model.LLMResponse, err error) (*model.LLMResponse, error) {
		if !r.Partial {
			once.Do(func() { close(first) })
		}
		return nil, nil
	}}}))
	a := w.agent(t, "chief", agenttool.New(expert, nil))
	ask := func(id, request string) emulator.FunctionCall {
		return emulator.FunctionCall{ID: id, Name: "expert", Args: map[string]any{"request": request}}
	}
	for range 2 {
		w.Script(
			emulator.Answer{Match: asks("chief", 1, ""), Calls: []emulator.FunctionCall{ask("a", "of apples"), ask("b", "of pears")}},
			emulator.Answer{Match: asks("expert", 1, "of apples"), Text: "Apples are red."},
			emulator.Answer{Match: asks("expert", 1, "of pears"), Text: "Pears are green."},
			emulator.Answer{Match: asks("chief", 3, ""), Text: "Red and green."})
	}
	r := &record{}
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	j := r.journal(kill, 0, true)
	keep := j.Keep
	j.Keep = func(ctx context.Context, key string, value json.RawMessage) error {
		err := keep(ctx, key, value)
		if strings.Contains(string(value), "Pears") {
			kill()
			once.Do(func() { close(first) })
			return errKilled
		}
		return err
	}
	run(ctx, t, a, j, agent.StreamingModeNone)
	if len(r.kept) != 2 {
		t.Fatalf("kept %q, want the chief's answer and that of pears", r.keys)
	}
	first, once, await = make(chan struct{}), sync.Once{}, "of pears"
	e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
	if e.err != nil || e.last != "Red and green." || len(r.kept) != 6 {
		t.Errorf("ended with %q, %v, kept %q", e.last, e.err, r.keys)
	}
	want := `{"functionResponse":{"id":"a","name":"expert","response":{"result":"Apples are red."}}},{"functionResponse":{"id":"b","name":"expert","response":{"result":"Pears are green."}}}`
	if !strings.Contains(e.events[1], want) {
		t.Errorf("the tools' results are %s, want %s", e.events[1], want)
	}
}

// What a tool leaves in the session for this run only, which no event carries, is
// there again when its call is kept.
func TestTemporaryState(t *testing.T) {
	w := start(t)
	note, err := functiontool.New(functiontool.Config{Name: "look_up", Description: "notes"},
		func(ctx agent.Context, in struct{ Word string }) (map[string]any, error) {
			return map[string]any{"ok": true}, ctx.State().Set("temp:word", in.Word)
		})
	if err != nil {
		t.Fatal(err)
	}
	teller := must(t)(agent.New(agent.Config{Name: "teller", Run: func(ctx agent.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) {
			word, err := ctx.Session().State().Get("temp:word")
			event := session.NewEvent(ctx, ctx.InvocationID())
			event.Author, event.Content = "teller", genai.NewContentFromText(fmt.Sprint(word, err), genai.RoleModel)
			yield(event, nil)
		}
	}}))
	a := must(t)(sequentialagent.New(sequentialagent.Config{AgentConfig: agent.Config{Name: "both", SubAgents: []agent.Agent{w.agent(t, "reader", note), teller}}}))
	w.Script(
		emulator.Answer{Match: asks("reader", 1, ""), Calls: word("apple")},
		emulator.Answer{Match: asks("reader", 3, ""), Text: "Noted."})
	r := &record{}
	for range 2 {
		if e := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone); e.err != nil || e.last != "apple<nil>" {
			t.Errorf("ended with %q, %v, want what the tool left", e.last, e.err)
		}
	}
}

// A service that gives its calls the same ID in every round does not mix them up.
func TestIDsThatComeAgain(t *testing.T) {
	var calls atomic.Int32
	w := start(t)
	a := w.agent(t, "reader", lookUp(t, &calls))
	same := func(w string) []emulator.FunctionCall {
		calls := word(w)
		calls[0].ID = "call_1"
		return calls
	}
	w.Script(
		emulator.Answer{Match: asks("reader", 1, ""), Calls: same("apple")},
		emulator.Answer{Match: asks("reader", 3, ""), Calls: same("pear")},
		emulator.Answer{Match: asks("reader", 5, ""), Text: "Fruit."})
	r := &record{}
	first := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
	second := run(t.Context(), t, a, r.journal(nil, 0, true), agent.StreamingModeNone)
	if len(r.kept) != 5 || first.err != nil || second.err != nil || fmt.Sprint(first.events) != fmt.Sprint(second.events) {
		t.Errorf("%v, %v; kept %q; events\n%q\nand\n%q", first.err, second.err, r.keys, first.events, second.events)
	}
}

// A call that failed and is made again is the same round.
func TestRoundThatFailed(t *testing.T) {
	w := start(t)
	w.SetFaults(emulator.Fault{Type: emulator.Unavailable, Times: 1})
	r := &record{}
	ctx := journal.With(t.Context(), r.journal(nil, 0, true))
	m := w.llm()
	ask := func() (err error) {
		for _, err = range m.GenerateContent(ctx, &model.LLMRequest{Contents: genai.Text("?")}, false) {
		}
		return err
	}
	if err := ask(); err == nil {
		t.Fatal("the first call succeeded")
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if len(r.keys) != 1 || r.keys[0] != "#1" {
		t.Errorf("kept %q, want the first round", r.keys)
	}
}

// A caller that leaves in the middle of a stream is charged, and nothing is kept.
func TestCallerLeaves(t *testing.T) {
	w := start(t)
	w.Script(emulator.Answer{Text: strings.Repeat("word ", 200)})
	r := &record{}
	account := &gemini.Account{}
	ctx := journal.With(gemini.WithAccount(t.Context(), account), r.journal(nil, 0, true))
	for range w.llm().GenerateContent(ctx, &model.LLMRequest{Contents: genai.Text("?")}, true) {
		break
	}
	if len(r.keys) != 0 || account.Ledger().Usage.Total == 0 {
		t.Errorf("kept %q, charged %+v, want nothing kept and what was used", r.keys, account.Ledger())
	}
}

func TestToolsOfTheServiceStayAsTheyAre(t *testing.T) {
	search := searchTool{}
	if got := journal.Tool(search); got != tool.Tool(search) {
		t.Errorf("Tool(%T) = %T, want it as it is", search, got)
	}
}

// searchTool is a tool that the model's service runs.
type searchTool struct{}

func (searchTool) Name() string        { return "google_search" }
func (searchTool) Description() string { return "" }
func (searchTool) IsLongRunning() bool { return false }
func (searchTool) ProcessRequest(agent.Context, *model.LLMRequest) error {
	return errors.New("not asked")
}
