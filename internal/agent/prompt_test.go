package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

func TestMain(m *testing.M) { emulate.Run(m) }

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

func open(t *testing.T) (*gemini.Client, *emulate.World) {
	t.Helper()
	w := emulate.Start(t, emulate.Gemini)
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

func judge(t *testing.T, c *gemini.Client, instruction string) *agent.Prompt[verdict] {
	t.Helper()
	p, err := agent.NewPrompt(c, "emulated-judge", instruction, (*verdict).check, agent.PromptOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var korean = agent.Values{"lang": "ko"}

// call returns a call with key.
func call(key string, v agent.Values) agent.Call {
	return agent.Call{Key: key, Values: v, Parts: []gemini.Part{gemini.Text("the case")}}
}

// asking runs an agent that does ask, and returns the kinds of its events.
func asking(ctx context.Context, ask func(context.Context) error) (kinds []string, err error) {
	asker := agent.Step[struct{}]{Name: "asker", Do: func(ctx context.Context, _ *struct{}) error { return ask(ctx) }}
	err = asker.Run(ctx, nil, func(e *agent.Event) { kinds = append(kinds, string(e.Kind)) })
	return kinds, err
}

func TestAsk(t *testing.T) {
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
		{"a missing value", "Judge as {rules}.", nil, []string{"started"}, verdict{}, "{rules}"},
	}
	for _, test := range tests {
		w.Gemini.ResetCalls()
		for _, text := range test.answers {
			w.Gemini.Script(emulated.Answer{Text: text})
		}
		var got agent.Answer[verdict]
		events, err := asking(t.Context(), func(ctx context.Context) (err error) {
			got, err = judge(t, c, test.instruction).Ask(ctx, call("judge", korean))
			return err
		})
		if err == nil && got.Value != test.want || (err == nil) != (test.wantErr == "") || err != nil && !strings.Contains(err.Error(), test.wantErr) {
			t.Errorf("%s: answer %+v, %v; want %+v, error with %q", test.name, got.Value, err, test.want, test.wantErr)
		}
		if !slices.Equal(events, test.events) {
			t.Errorf("%s: events %q, want %q", test.name, events, test.events)
		}
		if n := len(w.Gemini.Calls()); n != len(test.answers) {
			t.Errorf("%s: %d calls, want %d", test.name, n, len(test.answers))
		}
	}
}

// An answer in a checkpoint is not asked for again, and emits no usage.
func TestJournal(t *testing.T) {
	c, w := open(t)
	w.Gemini.Script(emulated.Answer{Text: `{"why":"so","score":3}`})
	kept := map[string]json.RawMessage{}
	ctx := jobs.WithCheckpoints(t.Context(), jobs.Checkpoints{Kept: kept, Keep: func(_ context.Context, key string, value json.RawMessage) error {
		kept[key] = value
		return nil
	}})
	for _, want := range [][]string{{"started", "usage", "finished"}, {"started", "finished"}} {
		events, err := asking(ctx, func(ctx context.Context) error {
			got, err := judge(t, c, "Judge.").Ask(ctx, call("judge", nil))
			if got.Value != (verdict{"so", 3}) {
				t.Errorf("Ask = %+v, want the answer", got.Value)
			}
			return err
		})
		if err != nil || !slices.Equal(events, want) {
			t.Errorf("events %q, %v; want %q", events, err, want)
		}
	}
	if n := len(w.Gemini.Calls()); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// The instruction goes to the model as the system's, filled.
func TestInstruction(t *testing.T) {
	c, w := open(t)
	w.Gemini.Script(emulated.Answer{Text: `{"why":"so","score":3}`, Match: func(r *emulated.Request) bool { return r.System == "Judge in ko." }})
	if _, err := judge(t, c, "Judge in {lang}.").Ask(t.Context(), call("judge", korean)); err != nil || w.Gemini.Scripted() != 0 {
		t.Errorf("Ask = %v, %d scripted answers left; want the answer for that instruction taken", err, w.Gemini.Scripted())
	}
}

func TestSearch(t *testing.T) {
	c, w := open(t)
	w.Gemini.Script(emulated.Answer{Kind: answers.KindSearch, Text: "It is tea.", Grounding: &emulated.Grounding{
		Queries: []string{"tea"}, Chunks: []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example", Title: "shop"}}},
	}})
	search := agent.NewSearchPrompt(c, "emulated-judge", "Search in {lang}.", agent.PromptOptions{})
	if _, err := search.Ask(t.Context(), call("search", nil)); err == nil {
		t.Error("a search without its {lang} = nil error, want one")
	}
	var answer *gemini.Response
	events, err := asking(t.Context(), func(ctx context.Context) (err error) {
		answer, err = search.Ask(ctx, call("search", korean))
		return err
	})
	if err != nil || answer.Text != "It is tea." || len(answer.Citations) != 1 {
		t.Errorf("Ask = %+v, %v; want the scripted answer", answer, err)
	}
	if want := []string{"started", "usage", "finished"}; !slices.Equal(events, want) {
		t.Errorf("events %q, want %q", events, want)
	}
}

// Each prompt is asked with its own options, and every answer is bounded: higher if the
// model may think more, as thoughts count as output.
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
		options agent.PromptOptions
		want    string
	}{
		{agent.PromptOptions{}, `"generationConfig":{"maxOutputTokens":9216,"thinkingConfig":{"thinkingLevel":"MINIMAL"}}`},
		{agent.PromptOptions{Thinking: "high", MediaResolution: "low"}, `"generationConfig":{"maxOutputTokens":40960,"mediaResolution":"MEDIA_RESOLUTION_LOW","thinkingConfig":{"thinkingLevel":"HIGH"}}`},
		{agent.PromptOptions{Thinking: "low", MaxOutputTokens: 100}, `"generationConfig":{"maxOutputTokens":4196,"thinkingConfig":{"thinkingLevel":"LOW"}}`},
	}
	for _, test := range tests {
		search := agent.NewSearchPrompt(c, "gemini-3.6-flash", "Search.", test.options)
		if _, err := search.Ask(t.Context(), call("search", nil)); err != nil || !strings.Contains(body, test.want) {
			t.Errorf("Ask with %+v = %v, sent %s; want it to hold %s", test.options, err, body, test.want)
		}
	}
}

// An answer that is cut off is asked for once more, with twice the limit and the least
// thinking, if the call wants that.
func TestRetryTruncated(t *testing.T) {
	cut, whole := emulated.Answer{Text: `{"why":"th`, FinishReason: "MAX_TOKENS"}, emulated.Answer{Text: `{"why":"it fits","score":3}`}
	tests := []struct {
		retry   bool
		answers []emulated.Answer
		calls   int
		wantErr bool
	}{
		{true, []emulated.Answer{cut, whole}, 2, false},
		{true, []emulated.Answer{cut, cut}, 2, true},
		{false, []emulated.Answer{cut}, 1, true},
		{true, []emulated.Answer{whole}, 1, false},
	}
	for _, test := range tests {
		w := emulate.Start(t, emulate.Gemini)
		url, bodies := recorded(t, w)
		c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: url, AllowEmulated: true, Backoff: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		p, err := agent.NewPrompt(c, "gemini-3.6-flash", "Judge.", (*verdict).check, agent.PromptOptions{Thinking: "medium"})
		if err != nil {
			t.Fatal(err)
		}
		w.Gemini.Script(test.answers...)
		asked := call("judge", nil)
		asked.RetryTruncated = test.retry
		if _, err := p.Ask(t.Context(), asked); (err != nil) != test.wantErr {
			t.Errorf("Ask, retry %v, answers %v = %v, want an error: %v", test.retry, test.answers, err, test.wantErr)
		}
		if got := bodies(); len(got) != test.calls {
			t.Errorf("Ask, retry %v, answers %v made %d calls, want %d", test.retry, test.answers, len(got), test.calls)
		} else if n := len(got); n == 2 && (!strings.Contains(got[0], `"maxOutputTokens":24576`) || !strings.Contains(got[1], `"maxOutputTokens":49152`) || !strings.Contains(got[1], `"thinkingLevel":"MINIMAL"`)) {
			t.Errorf("the calls were %q, want 24576 output tokens, then 49152 with minimal thinking", got)
		}
	}
}

// recorded returns the address of a proxy before w's model, and the requests it has
// passed on.
func recorded(t *testing.T, w *emulate.World) (address string, requests func() []string) {
	t.Helper()
	var bodies []string
	target, _ := url.Parse(w.Gemini.URL())
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(sent))
		r.Body = io.NopCloser(strings.NewReader(string(sent)))
		httputil.NewSingleHostReverseProxy(target).ServeHTTP(rw, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, func() []string { return bodies }
}
