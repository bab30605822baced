package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/minds"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/room"
	"example.com/whatis/internal/room/echo"
	"example.com/whatis/internal/skill"
	"example.com/whatis/internal/task"
	"example.com/whatis/internal/topic"
)

// echoMind is what the emulated model answers to the agent echo.
type echoMind struct{}

func (echoMind) Kinds(r *emulated.Request) []emulated.Kind {
	properties, _ := r.ResponseSchema["properties"].(map[string]any)
	for _, kind := range []emulated.Kind{"echo", "shout"} {
		if properties[string(kind)] != nil {
			return []emulated.Kind{kind}
		}
	}
	return nil
}

func (m echoMind) Answer(_ context.Context, r *emulated.Request) (emulated.Answer, error) {
	said := r.Texts[len(r.Texts)-1] // the user's question, as JSON, or what the listener has said of it
	if m.Kinds(r)[0] == "shout" {
		return emulated.Answer{JSON: map[string]any{"shout": strings.ToUpper(said)}}, nil
	}
	var question echo.Request
	if err := json.Unmarshal([]byte(r.Texts[0]), &question); err != nil {
		return emulated.Answer{}, err
	}
	return emulated.Answer{JSON: map[string]any{"echo": question.Text}}, nil
}

// five is an app with a fifth agent, and the model's emulator.
func five(t *testing.T) (*App, *emulated.Server, *emulate.World) {
	t.Helper()
	w := emulate.Start(t)
	model, err := minds.Start(emulated.Options{Minds: []emulated.Mind{echoMind{}}}, minds.Options{Tesseract: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=tasks", "K_SERVICE=",
		"GOOGLE_GENAI_USE_VERTEXAI=", "GOOGLE_GEMINI_BASE_URL="+model.URL(),
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/tasks"); err != nil {
		t.Fatal(err)
	}
	c, err := ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := New(c)
	a.rooms = append(a.rooms, func(a *App) room.Entry { return echo.Room("emulated-judge").Open(a.platform()) }) // the one line
	return a, model, w
}

// ask sends a request to the API and returns the status and the body.
func ask(t *testing.T, h http.Handler, method, path, body string, header ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer, _ := io.ReadAll(w.Result().Body)
	return w.Code, strings.Join(strings.Fields(string(answer)), "")
}

// A fifth agent is one folder and one line in the app. All else comes by itself: a
// route with problems, a stream and a place in the documents, the cache, and a list.
func TestFifthAgent(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	a, model, _ := five(t)
	api := a.API()
	tests := []struct {
		name, method, path, body string
		header                   []string
		status                   int
		holds                    []string
		calls                    int
	}{
		{"asked", "POST", "/skills/echo", `{"text":"hello"}`, nil, 200, []string{`HELLO`, `"shout"`}, 2},
		{"asked again", "POST", "/skills/echo", `{"text":"hello"}`, nil, 200, []string{`HELLO`}, 0},
		{"asked something else", "POST", "/skills/echo", `{"text":"goodbye"}`, nil, 200, []string{`GOODBYE`}, 2},
		{"a wrong input", "POST", "/skills/echo", `{"word":"hello"}`, nil, 422, []string{`"code":"bad_input"`, `send{text}`}, 0},
		{"no JSON", "POST", "/skills/echo", `hello`, nil, 422, []string{`"code":"bad_input"`}, 0},
		{"a stream", "POST", "/skills/echo", `{"text":"slowly"}`, []string{"Accept", "text/event-stream"}, 200,
			[]string{`event:agent`, `"author":"listener"`, `"kind":"usage"`, `"author":"shouter"`, `event:result`, `SLOWLY`, `event:end`}, 2},
		{"the list of skills", "GET", "/skills", "", nil, 200, []string{`"id":"echo"`, `whattosayagain`}, 0},
		{"what was answered", "GET", "/skills/echo/results", "", nil, 200, []string{`"output":{"shout":`, `HELLO`, `SLOWLY`}, 0},
		{"the documents", "GET", "/openapi.json", "", nil, 200, []string{`"/skills/echo":{"post":`, `"/skills/echo/results"`}, 0},
		{"the photos' results", "GET", "/results", "", nil, 200, []string{`{"results":[]}`}, 0},
	}
	for _, test := range tests {
		model.ResetCalls()
		status, body := ask(t, api, test.method, test.path, test.body, test.header...)
		if status != test.status || len(model.Calls()) != test.calls {
			t.Errorf("%s: %d with %d calls, want %d with %d: %s", test.name, status, len(model.Calls()), test.status, test.calls, body)
		}
		for _, part := range test.holds {
			if !strings.Contains(body, part) {
				t.Errorf("%s: %s, want %s in it", test.name, body, part)
			}
		}
	}
}

// A run that a task hands on is done once, however often it is delivered, and goes on
// behind what it has paid for.
func TestFifthAgentsTasks(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	a, model, w := five(t)
	client := w.PubSubClient(t).TopicAdminClient
	handed := make(chan task.Message, 1)
	w.PubSub.Subscribe("projects/"+w.Project+"/topics/tasks", func(m pubsub.Message) { handed <- task.Message{Data: m.Data} })
	publisher := &task.Publisher{Tasks: topic.New(client, "projects/"+w.Project+"/topics/tasks")}
	if err := skill.Hand(t.Context(), publisher, "echo", "run-1", echo.Request{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	message := <-handed
	model.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: "shout"})
	if err := a.Task(t.Context(), message); err == nil {
		t.Error("Task while the model is out = nil, want an error that has it delivered again")
	}
	model.SetFaults()
	for range 2 {
		if err := a.Task(t.Context(), message); err != nil {
			t.Fatalf("Task = %v, want it done", err)
		}
	}
	answered := map[emulated.Kind]int{}
	for _, c := range model.Calls() {
		if c.Status == http.StatusOK {
			answered[c.Kind]++
		}
	}
	if answered["echo"] != 1 || answered["shout"] != 1 {
		t.Errorf("calls answered: %v, want one of each step", answered)
	}
	if _, body := ask(t, a.API(), "GET", "/skills/echo/results", ""); !strings.Contains(body, `"id":"run-1"`) || !strings.Contains(body, "HELLO") {
		t.Errorf("what was answered = %s, want run-1", body)
	}
	model.ResetCalls()
	if _, body := ask(t, a.API(), "POST", "/skills/echo", `{"text":"hello"}`); !strings.Contains(body, "HELLO") || len(model.Calls()) > 0 {
		t.Errorf("the same question asked by HTTP = %s with %d calls, want what the task has paid for", body, len(model.Calls()))
	}
}

// Every agent has its place in ADK's page.
func TestFifthAgentIsListed(t *testing.T) {
	a, _, _ := five(t)
	agents, err := a.Agents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range agents {
		names = append(names, one.Name())
	}
	if want := []string{"product_analyzer", "search_agent", "weather_agent", "echo"}; !slices.Equal(names, want) {
		t.Errorf("Agents = %q, want %q", names, want)
	}
}
