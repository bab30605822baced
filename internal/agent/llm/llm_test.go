package llm_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/agent/llm"
	"example.com/whatis/internal/gemini"
)

func TestMain(m *testing.M) {
	os.Setenv("GOOGLE_API_KEY", "emulated")
	os.Exit(m.Run())
}

// verdict is an answer of a model.
type verdict struct {
	Why   string `json:"why"`
	Score int    `json:"score"`
}

func (v *verdict) check() error {
	if v.Score > 10 {
		return errors.New("score is over 10")
	}
	return nil
}

const (
	langKey    agent.Key[string]  = "lang"
	verdictKey agent.Key[verdict] = "verdict"
)

func open(t *testing.T) (*gemini.Client, *emulate.World) {
	t.Helper()
	w := emulate.Start(t, emulate.Gemini)
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

func judge(t *testing.T, c *gemini.Client, instruction string) agent.Agent {
	t.Helper()
	p, err := llm.NewPrompt(c, "judge", "emulated-judge", instruction, (*verdict).check, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Agent("judge", verdictKey, func(*agent.Session) []gemini.Part { return []gemini.Part{gemini.Text("the case")} })
}

// trace runs a and returns its events as "kind tokens" lines, and its error.
func trace(ctx context.Context, a agent.Agent, s *agent.Session) ([]string, error) {
	var lines []string
	err := agent.Run(ctx, a, s, func(e *agent.Event) { lines = append(lines, string(e.Kind)) })
	return lines, err
}

func TestAgent(t *testing.T) {
	c, w := open(t)
	tests := []struct {
		name, instruction string
		answers           []string
		events            []string
		want              verdict
		wantErr           string
	}{
		{"an answer", "Judge in {lang}.", []string{`{"why":"so","score":3}`}, []string{"started", "usage", "finished"}, verdict{"so", 3}, ""},
		{"repaired once", "Judge.", []string{`{"why":"so","score":11}`, `{"why":"so","score":10}`}, []string{"started", "usage", "finished"}, verdict{"so", 10}, ""},
		{"not repaired twice", "Judge.", []string{`{"why":"so","score":11}`, `{"why":"so","score":12}`}, []string{"started", "usage"}, verdict{}, "score is over 10"},
		{"a missing key", "Judge as {rules}.", nil, []string{"started"}, verdict{}, "{rules}"},
	}
	for _, test := range tests {
		w.Gemini.ResetCalls()
		for _, text := range test.answers {
			w.Gemini.Script(emulated.Answer{Text: text})
		}
		s := agent.NewSession()
		langKey.Set(s, "ko")
		events, err := trace(t.Context(), judge(t, c, test.instruction), s)
		got, _ := verdictKey.Get(s)
		if got != test.want || (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
			t.Errorf("%s: answer %+v, %v; want %+v, error with %q", test.name, got, err, test.want, test.wantErr)
		}
		if !slices.Equal(events, test.events) {
			t.Errorf("%s: events %q, want %q", test.name, events, test.events)
		}
		if n := len(w.Gemini.Calls()); n != len(test.answers) {
			t.Errorf("%s: %d calls, want %d", test.name, n, len(test.answers))
		}
	}
}

// The instruction goes to the model as the system's, filled from the session.
func TestInstruction(t *testing.T) {
	c, w := open(t)
	w.Gemini.Script(emulated.Answer{Text: `{"why":"so","score":3}`, Match: func(r *emulated.Request) bool { return r.System == "Judge in ko." }})
	s := agent.NewSession()
	langKey.Set(s, "ko")
	if _, err := trace(t.Context(), judge(t, c, "Judge in {lang}."), s); err != nil || w.Gemini.Scripted() != 0 {
		t.Errorf("run = %v, %d scripted answers left; want the answer for that instruction taken", err, w.Gemini.Scripted())
	}
}

func TestSearch(t *testing.T) {
	c, w := open(t)
	w.Gemini.Script(emulated.Answer{Kind: emulated.KindSearch, Text: "It is tea.", Grounding: &emulated.Grounding{
		Queries: []string{"tea"}, Chunks: []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example", Title: "shop"}}},
	}})
	search := llm.NewSearch(c, "emulated-judge", "Search in {lang}.", llm.Options{})
	var answer *gemini.Response
	step := agent.Step("searcher", func(ctx context.Context, turn *agent.Turn) (err error) {
		answer, err = search.Ask(ctx, turn, "search", gemini.Text("the case"))
		return err
	})
	if _, err := trace(t.Context(), step, agent.NewSession()); err == nil {
		t.Error("a search without its {lang} = nil error, want one")
	}
	s := agent.NewSession()
	langKey.Set(s, "ko")
	events, err := trace(t.Context(), step, s)
	if err != nil || answer.Text != "It is tea." || len(answer.Citations) != 1 {
		t.Errorf("Ask = %+v, %v; want the scripted answer", answer, err)
	}
	if want := []string{"started", "usage", "finished"}; !slices.Equal(events, want) {
		t.Errorf("events %q, want %q", events, want)
	}
}

// Each role is asked by its own options, and every answer is bounded: more where
// the model may think more, for thoughts count as output.
func TestOptions(t *testing.T) {
	w := emulate.Start(t, emulate.Gemini)
	var body string
	model := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		body = string(sent)
		r.Body = io.NopCloser(strings.NewReader(body))
		target, _ := url.Parse(w.Gemini.URL())
		httputil.NewSingleHostReverseProxy(target).ServeHTTP(rw, r)
	}))
	t.Cleanup(model.Close)
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: model.URL, AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		options llm.Options
		want    string
	}{
		{llm.Options{}, `"generationConfig":{"maxOutputTokens":9216,"thinkingConfig":{"thinkingLevel":"MINIMAL"}}`},
		{llm.Options{Thinking: "high", MediaResolution: "low"}, `"generationConfig":{"maxOutputTokens":40960,"mediaResolution":"MEDIA_RESOLUTION_LOW","thinkingConfig":{"thinkingLevel":"HIGH"}}`},
		{llm.Options{Thinking: "low", MaxOutputTokens: 100}, `"generationConfig":{"maxOutputTokens":4196,"thinkingConfig":{"thinkingLevel":"LOW"}}`},
	}
	for _, test := range tests {
		search := llm.NewSearch(c, "gemini-3.6-flash", "Search.", test.options)
		step := agent.Step("searcher", func(ctx context.Context, turn *agent.Turn) error {
			_, err := search.Ask(ctx, turn, "search", gemini.Text("the case"))
			return err
		})
		if _, err := trace(t.Context(), step, agent.NewSession()); err != nil || !strings.Contains(body, test.want) {
			t.Errorf("Ask with %+v = %v, sent %s; want it to hold %s", test.options, err, body, test.want)
		}
	}
}
