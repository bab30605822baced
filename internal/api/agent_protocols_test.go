package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/web"
)

// agents returns the API with A2A and MCP.
func agents(t *testing.T, more ...agent.Skill) *service {
	t.Helper()
	return agentsWith(t, func(*api.Config) {}, more...)
}

// agentsWith is agents with another change of the configuration.
func agentsWith(t *testing.T, change func(*api.Config), more ...agent.Skill) *service {
	t.Helper()
	var s *service
	s = serve(t, change, func(c *api.Config) {
		c.Skills = append(c.Skills, more...)
		router := sync.OnceValues(func() (*a2a.Router, error) { return a2a.NewRouter(s.model, "emulated-image") })
		c.Route = func(ctx context.Context, words string, among []agent.Card) (a2a.Routed, error) {
			r, err := router()
			if err != nil {
				return a2a.Routed{}, err
			}
			return r.Route(ctx, words, among)
		}
		c.Publish = func(ctx context.Context, task queue.Task) error {
			publisher := &queue.Publisher{Tasks: queue.NewTopic(s.PubSubClient(t).TopicAdminClient, tasksTopic)}
			return publisher.Publish(ctx, task)
		}
	})
	s.dispatcher.Handle(a2a.TaskAgent, a2a.TaskKind, s.api.DeliverA2A)
	return s
}

// clients returns the SDK's clients for both protocol versions, configured by the agent
// card.
func (s *service) clients() map[string]*a2aclient.Client {
	s.t.Helper()
	resolver := agentcard.NewResolver(http.DefaultClient)
	resolver.CardParser = a2av0.NewAgentCardParser()
	all := map[string]*a2aclient.Client{}
	for version, option := range map[string]a2aclient.FactoryOption{
		"1.0": nil, "0.3": a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}),
	} {
		card, err := resolver.Resolve(s.t.Context(), s.url)
		if err != nil {
			s.t.Fatal(err)
		}
		var options []a2aclient.FactoryOption
		if option != nil {
			options = append(options, option)
		}
		card.SupportedInterfaces = slices.DeleteFunc(card.SupportedInterfaces, func(i *protocol.AgentInterface) bool { return string(i.ProtocolVersion) != version })
		client, err := a2aclient.NewFromCard(s.t.Context(), card, options...)
		if err != nil {
			s.t.Fatalf("%s: %v", version, err)
		}
		all[version] = client
	}
	return all
}

// shape returns the kinds of events, without repetitions, and the last event.
func shape(t *testing.T, events iter.Seq2[protocol.Event, error]) (kinds []string, last protocol.Event) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		kind := ""
		switch e := e.(type) {
		case *protocol.Task:
			kind = e.Status.State.String()
		case *protocol.TaskStatusUpdateEvent:
			kind = e.Status.State.String()
		case *protocol.TaskArtifactUpdateEvent:
			kind = e.Artifact.Name
		case *protocol.Message:
			kind = "message"
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
		last = e
	}
	return kinds, last
}

// Both versions analyse a photo with all events, and can then get the task, which contains
// a hash of the photo.
func TestA2AAnalyze(t *testing.T) {
	t.Parallel()
	s := agents(t)
	width := 40
	for version, client := range s.clients() {
		width++
		photo := picture(t, width)
		part := protocol.NewRawPart(photo)
		part.MediaType = "image/jpeg"
		m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewTextPart("What is it?"), part, protocol.NewDataPart(map[string]any{"lang": "en"}))
		kinds, last := shape(t, client.SendStreamingMessage(t.Context(), &protocol.SendMessageRequest{Message: m}))
		want := []string{"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "events", "result", "TASK_STATE_COMPLETED"}
		if !slices.Equal(kinds, want) {
			t.Fatalf("%s: events %q, want %q", version, kinds, want)
		}
		task, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: last.TaskInfo().TaskID})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		data, _ := json.Marshal(task)
		result := task.Artifacts[len(task.Artifacts)-1].Parts[0].Data().(map[string]any)
		if result["lang"] != "en" || result["inference_time"] == nil || task.Status.State != protocol.TaskStateCompleted {
			t.Errorf("%s: task %s, want the result in English", version, data)
		}
		kept, _ := json.Marshal(photo)
		if strings.Contains(string(data), string(kept[1:40])) || !strings.Contains(string(data), `"sha256"`) || !strings.Contains(string(data), "What is it?") {
			t.Errorf("%s: history %s, want the words and a hash", version, data)
		}
		again, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if got, ok := again.(*protocol.Task); !ok || got.Status.State != protocol.TaskStateCompleted || len(got.Artifacts) == 0 {
			t.Errorf("%s: SendMessage = %+v, want a completed task", version, again)
		}
	}
}

