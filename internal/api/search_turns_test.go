package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/session"
)

// conversing returns the API over the shop of searching, which keeps conversations. Of the searches
// by A2A's queue, those that lost says lose their answer after they have ended.
func conversing(t *testing.T, lost *atomic.Bool) *service {
	t.Helper()
	var s *service
	skill := search.Skill(func(context.Context) (*search.Pipeline, error) { return s.search, nil })
	run := skill.Run
	skill.Run = func(ctx context.Context, input []byte, emit func(*agent.Event)) (json.RawMessage, error) {
		out, err := run(ctx, input, emit)
		if err == nil && lost.Swap(false) {
			return nil, &gemini.Error{Kind: gemini.Unavailable, Err: context.DeadlineExceeded}
		}
		return out, err
	}
	s = agentsWith(t, func(c *api.Config) { c.Times.Linger = time.Minute }, skill)
	s.shelve()
	db := s.FirestoreClient(t)
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err == nil {
		s.search, err = search.New(search.Config{Gemini: s.model, Catalog: catalog.New(db), Indexes: &index.Shops{Catalog: catalog.New(db), Space: space.ID(), Freshness: time.Nanosecond}, Space: space, Shop: "test", Model: "emulated-image", Sessions: session.New(db, session.Options{})})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A stream that was cut behind "more expensive ones please" and is sent again with the same turn does not apply it
// twice, and one whose client has left is not remembered, though others linger.
func TestTurnsOfStreams(t *testing.T) {
	t.Parallel()
	s := conversing(t, new(atomic.Bool))
	for _, path := range []string{"/search", "/skills/search"} {
		ask := func(q search.Request) search.Result {
			t.Helper()
			all := s.streamed("POST", path, jsonOf(t, q), "Content-Type", "application/json")
			return read[search.Result](t, all[len(all)-2].data)
		}
		first := ask(search.Request{Query: "sunglasses for men", Session: search.NewSession})
		q := search.Request{Query: "more expensive ones please", Session: first.Session, Turn: "one"}
		dearer := ask(q)
		if again := ask(q); dearer.Count == 0 || again.Summary != dearer.Summary || len(again.Warnings) > 0 {
			t.Errorf("%s: sent again: %s %q; want %s", path, again.Summary, again.Warnings, dearer.Summary)
		}
		s.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Kind: answers.KindIntent, Delay: 500 * time.Millisecond})
		ctx, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
		request := s.request("POST", path, jsonOf(t, search.Request{Query: "red glasses for women please", Session: first.Session}), "Content-Type", "application/json", "Accept", "text/event-stream")
		if resp, err := http.DefaultClient.Do(request.WithContext(ctx)); err == nil {
			events(t, resp.Body, func(event) bool { return false })
			resp.Body.Close()
		}
		leave()
		s.Gemini.SetFaults()
		time.Sleep(600 * time.Millisecond) // the search would have ended
		if sorted := ask(search.Request{Session: first.Session, After: "0", Sort: search.PriceUp}); sorted.ExtractedAttributes.Gender != "men" || sorted.ExtractedAttributes.Color != "" {
			t.Errorf("%s: in another order: %s; want %s", path, sorted.Summary, dearer.Summary)
		}
	}
}

// A message of A2A that is sent again, and a task that is delivered again after its search has ended,
// meet what was there before them.
func TestTurnsOfA2A(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	s := conversing(t, &lost)
	client := s.clients()["1.0"]
	conversation := uuid.NewString()
	say := func(words string) *protocol.Message {
		m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewTextPart(words))
		m.ContextID, m.Metadata = conversation, map[string]any{"skill": "search"}
		return m
	}
	ask := func(m *protocol.Message, queued bool) search.Result {
		t.Helper()
		got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m, Config: &protocol.SendMessageConfig{ReturnImmediately: queued}})
		if err != nil {
			t.Fatal(err)
		}
		task := got.(*protocol.Task)
		if queued {
			s.mu.Lock()
			tasks := s.tasks
			s.tasks = nil
			s.mu.Unlock()
			for _, m := range append(tasks, tasks...) {
				if err := s.dispatcher.Dispatch(t.Context(), m); err == nil {
					break
				}
			}
			if task, err = client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: task.ID}); err != nil {
				t.Fatal(err)
			}
		}
		i := slices.IndexFunc(task.Artifacts, func(a *protocol.Artifact) bool { return a.Name == "result" })
		if i < 0 {
			t.Fatalf("%+v, want a result", task.Status)
		}
		return read[search.Result](t, jsonOf(t, task.Artifacts[i].Parts[0].Data()))
	}
	ask(say("sunglasses for men"), false)
	m := say("more expensive ones please")
	dearer := ask(m, false)
	if again := ask(m, false); dearer.Count == 0 || again.Summary != dearer.Summary {
		t.Errorf("sent again: %s, want %s", again.Summary, dearer.Summary)
	}
	lost.Store(true)
	twice := ask(say("cheaper"), true)
	if lost.Load() {
		t.Fatal("no answer was lost")
	}
	ask(say("sunglasses for men"), false)
	ask(say("more expensive ones please"), false)
	if once := ask(say("cheaper"), false); twice.Summary != once.Summary {
		t.Errorf("delivered again: %s; delivered once: %s", twice.Summary, once.Summary)
	}
}
