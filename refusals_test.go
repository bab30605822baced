package whatis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
)

// A refusal is an answer of the service, as somebody has reported it.
type refusal struct {
	Name, Source string
	Search       bool
	Kind, Says   string
	Error        json.RawMessage
}

// service answers r, to searches alone if it is of one; every other call reaches the emulator.
func (r refusal) service(t *testing.T, emulator string) *httptest.Server {
	t.Helper()
	target, err := url.Parse(emulator)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	var said struct{ Code int }
	if err := json.Unmarshal(r.Error, &said); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		if r.Search && !bytes.Contains(body, []byte(`"googleSearch"`)) {
			q.Body = io.NopCloser(bytes.NewReader(body))
			through.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(said.Code)
		fmt.Fprintf(w, `{"error":%s}`, r.Error)
	}))
	t.Cleanup(s.Close)
	return s
}

// What a caller, the log and the pager see of each refusal is what the table says.
func TestDocsRefusals(t *testing.T) {
	file, err := os.ReadFile("internal/gemini/testdata/refusals.json")
	if err != nil {
		t.Fatal(err)
	}
	var reported []refusal
	if err := json.Unmarshal(file, &reported); err != nil {
		t.Fatal(err)
	}
	alerts, metrics := source(t, "alerts.tf"), source(t, "metrics.tf")
	byPeople := strings.Split(first(t, alerts, `ended_by_people = "(.*)"`), "|")
	var table strings.Builder
	table.WriteString("| | the service says | the caller sees | kind in the log | the pager |\n| --- | --- | --- | --- | --- |\n")
	w := world(t)
	for _, r := range reported {
		var log bytes.Buffer
		slog.SetDefault(app.Logger(&log, "whatis-api", slog.LevelInfo))
		t.Setenv("GOOGLE_GEMINI_BASE_URL", r.service(t, w.Gemini.URL()).URL)
		c, err := app.ReadConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		app.New(c).API().ServeHTTP(answer, httptest.NewRequest("POST", "/analyze?country=US&lang=en", bytes.NewReader(samples.All()[2].Bytes())))
		counted := map[string]int{}
		for line := range bytes.Lines(log.Bytes()) {
			var fields map[string]any
			if json.Unmarshal(line, &fields) == nil && matches(t, filterOf(t, metrics, "model_errors"), fields) {
				counted[extract(t, extractorOf(t, metrics, "kind"), fields)]++
				if !strings.Contains(text(fields["error"]), r.Says) {
					t.Errorf("%s: the log says %v, want %q", r.Name, fields["error"], r.Says)
				}
			}
		}
		if len(counted) != 1 || counted[r.Kind] == 0 {
			t.Errorf("%s: the metric counts %v, want %s; the log is\n%s", r.Name, counted, r.Kind, &log)
		}
		table.WriteString(r.row(t, answer, byPeople))
	}
	docs.Section(t, "operations.md", "refusals", table.String())
}

// world starts the emulators, and points the environment at them.
func world(t *testing.T) *emulate.World {
	t.Helper()
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "K_SERVICE=", "GOOGLE_GENAI_USE_VERTEXAI=",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	return w
}

// What the samples ask of each model, with an empty catalogue and no web search, as a free key has it.
func TestDocsFree(t *testing.T) {
	w := world(t)
	w.Gemini.SetFaults(gemini.Fault{Type: gemini.NoSearch})
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	handler := app.New(c).API()
	asked, refused, photos := map[string]int{}, 0, samples.All()
	for _, s := range photos {
		w.Gemini.ResetCalls()
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest("POST", "/analyze?country=US&lang=en", bytes.NewReader(s.Bytes())))
		if strings.Contains(answer.Body.String(), `"search_refused"`) {
			refused++
		}
		for _, call := range w.Gemini.Calls() {
			asked[call.Model]++
		}
	}
	image, judge := asked["emulated-image"], asked["emulated-judge"]
	if image > 15 || judge > 20 {
		t.Errorf("the samples ask %v: they do not fit a day of a free key", asked)
	}
	docs.Section(t, "prices.md", "free", fmt.Sprintf("The %d samples fit: by the emulated model they make %d requests of `IMAGE_MODEL`, %d of `JUDGE_MODEL`, refused searches among them, and %d embeddings, and %d of them end with `search_refused`.",
		len(photos), image, judge, asked["emulated-embedding"], refused))
}

// row returns r's row of the table. What people end is told of at once, what ends by waiting if
// it does not.
func (r refusal) row(t *testing.T, answer *httptest.ResponseRecorder, byPeople []string) string {
	t.Helper()
	var e struct {
		Code    int
		Message string
	}
	var sees struct {
		Code     string
		Warnings []string
	}
	if err := errors.Join(json.Unmarshal(r.Error, &e), json.Unmarshal(answer.Body.Bytes(), &sees)); err != nil {
		t.Fatalf("%s: %v of %s", r.Name, err, answer.Body)
	}
	said := strings.NewReplacer("please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.", "…",
		" To monitor your current usage, head to: https://ai.dev/rate-limit. ", "", "generativelanguage.googleapis.com/", "", "\n", " ").Replace(e.Message)
	if slices.Contains(sees.Warnings, "search_refused") {
		sees.Code = "search_refused"
	}
	pager := "once an event has waited for 15 minutes, or 20 callers were refused in 15"
	if slices.Contains(byPeople, r.Kind) {
		pager = "the first"
	} else if r.Kind == "no_search" {
		pager = "more than 20 in 15 minutes"
	}
	if sees.Code == "" || strings.Contains(answer.Body.String(), "https://ai") {
		t.Errorf("%s: the caller sees %s", r.Name, answer.Body)
	}
	return fmt.Sprintf("| %s | %d: %s | %d `%s` | `%s` | %s |\n", r.Name, e.Code, strings.TrimSpace(said), answer.Code, sees.Code, r.Kind, pager)
}
