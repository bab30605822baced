package gemini

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	emulator "example.com/whatis/emulators/gemini"
)

var aVerdict = emulator.Answer{JSON: verdict{Seen: "tea", Lines: []line{{"a", true}}, Pick: 1, Probability: 0.5}}

// statuses returns the statuses of the calls so far, with + after those with a schema.
func statuses(s *emulator.Server) (all []string) {
	for _, c := range s.Calls() {
		sign := ""
		if c.Schema {
			sign = "+"
		}
		all = append(all, map[int]string{200: "ok", 400: "bad", 503: "down"}[c.Status]+sign)
	}
	return all
}

// A model that refuses a schema is asked without it, and from then on at once. Each result
// has a warning; it is logged once.
func TestSchemaRefused(t *testing.T) {
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.SchemaRefused})
	for i, want := range [][]string{{"bad+", "ok"}, {"ok"}, {"ok"}} {
		s.Script(aVerdict)
		a := &Account{}
		got, _, err := Generate[verdict](WithAccount(t.Context(), a), c, Request{Model: judge, System: "Judge.", Parts: []Part{Text("x")}}, nil)
		l := a.Ledger()
		if err != nil || got.Seen != "tea" || !slices.Equal(statuses(s), want) {
			t.Fatalf("call %d: Generate = %+v, %v after %q, want the verdict after %q", i, got, err, statuses(s), want)
		}
		if l.Calls.Generate != 1 || l.Calls.Failed != len(want)-1 || !slices.Contains(l.Warnings, WarnSchemaRefused) {
			t.Errorf("call %d: ledger %+v, want an answer, %d failed and %s", i, l, len(want)-1, WarnSchemaRefused)
		}
		system := s.Calls()[len(want)-1].System
		for _, text := range []string{"Judge.\n\nAnswer with one JSON value", "\n  \"seen\": string", "\n  \"lines\": [", "// required"} {
			if !strings.Contains(system, text) {
				t.Errorf("call %d: the instruction is %q, want it to hold %q", i, system, text)
			}
		}
		s.ResetCalls()
	}
	s.Script(aVerdict)
	if _, _, err := Generate[verdict](t.Context(), c, Request{Model: lite, Parts: []Part{Text("x")}}, nil); err != nil || !slices.Equal(statuses(s), []string{"bad+", "ok"}) {
		t.Errorf("another model: %v after %q, want that it is asked with the schema first", err, statuses(s))
	}
	if n := strings.Count(lines.String(), "a model refuses a schema"); n != 2 {
		t.Errorf("the log says it %d times of two models, want 2:\n%s", n, &lines)
	}
}

// A refusal that a quick call has noted is no reason to take that of a slow one, which carried the
// schema too, for the content's.
func TestSchemaRefusedMeanwhile(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.SchemaRefused}, emulator.Fault{Type: emulator.Latency, Delay: 400 * time.Millisecond, Times: 1})
	s.Script(aVerdict, aVerdict)
	ask := func() error {
		_, _, err := Generate[verdict](WithAccount(t.Context(), &Account{Attempts: 1}), c, Request{Model: judge, Parts: []Part{Text("x")}}, nil)
		return err
	}
	slow := make(chan error)
	go func() { slow <- ask() }()
	time.Sleep(100 * time.Millisecond) // a call is recorded when it ends
	if quick, slow := ask(), <-slow; quick != nil || slow != nil || !slices.Equal(slices.Sorted(slices.Values(statuses(s))), []string{"bad+", "bad+", "ok", "ok"}) {
		t.Errorf("a quick call %v and a slow one %v after %q, want both answered without the schema", quick, slow, statuses(s))
	}
}

// If the call without the schema is refused too, the content is the cause: the error is
// that of the first call, and the schema is sent again the next time. An outage in between
// is retried.
func TestSchemaNotToBlame(t *testing.T) {
	c, s := start(t, Config{})
	ask := func(attempts int) (*Account, error) {
		a := &Account{Attempts: attempts}
		s.ResetCalls()
		_, _, err := Generate[verdict](WithAccount(t.Context(), a), c, Request{Model: judge, Parts: []Part{Text("x")}}, nil)
		return a, err
	}
	s.SetFaults(emulator.Fault{Type: emulator.BadRequest})
	a, err := ask(1)
	if e := failure(t, "Generate", err); e.Kind != Invalid || !slices.Equal(statuses(s), []string{"bad+", "bad"}) {
		t.Errorf("Generate = %v after %q, want %s after two questions", e, statuses(s), Invalid)
	}
	if l := a.Ledger(); l.Calls.Failed != 2 || len(l.Warnings) > 0 {
		t.Errorf("ledger %+v, want two failed calls and no warning", l)
	}
	s.SetFaults()
	s.Script(aVerdict)
	if _, err := ask(1); err != nil || !slices.Equal(statuses(s), []string{"ok+"}) {
		t.Errorf("afterwards: Generate = %v after %q, want an answer by the schema", err, statuses(s))
	}
	s.SetFaults(emulator.Fault{Type: emulator.SchemaRefused}, emulator.Fault{Type: emulator.Unavailable, Times: 1})
	s.Script(aVerdict)
	if _, err := ask(3); err != nil || !slices.Equal(statuses(s), []string{"bad+", "down", "ok"}) {
		t.Errorf("with an outage: Generate = %v after %q, want an answer without the schema", err, statuses(s))
	}
}

