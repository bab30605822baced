package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/genai"

	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
)

const modelName = "gemini-3.6-flash"

// world is an emulated service and a client of it.
type world struct {
	*emulator.Server
	client *gemini.Client
}

func start(t testing.TB) world {
	t.Helper()
	s, err := emulator.Start(emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "false")
	t.Setenv("GEMINI_API_KEY", "key")
	client, err := gemini.Open(t.Context(), gemini.Config{BaseURL: s.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return world{s, client}
}

// llm is the model of the agents of these tests.
func (w world) llm() model.LLM { return journal.LLM(w.client.LLM(modelName, gemini.Options{})) }

// agent is an agent of that name with these tools, all of them journaled. Without a
// mode ADK's runner would write one into it, a data race between two runs at once.
func (w world) agent(t testing.TB, name string, tools ...tool.Tool) agent.Agent {
	t.Helper()
	for i := range tools {
		tools[i] = journal.Tool(tools[i])
	}
	return must(t)(llmagent.New(llmagent.Config{
		Name: name, Description: "does " + name, Mode: llmagent.ModeChat, Model: w.llm(), Instruction: "do " + name, Tools: tools,
	}))
}

func must(t testing.TB) func(agent.Agent, error) agent.Agent {
	return func(a agent.Agent, err error) agent.Agent {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// asks is the match of an answer for an agent whose conversation has that many
// turns, and whose texts have this one.
func asks(agent string, turns int, text string) func(*emulator.Request) bool {
	return func(r *emulator.Request) bool {
		return strings.Contains(r.System, `"`+agent+`"`) && r.Turns == turns && strings.Contains(strings.Join(r.Texts, "\n"), text)
	}
}

// record is what a work record keeps for the runs of a journal.
type record struct {
	mu   sync.Mutex
	kept map[string]json.RawMessage
	keys []string // in the order they were kept
}

var errKilled = errors.New("killed")

// journal is the journal of a run that is killed with its keep-th value: just after
// the value is stored, or just before. With 0 it lives.
func (r *record) journal(kill func(), keep int, stored bool) journal.Journal {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, dead := 0, false
	return journal.Journal{Kept: maps.Clone(r.kept), Keep: func(_ context.Context, key string, value json.RawMessage) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		n++
		last := n == keep
		if dead || last && !stored {
			dead = true
			kill()
			return errKilled
		}
		if r.kept == nil {
			r.kept = map[string]json.RawMessage{}
		}
		r.kept[key] = value
		r.keys = append(r.keys, key)
		if last {
			dead = true
			kill()
			return errKilled
		}
		return nil
	}}
}

// models counts the calls of models that are kept, looked those of look_up.
func (r *record) models() (n int) {
	for key := range r.kept {
		if !strings.Contains(key[strings.LastIndex(key, ">")+1:], "(") {
			n++
		}
	}
	return n
}

func (r *record) looked() (n int) {
	for key := range r.kept {
		if strings.Contains(key[strings.LastIndex(key, ">")+1:], ".look_up(") {
			n++
		}
	}
	return n
}

// ended is how a run ended.
type ended struct {
	events  []string // as JSON, without what is new in each run
	partial int
	last    string // text
	err     error
	ledger  gemini.Ledger
}

// run runs a once with j.
func run(ctx context.Context, t testing.TB, a agent.Agent, j journal.Journal, mode agent.StreamingMode) ended {
	t.Helper()
	account := &gemini.Account{}
	ctx = journal.With(gemini.WithAccount(ctx, account), j)
	r, err := runner.NewInMemory("test", a)
	if err != nil {
		t.Fatal(err)
	}
	e := collect(journal.Events(ctx, r.Run(ctx, "user", "session", genai.NewContentFromText("begin", genai.RoleUser), agent.RunConfig{StreamingMode: mode})))
	e.ledger = account.Ledger()
	return e
}

func collect(events iter.Seq2[*session.Event, error]) ended {
	var e ended
	for event, err := range events {
		switch {
		case err != nil:
			e.err = err
		case event.Partial:
			e.partial++
		default:
			e.events = append(e.events, plain(event))
			if event.Content != nil && len(event.Content.Parts) > 0 && event.Content.Parts[0].Text != "" {
				e.last = event.Content.Parts[0].Text
			}
		}
	}
	return e
}

// plain is an event without its IDs and time. The IDs of functions' calls stay.
func plain(e *session.Event) string {
	bare := *e
	bare.ID, bare.InvocationID, bare.Timestamp = "", "", time.Time{}
	data, err := json.Marshal(bare)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