// Who follows a photo by A2A or MCP is told what is read while the model writes; the task does not
// keep it.
func TestPartialsOfProtocols(t *testing.T) {
	t.Parallel()
	s := agents(t)
	s.in.Limits.MaxPixels = 1 << 20
	photo := samples.All()[0].Bytes()
	const known = "Brindlemoor, Sea Salt Oat Crackers, "
	for version, client := range s.clients() {
		part := protocol.NewRawPart(photo)
		part.MediaType = "image/jpeg"
		m := protocol.NewMessage(protocol.MessageRoleUser, part, protocol.NewDataPart(map[string]any{"fresh": true}))
		last, task := "", protocol.TaskID("")
		for e, err := range client.SendStreamingMessage(t.Context(), &protocol.SendMessageRequest{Message: m}) {
			if err != nil {
				t.Fatal(err)
			}
			task = e.TaskInfo().TaskID
			if u, ok := e.(*protocol.TaskStatusUpdateEvent); ok && u.Status.Message != nil {
				data, _ := json.Marshal(u.Status.Message)
				last = string(data)
			}
		}
		if !strings.Contains(last, `"kind":"partial"`) || !strings.Contains(last, `"name_as_printed":"Sea Salt Oat Crackers"`) {
			t.Errorf("%s: the last message is %s, want what was read", version, last)
		}
		there, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: task})
		if data, _ := json.Marshal(there); err != nil || strings.Contains(string(data), `"partial"`) {
			t.Errorf("%s: the task is %s, %v; want it without what was read before the end", version, data, err)
		}
	}
	progress := make(chan string, 1000)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Message },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	params := &mcp.CallToolParams{Name: "analyze_image", Arguments: map[string]any{"image": photo, "fresh": true}}
	params.SetProgressToken("photo")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	for told := ""; !strings.Contains(told, "image_analyzer: partial "+known); {
		select {
		case told = <-progress:
		case <-time.After(10 * time.Second):
			t.Fatalf("MCP tells of no progress with %q", known)
		}
	}
}

// Several files are analysed one by one; a gs:// address is read from the bucket.
func TestA2AFiles(t *testing.T) {
	t.Parallel()
	s := agents(t)
	s.upload("a.jpg", picture(t, 44))
	client := s.clients()["1.0"]
	m := protocol.NewMessage(protocol.MessageRoleUser,
		protocol.NewFileURLPart("gs://uploads/a.jpg", "image/jpeg"), protocol.NewRawPart(picture(t, 45)), protocol.NewRawPart([]byte("no photo")))
	got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]any{}
	for _, a := range got.(*protocol.Task).Artifacts {
		if a.Name == "result" {
			fields := a.Parts[0].Data().(map[string]any)
			results[string(a.ID)] = fields["code"]
		}
	}
	if fmt.Sprint(results) != "map[result-1:<nil> result-2:<nil> result-3:not_an_image]" {
		t.Errorf("results %v, want two and a problem", results)
	}
}