// The refusals that may be about the schema.
func TestSchemaDoubted(t *testing.T) {
	field := func(path string) []map[string]any {
		return []map[string]any{{"fieldViolations": []any{map[string]any{"field": path}}}}
	}
	tests := []struct {
		name string
		err  genai.APIError
		want bool
	}{
		{"bare", genai.APIError{Message: "Request contains an invalid argument."}, true},
		{"states", genai.APIError{Message: "The specified schema produces a constraint that has too many states for serving."}, true},
		{"the schema", genai.APIError{Message: "x", Details: field("generation_config.response_json_schema.items")}, true},
		{"another field", genai.APIError{Message: "x", Details: field("contents[0].parts")}, false},
		{"a picture that is named", genai.APIError{Message: "Unable to process input image."}, false},
		{"the key", genai.APIError{Message: "API key not valid.", Details: []map[string]any{{"reason": "API_KEY_INVALID"}}}, false},
		{"the place", genai.APIError{Message: "User location is not supported for the API use.", Status: "FAILED_PRECONDITION"}, false},
		{"another status", genai.APIError{Code: 404, Message: "no such schema"}, false},
	}
	for _, tt := range tests {
		if tt.err.Code == 0 {
			tt.err.Code = 400
		}
		if tt.err.Status == "" {
			tt.err.Status = "INVALID_ARGUMENT"
		}
		f := &form{client: &Client{refused: new(refusals)}, wire: []byte("{}")}
		if _ = f.failed("m", tt.err); f.again() != tt.want {
			t.Errorf("%s: asked again %v, want %v", tt.name, !tt.want, tt.want)
		}
	}
}

// An ADK agent with a schema is asked without it too, streaming or not.
func TestAgentsSchemaRefused(t *testing.T) {
	for _, stream := range []bool{false, true} {
		c, s := start(t, Config{})
		s.SetFaults(emulator.Fault{Type: emulator.SchemaRefused})
		schema, err := SchemaFor[verdict]()
		if err != nil {
			t.Fatal(err)
		}
		request := &model.LLMRequest{
			Contents: []*genai.Content{genai.NewContentFromText("x", genai.RoleUser)},
			Config: &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText("Judge.", genai.RoleUser),
				ResponseMIMEType: "application/json", ResponseJsonSchema: schema},
		}
		for _, want := range [][]string{{"bad+", "ok"}, {"ok"}} {
			s.ResetCalls()
			s.Script(aVerdict)
			var text string
			for r, err := range c.LLM(judge, Options{}).GenerateContent(t.Context(), request, stream) {
				if err != nil {
					t.Fatal(err)
				}
				if !r.Partial {
					text = r.Content.Parts[0].Text
				}
			}
			calls := s.Calls()
			if !slices.Equal(statuses(s), want) || !strings.Contains(text, `"tea"`) || !strings.Contains(calls[len(calls)-1].System, `"seen": string`) {
				t.Errorf("stream %v: answer %q after %q, want the verdict after %q with the shape in the instruction", stream, text, statuses(s), want)
			}
		}
	}
}

func TestShapeText(t *testing.T) {
	schema, err := SchemaFor[bounded]()
	if err != nil {
		t.Fatal(err)
	}
	wire, err := wireSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(shapeText(wire), "\n")
	const want = `{
  "lines": [ // required
    { // each item
      "kind": one of "print" "sign" // required; how it is made
    }
  ]
  "known": one of "yes" "no" "unsure" // required
  "sides": [
    one of "front" "back" // each item
  ]
  "sure": number // required
  "count": integer // required
}
`
	if got != want {
		t.Errorf("shapeText = %s, want %s", got, want)
	}
}
