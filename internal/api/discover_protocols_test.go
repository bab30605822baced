package api_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/internal/jobs"
)

// few are limits that end a discovery soon.
var few = map[string]any{"max_iterations": 1, "max_searches": 1, "max_pages": 8}

// discovering returns the API with discovery over a small emulated web.
func discovering(t *testing.T, change ...func(*api.Config)) *service {
	t.Helper()
	var p *discover.Pipeline
	open := func(context.Context) (*discover.Pipeline, error) { return p, nil }
	s := serve(t, func(c *api.Config) {
		c.Discover, c.Skills = open, append(c.Skills, discover.Skill(open))
		for _, f := range change {
			f(c)
		}
	})
	p = s.discovery()
	discover.Handle(s.dispatcher, open)
	return s
}

func (s *service) discovery() *discover.Pipeline {
	s.t.Helper()
	web, err := site.Start(site.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(web.Close)
	model, err := gemini.Open(s.t.Context(), gemini.Config{BaseURL: s.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		s.t.Fatal(err)
	}
	pages, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: web.Allow(), Delay: time.Millisecond, MaxDelay: time.Millisecond, Timeout: 2 * time.Second})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(pages.Close)
	db := s.FirestoreClient(s.t)
	p, err := discover.New(discover.Config{
		Gemini: model, Fetch: pages, Search: &discover.Brave{BaseURL: web.SearchURL(), Token: web.Token()}, Objects: blob.New(s.objects), Bucket: "results",
		DB: db, Runs: jobs.NewStore(db, jobs.Options{Collection: jobs.Runs}), Tasks: &queue.Publisher{Tasks: queue.NewTopic(s.PubSubClient(s.t).TopicAdminClient, tasksTopic)},
		Models: discover.Models{Thinking: "emulated-thinking", Structured: "emulated-structured", Relevance: "emulated-relevance"}, Portals: []discover.Portal{},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// By MCP a discovery is started, polled until it has its records, and cancelled.
func TestMCPDiscover(t *testing.T) {
	t.Parallel()
	s := discovering(t)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(name string, arguments map[string]any) (status agent.Status, o discover.Outcome, wrong string) {
		t.Helper()
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if got.IsError {
			return status, o, jsonOf(t, got.Content)
		}
		status = read[agent.Status](t, jsonOf(t, got.StructuredContent))
		if status.Output != nil {
			o = read[discover.Outcome](t, string(status.Output))
		}
		return status, o, ""
	}
	begun, _, wrong := call("start_discovery", map[string]any{"country": "Kenya", "sector": "waste", "limits": few})
	if begun.State != jobs.Working || wrong != "" {
		t.Fatalf("start_discovery = %+v, %s", begun, wrong)
	}
	if got, o, _ := call("get_discovery", map[string]any{"id": begun.ID}); got.State != jobs.Working || o.Found != nil || !strings.HasPrefix(got.Message, "planner, iteration 0") {
		t.Errorf("get_discovery of one that has begun = %+v, want it at the planner", got)
	}
	s.work()
	got, o, _ := call("get_discovery", map[string]any{"id": begun.ID})
	if got.State != jobs.Done || o.Found == nil || len(o.Found.Items) == 0 || o.Found.Items[0].Quote == "" || len(o.Found.Sources) == 0 || o.ResultURI == "" {
		t.Errorf("get_discovery of one that is over = %+v, want its records", got)
	}
	other, _, _ := call("start_discovery", map[string]any{"country": "Kenya", "sector": "afolu"})
	if _, o, wrong := call("cancel_discovery", map[string]any{"id": other.ID}); wrong != "" || o.State != "cancelling" {
		t.Errorf("cancel_discovery = %+v, %s", o, wrong)
	}
	s.work()
	if got, o, _ := call("get_discovery", map[string]any{"id": other.ID}); got.State != jobs.Canceled || o.Found == nil {
		t.Errorf("get_discovery of a cancelled one = %+v, want its result", got)
	}
	for says, of := range map[string]map[string]any{
		"bad_discovery: ": {"country": "Atlantis", "sector": "waste"}, "AR-X": {"region": "Córdoba", "sector": "waste"},
		"wrong input: ": {"country": 7}, "send one of afolu": {"country": "KR"},
	} {
		if _, _, wrong := call("start_discovery", of); !strings.Contains(wrong, says) {
			t.Errorf("start_discovery(%v) = %q, want an error with %q", of, wrong, says)
		}
	}
	if _, _, wrong := call("get_discovery", map[string]any{"id": "none"}); !strings.Contains(wrong, "discovery_not_found") {
		t.Errorf("get_discovery of none = %q", wrong)
	}
}

// By A2A a discovery is a task that stays working, reports progress, and ends with its
// result.
func TestA2ADiscover(t *testing.T) {
	t.Parallel()
	s := discovering(t)
	asked := func() *protocol.SendMessageRequest {
		return &protocol.SendMessageRequest{Message: protocol.NewMessage(protocol.MessageRoleUser, protocol.NewDataPart(map[string]any{"country": "Kenya", "sector": "waste", "limits": few}))}
	}
	for version, client := range s.clients() {
		var told []string
		work := sync.OnceFunc(s.work)
		kinds, last := shape(t, watched(client.SendStreamingMessage(t.Context(), asked()), func(e protocol.Event) {
			if u, ok := e.(*protocol.TaskStatusUpdateEvent); ok && u.Status.Message != nil {
				told = append(told, u.Status.Message.Parts[0].Text())
			}
			if len(told) == 1 {
				work()
			}
		}))
		if want := []string{"TASK_STATE_WORKING", "result", "TASK_STATE_COMPLETED"}; !slices.Equal(kinds, want) {
			t.Errorf("%s: events %q, want %q", version, kinds, want)
		}
		if len(told) < 2 || !strings.HasPrefix(told[0], "planner, iteration 0") || !strings.Contains(told[len(told)-1], "records of") {
			t.Errorf("%s: the task says %q, want how far it is", version, told)
		}
		got, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: last.TaskInfo().TaskID})
		if err != nil || got.Status.State != protocol.TaskStateCompleted {
			t.Fatalf("%s: task %+v, %v; want it completed", version, got, err)
		}
		if o := read[discover.Outcome](t, jsonOf(t, got.Artifacts[0].Parts[0].Data())); o.Found == nil || len(o.Found.Items) == 0 || o.Found.Items[0].Quote == "" {
			t.Errorf("%s: the artifact is %+v, want records", version, o)
		}
	}
}

// watched passes events to watch first.
func watched(events iter.Seq2[protocol.Event, error], watch func(protocol.Event)) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		for e, err := range events {
			if err == nil {
				watch(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// A result too large for a task is replaced by its address.
func TestA2ALargeDiscovery(t *testing.T) {
	t.Parallel()
	s := discovering(t)
	client := s.clients()["1.0"]
	begun, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: protocol.NewMessage(protocol.MessageRoleUser, protocol.NewDataPart(map[string]any{"country": "Kenya", "sector": "waste", "limits": few}))})
	if err != nil {
		t.Fatal(err)
	}
	s.work()
	run, _ := begun.(*protocol.Task).Metadata["run"].(string)
	name := "discoveries/" + run + "/result.json"
	r := read[discover.Result](t, string(s.object(&storage.ObjectAttrs{Bucket: "results", Name: name})))
	r.Reason = strings.Repeat("long ", 200_000)
	s.Put(t, "results", name, []byte(jsonOf(t, r)))
	got, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: begun.(*protocol.Task).ID})
	if err != nil || got.Status.State != protocol.TaskStateCompleted {
		t.Fatalf("task %+v, %v", got, err)
	}
	if o := read[discover.Outcome](t, jsonOf(t, got.Artifacts[0].Parts[0].Data())); o.Found != nil || o.ResultURI != "gs://results/"+name || o.Items == 0 {
		t.Errorf("the artifact is %+v, want where the result lies", o)
	}
}