// Errors have their code and reveal no internals.
func TestA2AErrors(t *testing.T) {
	t.Parallel()
	s := agents(t, echo())
	send := func(message string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":` + message + `}}`
	}
	parts := func(parts string) string { return send(`{"messageId":"m","role":"ROLE_USER","parts":[` + parts + `]}`) }
	former := func(parts string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[` + parts + `]}}}`
	}
	tests := []struct {
		body string
		code int
		want string
	}{
		{`{`, -32700, ""},
		{`{"jsonrpc":"1.0","id":1,"method":"GetTask"}`, -32600, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"Nothing"}`, -32601, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/nothing"}`, -32601, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":7}}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"none"}}`, -32001, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"none"}}`, -32001, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"a","message":{"role":"user","parts":[{"type":"video"}]}}}`, -32602, "want text, file or data"},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"a"}}`, -32602, "role must be user"},
		{`{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"none"}}`, -32001, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"a","url":"https://a"}}`, -32003, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`, -32602, "want {id"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[1]}`, -32602, "must be an object"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}`, -32602, "params.id is missing"},
		{`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"none","historyLength":-1}}`, -32602, "historyLength is -1"},
		{`{"jsonrpc":"2.0","id":1,"method":"CancelTask"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":"a"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":[1],"method":"GetTask","params":{}}`, -32600, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"status":"TASK_STATE_DONE"}}`, -32602, "status is"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"status":"completed"}}`, -32602, "status is"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"status":5}}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":0}}`, -32602, "want 1 to 100"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":-1}}`, -32602, "want 1 to 100"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":101}}`, -32602, "want 1 to 100"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":1e99}}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"nonsense"}}`, -32602, "pageToken is invalid"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"historyLength":-1}}`, -32602, "want 0 or more"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"statusTimestampAfter":"yesterday"}}`, -32602, "a time that is none"},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"statusTimestampAfter":1690000000}}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"statusTimestampAfter":"2026-02-30T00:00:00Z"}}`, -32602, "a time that is none"},
		{`{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}`, -32007, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"message/send"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"historyLength":-3},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}}`, -32602, "historyLength is -3"},
		{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"returnImmediately":"yes"},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}}`, -32602, ""},
		{parts(`{"raw":"no base64!"}`), -32602, "no base64"},
		{parts(`{"url":""}`), -32602, "a part must be one of"},
		{parts(`{"text":5}`), -32602, ""},
		{former(`{"kind":"file","file":{"bytes":"no base64!"}}`), -32602, "no base64"},
		{former(`{"kind":"file"}`), -32602, "a part must be one of"},
		{send(`null`), -32602, "message is missing"},
		{parts(``), -32602, "parts is missing or empty"},
		{parts(`{"text":"a","raw":"YQ=="}`), -32602, "a part must be one of"},
		{former(`{"kind":"video"}`), -32602, "a part must be one of"},
		{parts(`{"url":"http://169.254.169.254/secret"}`), -32602, "must begin with gs://"},
		{parts(`{"url":"gs://other/a.jpg"}`), -32602, "not"},
		{parts(`{"raw":"bm8gcGhvdG8="}`), -32602, "send a photo"},
		{parts(`{"data":{"policy":"lax","uri":"gs://uploads/a.jpg"}}`), -32602, "does not equal any of"},
		{parts(`{"data":[1]}`), -32602, "must be a JSON object"},
		{send(`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}],"metadata":{"skill":"dance"}}`), -32602, "the skills are analyze, analyze_batch, echo"},
		{send(`{"messageId":"m","taskId":"none","role":"ROLE_USER","parts":[{"text":"a"}]}`), -32001, ""},
		{parts(`{"data":{"words":""}}`), -32603, "something here is broken"},
	}
	for _, path := range []string{"/a2a", "/"} {
		for _, test := range tests {
			resp, body := s.ask("POST", path, test.body, "Content-Type", "application/json")
			var got struct {
				Error struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.Error.Code != test.code || !strings.Contains(got.Error.Message, test.want) || strings.Contains(body, "the secret") {
				t.Errorf("POST %s %.120s = %s %s, want %d with %q", path, test.body, resp.Status, body, test.code, test.want)
			}
		}
	}
	const get = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"none"}}`
	for version, want := range map[string]string{"": "-32001", "1.0": "-32001", "1.0.1": "-32001", "0.3": "-32001", "0.2": "-32009", "1.1": "-32009", "2.0": "-32009", "10": "-32009", "x": "-32009"} {
		if _, body := s.ask("POST", "/a2a", get, "Content-Type", "application/json", "A2A-Version", version); !strings.Contains(body, want) {
			t.Errorf("A2A-Version %q: %s, want %s", version, body, want)
		}
	}
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/a2a", strings.Repeat(" ", 31<<20+1), 413}, {"GET", "/a2a", "", 405}, {"PUT", "/mcp", "", 405},
		{"GET", "/.well-known/agent.json", "", 200}, {"POST", "/.well-known/agent.json", "{}", 200}, {"DELETE", "/.well-known/agent-card.json", "", 405},
	} {
		if resp, body := s.ask(test.method, test.path, test.body); resp.StatusCode != test.status {
			t.Errorf("%s %s = %s %.200s, want %d", test.method, test.path, resp.Status, body, test.status)
		}
	}
}

// A message that matches no skill is answered with an introduction; text that is JSON
// counts as data.
func TestA2AWords(t *testing.T) {
	t.Parallel()
	s := agents(t, echo())
	client := s.clients()["1.0"]
	say := func(text string) protocol.SendMessageResult {
		got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: protocol.NewMessage(protocol.MessageRoleUser, protocol.NewTextPart(text))})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if m, ok := say("Hello!").(*protocol.Message); !ok || !strings.Contains(m.Parts[0].Text(), "analyze_batch: ") {
		t.Errorf("Hello = %+v, want the skills", m)
	}
	task, ok := say(`{"words":"a","times":10}`).(*protocol.Task)
	if !ok || task.Status.State != protocol.TaskStateFailed || !strings.HasPrefix(task.Status.Message.Parts[0].Text(), "something here is broken; the log says what (error_id ") {
		t.Errorf("a skill that fails = %+v, want a failed task", task)
	}
}

// The method names of the protocol's first version.
func TestA2AFirstVersion(t *testing.T) {
	t.Parallel()
	s := agents(t, echo())
	call := func(method, id string) string {
		_, body := s.ask("POST", "/", `{"jsonrpc":"2.0","id":"c","method":"`+method+`","params":{"id":"`+id+`","sessionId":"s",
			"message":{"role":"user","parts":[{"type":"data","data":{"words":"hi","times":2}}]}}}`)
		return body
	}
	got := read[struct {
		Result struct {
			ID, SessionID string
			Status        struct{ State string }
			Artifacts     []struct {
				Name  string
				Parts []struct {
					Type string
					Data map[string]any
				}
			}
		}
	}](t, call("tasks/send", "mine/1")).Result
	if got.ID != "mine/1" || got.SessionID != "s" || got.Status.State != "completed" || len(got.Artifacts) != 2 ||
		got.Artifacts[1].Parts[0].Type != "data" || got.Artifacts[1].Parts[0].Data["words"] != "hi" {
		t.Errorf("tasks/send = %+v", got)
	}
	if again := call("tasks/send", "mine/1"); !strings.Contains(again, "-32602") {
		t.Errorf("the same ID again = %s, want it refused", again)
	}
	var states []string
	for _, line := range strings.Split(call("tasks/sendSubscribe", "mine/2"), "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		e := read[struct {
			Result struct {
				ID       string
				Final    bool
				Status   struct{ State string }
				Artifact struct{ Name string }
			}
		}](t, data).Result
		states = append(states, fmt.Sprintf("%s%s %v", e.Status.State, e.Artifact.Name, e.Final))
		if e.ID != "mine/2" {
			t.Errorf("event %s, want it of the task", data)
		}
	}
	want := []string{"submitted false", "working false", "events false", "events false", "result false", "completed true"}
	if !slices.Equal(states, want) {
		t.Errorf("tasks/sendSubscribe: %q, want %q", states, want)
	}
	_, body := s.ask("POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"mine/2"}}`)
	if !strings.Contains(body, `"state":"completed"`) {
		t.Errorf("tasks/get = %s", body)
	}
}

// A long-running skill that is asked twice under one ID begins one run.
func TestA2ALongUnderOneID(t *testing.T) {
	t.Parallel()
	talk := &conversations{}
	s := agents(t, agent.NewLongSkill(agent.Card{ID: "talk", Name: "Talk"}, func(context.Context) (agent.Runs[words, words], error) { return talk, nil }))
	for _, want := range []string{`"state":"working"`, "-32602"} {
		if _, body := s.ask("POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"mine","metadata":{"skill":"talk"},"message":{"role":"user","parts":[{"type":"text","text":"hi"}]}}}`); !strings.Contains(body, want) {
			t.Errorf("tasks/send = %s, want %s", body, want)
		}
	}
	n := 0
	talk.runs.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}

// waiter returns a skill that runs until it is cancelled.
func waiter() agent.Skill {
	return agent.NewSkill(agent.Card{ID: "wait", Name: "Wait"}, func(ctx context.Context, _ struct {
		For string `json:"for"`
	}, emit func(*agent.Event)) (string, error) {
		emit(&agent.Event{Author: "waiter", Kind: agent.Started})
		<-ctx.Done()
		return "", errors.New("wait: interrupted")
	})
}

// A task that one instance processes can be cancelled and followed at another.
func TestA2ACancelElsewhere(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore)
	instance := func() string {
		return listen(t, api.New(api.Config{
			Skills: []agent.Skill{waiter()}, Times: web.Times{Poll: 5 * time.Millisecond, Linger: time.Millisecond},
			Tasks: a2a.NewStore(func(context.Context) (*firestore.Client, error) { return w.FirestoreClient(t), nil }, jobs.Options{Retain: time.Hour}),
		}))
	}
	client := func(url string) *a2aclient.Client {
		c, err := a2aclient.NewFromEndpoints(t.Context(), []*protocol.AgentInterface{protocol.NewAgentInterface(url+"/a2a", protocol.TransportProtocolJSONRPC)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	here, elsewhere := client(instance()), client(instance())
	m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewDataPart(map[string]any{"for": "ever"}))
	m.ContextID = "c"
	var id protocol.TaskID
	kinds, _ := shape(t, func(yield func(protocol.Event, error) bool) {
		for e, err := range here.SendStreamingMessage(t.Context(), &protocol.SendMessageRequest{Message: m}) {
			if err == nil && id == "" {
				id = e.TaskInfo().TaskID
			}
			if a, ok := e.(*protocol.TaskArtifactUpdateEvent); ok && a.Artifact.Name == "events" {
				list, err := elsewhere.ListTasks(t.Context(), &protocol.ListTasksRequest{ContextID: "c", Status: protocol.TaskStateWorking})
				if err != nil || len(list.Tasks) != 1 || list.Tasks[0].ID != id || list.TotalSize != 1 {
					t.Errorf("ListTasks = %+v, %v; want the task", list, err)
				}
				task, err := elsewhere.CancelTask(t.Context(), &protocol.CancelTaskRequest{ID: id})
				if err != nil || task.Status.State != protocol.TaskStateCanceled {
					t.Errorf("CancelTask = %+v, %v", task, err)
				}
			}
			if !yield(e, err) {
				return
			}
		}
	})
	if want := []string{"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "events", "TASK_STATE_CANCELED"}; !slices.Equal(kinds, want) {
		t.Errorf("events %q, want %q", kinds, want)
	}
	for _, r := range []*protocol.ListTasksRequest{{}, {Status: protocol.TaskStateCanceled}, {ContextID: "c"}} {
		if list, err := elsewhere.ListTasks(t.Context(), r); err != nil || len(list.Tasks) != 1 {
			t.Errorf("ListTasks(%+v) = %+v, %v; want the task", r, list, err)
		}
	}
}

// A long-running skill answers with a working task, which follows the state of its run.
func TestA2ALong(t *testing.T) {
	t.Parallel()
	s := agents(t)
	s.upload("a.jpg", picture(t, 46))
	client := s.clients()["0.3"]
	start := func() *protocol.Task {
		got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: protocol.NewMessage(protocol.MessageRoleUser, protocol.NewDataPart(map[string]any{"prefix": "gs://uploads/"}))})
		if err != nil {
			t.Fatal(err)
		}
		task := got.(*protocol.Task)
		if task.Status.State != protocol.TaskStateWorking {
			t.Fatalf("task %+v, want it working", task)
		}
		return task
	}
	done := start()
	s.work()
	got, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: done.ID})
	if err != nil || got.Status.State != protocol.TaskStateCompleted || got.Artifacts[0].Parts[0].Data().(map[string]any)["id"] == nil {
		t.Errorf("task %+v, %v; want it completed with the batch", got, err)
	}
	if _, err := client.CancelTask(t.Context(), &protocol.CancelTaskRequest{ID: done.ID}); err == nil {
		t.Error("a completed task is canceled")
	}
	canceled := start()
	if _, err := client.CancelTask(t.Context(), &protocol.CancelTaskRequest{ID: canceled.ID}); err != nil {
		t.Error(err)
	}
	s.work()
	if got, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: canceled.ID}); err != nil || got.Status.State != protocol.TaskStateCanceled {
		t.Errorf("task %+v, %v; want it canceled", got, err)
	}
}

// One body asks for one call, whatever version of the protocol it is of.
func TestMCPBatches(t *testing.T) {
	t.Parallel()
	s := agents(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, version := range []string{"", "2025-03-26", "2025-06-18"} {
		for body, want := range map[string]int{call: http.StatusOK, " " + call: http.StatusOK, "[" + call + "]": http.StatusBadRequest, "\n\t [" + call + "," + call + "]": http.StatusBadRequest, "[": http.StatusBadRequest} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if version != "" {
				r.Header.Set("Mcp-Protocol-Version", version)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if refused := strings.Contains(string(answer), `"code":-32600`); resp.StatusCode != want || refused != (want == http.StatusBadRequest) {
				t.Errorf("version %q, %q: %d, %s; want %d", version, body, resp.StatusCode, answer, want)
			}
		}
	}
}

// Every skill is a tool with its schemas, progress and errors.
func TestMCP(t *testing.T) {
	t.Parallel()
	s := agents(t)
	s.upload("a.jpg", picture(t, 47))
	progress := make(chan string, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Message },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("tool %+v, want its schemas", tool)
		}
	}
	if want := []string{"analyze_batch", "analyze_batch_cancel", "analyze_batch_status", "analyze_image"}; !slices.Equal(names, want) {
		t.Errorf("tools %q, want %q", names, want)
	}
	call := func(name string, arguments map[string]any) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: arguments}
		params.SetProgressToken(name)
		got, err := session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := call("analyze_image", map[string]any{"image": picture(t, 48), "lang": "en"})
	if fields, _ := got.StructuredContent.(map[string]any); got.IsError || fields["lang"] != "en" {
		t.Errorf("analyze_image = %+v", got)
	}
	if first := <-progress; first != "product_analyzer: started" {
		t.Errorf("progress begins with %q", first)
	}
	for _, wrong := range []map[string]any{{}, {"image": []byte("no photo")}, {"uri": "gs://other/a.jpg"}, {"url": "http://a"}} {
		if got := call("analyze_image", wrong); !got.IsError || len(got.Content) != 1 {
			t.Errorf("analyze_image(%v) = %+v, want an error", wrong, got)
		}
	}
	run := call("analyze_batch", map[string]any{"prefix": "gs://uploads/"}).StructuredContent.(map[string]any)
	s.work()
	if got := call("analyze_batch_status", map[string]any{"id": run["id"]}).StructuredContent.(map[string]any); got["state"] != "done" {
		t.Errorf("analyze_batch_status = %v, want it done", got)
	}
	if got := call("analyze_batch_cancel", map[string]any{"id": "none"}); !got.IsError {
		t.Errorf("analyze_batch_cancel of none = %+v", got)
	}
}
