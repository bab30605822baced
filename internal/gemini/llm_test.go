package gemini

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	emulator "example.com/whatis/emulators/gemini"
)

// heard is what a call for an agent yielded.
type heard struct {
	partial string // the joined texts of partial answers
	whole   []*model.LLMResponse
	errs    []error
}

func listen(ctx context.Context, m model.LLM, r *model.LLMRequest, stream bool) heard {
	var h heard
	for answer, err := range m.GenerateContent(ctx, r, stream) {
		switch {
		case err != nil:
			h.errs = append(h.errs, err)
		case answer.Partial:
			h.partial += answer.Content.Parts[0].Text
		default:
			h.whole = append(h.whole, answer)
		}
	}
	return h
}

// only returns the one error, and fails if there was a whole answer.
func (h heard) only(t testing.TB) *Error {
	t.Helper()
	if len(h.errs) != 1 || len(h.whole) != 0 {
		t.Fatalf("yielded %d answers and the errors %v, want one error", len(h.whole), h.errs)
	}
	return failure(t, "GenerateContent", h.errs[0])
}

func said(text string) *model.LLMRequest {
	return &model.LLMRequest{Contents: genai.Text(text)}
}

var streams = map[string]bool{"whole": false, "stream": true}

// A conversation with a function call is sent back as received: roles, IDs, arguments, and
// the thought signature byte by byte.
func TestLLMConverses(t *testing.T) {
	signature := []byte{0, 255, 7, '+', '/'}
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			s := startEmulator(t)
			w := startTap(t, s)
			m := open(t, Config{BaseURL: w.URL}).LLM(judge, Options{})
			s.Script(
				emulator.Answer{Calls: []emulator.FunctionCall{{ID: "c1", Name: "weather", Args: map[string]any{"place": "서울"}}}, Signature: signature},
				emulator.Answer{Text: "It rains.", Signature: signature},
				emulator.Answer{Text: "Yes."})
			r := said("How is the weather?")
			r.Config = &genai.GenerateContentConfig{
				Tools:             []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "weather", Description: "tells it"}}}},
				SystemInstruction: genai.NewContentFromText("be brief", genai.RoleUser),
			}
			ask := func() *genai.Content {
				h := listen(t.Context(), m, r, stream)
				if len(h.whole) != 1 || len(h.errs) != 0 {
					t.Fatalf("yielded %d answers and the errors %v, want one answer", len(h.whole), h.errs)
				}
				r.Contents = append(r.Contents, h.whole[0].Content)
				return h.whole[0].Content
			}
			call := ask().Parts[0]
			if call.FunctionCall == nil || call.FunctionCall.ID != "c1" || call.FunctionCall.Args["place"] != "서울" || !reflect.DeepEqual(call.ThoughtSignature, signature) {
				t.Errorf("the answer is %+v, want the call c1 with its signature", call)
			}
			r.Contents = append(r.Contents, &genai.Content{Role: genai.RoleUser, Parts: []*genai.Part{{FunctionResponse: &genai.FunctionResponse{ID: "c1", Name: "weather", Response: map[string]any{"sky": "rain"}}}}})
			if text := ask().Parts[0].Text; text != "It rains." {
				t.Errorf("the answer is %q, want the text", text)
			}
			r.Contents = append(r.Contents, genai.NewContentFromText("Sure?", genai.RoleUser))
			ask()
			wantTurns(t, w.all()[2].body, `[
				{"role":"user","parts":[{"text":"How is the weather?"}]},
				{"role":"model","parts":[{"functionCall":{"id":"c1","name":"weather","args":{"place":"서울"}},"thoughtSignature":"AP8HKy8="}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"weather","response":{"sky":"rain"}}}]},
				{"role":"model","parts":[{"text":"It rains."},{"text":"","thoughtSignature":"AP8HKy8="}]},
				{"role":"user","parts":[{"text":"Sure?"}]}]`)
		})
	}
}

func wantTurns(t *testing.T, body []byte, want string) {
	t.Helper()
	var sent struct{ Contents any }
	var turns any
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &turns); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sent.Contents, turns) {
		got, _ := json.Marshal(sent.Contents)
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

// After a turn of the model a turn of the user is sent, and the agent's request is not
// changed.
func TestLLMGoesOnAfterItsOwnTurn(t *testing.T) {
	s := startEmulator(t)
	w := startTap(t, s)
	r := said("begin")
	r.Contents = append(r.Contents, genai.NewContentFromText("half", genai.RoleModel))
	if h := listen(t.Context(), open(t, Config{BaseURL: w.URL}).LLM(judge, Options{}), r, false); len(h.whole) != 1 {
		t.Fatalf("errors %v, want an answer", h.errs)
	}
	if len(r.Contents) != 2 || !strings.Contains(string(w.all()[0].body), goOn) {
		t.Errorf("%d contents left of 2, sent %s, want the request untouched and %q sent", len(r.Contents), w.all()[0].body, goOn)
	}
}

func TestLLMStreams(t *testing.T) {
	c, s := start(t, Config{})
	text := strings.Repeat("날씨가 좋다. ", 100)
	s.Script(emulator.Answer{Text: text, Calls: []emulator.FunctionCall{{Name: "weather"}}})
	a := &Account{}
	pieces := 0
	var whole *model.LLMResponse
	for answer, err := range c.LLM(judge, Options{}).GenerateContent(WithAccount(t.Context(), a), said("?"), true) {
		switch {
		case err != nil:
			t.Fatal(err)
		case whole != nil:
			t.Errorf("%+v after the whole", answer)
		case answer.Partial:
			if pieces++; answer.UsageMetadata != nil || answer.Content.Parts[0].FunctionCall != nil {
				t.Errorf("a partial answer is %+v, want text and nothing that counts twice", answer)
			}
		default:
			whole = answer
		}
	}
	if pieces < 2 || whole == nil || len(whole.Content.Parts) != 2 || whole.Content.Parts[0].Text != text || whole.Content.Parts[1].FunctionCall == nil {
		t.Fatalf("%d pieces and %+v, want some and the whole", pieces, whole)
	}
	if whole.FinishReason != genai.FinishReasonStop || whole.ModelVersion != emulatedVersion || whole.UsageMetadata == nil {
		t.Errorf("whole = %+v, want its reason, version and usage", whole)
	}
	if l := a.Ledger(); l.Calls != (Calls{Generate: 1}) || l.Usage.Output == 0 {
		t.Errorf("ledger = %+v, want one call and its usage once", l)
	}
}

// Whole answers and streams follow the same rules as Generate.
func TestLLMFaults(t *testing.T) {
	type faults = []emulator.Fault
	tests := []struct {
		name     string
		attempts int
		faults   faults
		kind     Kind // "" means success
		perDay   bool
		tries    int
	}{
		{"500 twice, then well", 3, faults{{Type: emulator.Internal, Times: 2}}, "", false, 3},
		{"503 to the end", 3, faults{{Type: emulator.Unavailable}}, Unavailable, false, 3},
		{"429 with a short wait, one attempt", 1, faults{{Type: emulator.RateLimited, Delay: 5 * time.Millisecond, Times: 1}}, "", false, 2},
		{"daily quota", 3, faults{{Type: emulator.DailyQuota, Delay: time.Millisecond}}, Quota, true, 1},
		{"cut before anything came, then well", 2, faults{{Type: emulator.Cut, Times: 1}}, "", false, 2},
		{"no answer", 1, faults{{Type: emulator.TimeOut}}, Unavailable, false, 1},
		{"blocked prompt", 3, faults{{Type: emulator.BlockedPrompt}}, Blocked, false, 1},
		{"blocked answer", 3, faults{{Type: emulator.BlockedAnswer}}, Blocked, false, 1},
		{"truncated", 3, faults{{Type: emulator.Truncated}}, Truncated, false, 1},
		{"forbidden", 3, faults{{Type: emulator.Forbidden}}, Unauthorized, false, 1},
		{"gone", 3, faults{{Type: emulator.Gone}}, Gone, false, 1},
	}
	for _, tt := range tests {
		for name, stream := range streams {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				c, s := start(t, Config{CallTimeout: callTimeout(tt.faults)})
				s.SetFaults(tt.faults...)
				a := &Account{Attempts: tt.attempts}
				h := listen(WithAccount(t.Context(), a), c.LLM(judge, Options{}), said("?"), stream)
				if n := len(s.Calls()); n != tt.tries {
					t.Errorf("%d tries, want %d", n, tt.tries)
				}
				if tt.kind == "" {
					if len(h.whole) != 1 || len(h.errs) != 0 {
						t.Errorf("%d answers and the errors %v, want one answer", len(h.whole), h.errs)
					}
					return
				}
				if e := h.only(t); e.Kind != tt.kind || e.PerDay != tt.perDay {
					t.Errorf("error %v (%s, per day %v), want %s, %v", e, e.Kind, e.PerDay, tt.kind, tt.perDay)
				}
			})
		}
	}
}

// A text that was passed on is not repeated: a stream that breaks off is an error, however
// many attempts are allowed, and its cost is charged.
func TestLLMStreamBreaksOff(t *testing.T) {
	for name, fault := range map[string]emulator.Fault{"cut": {Type: emulator.Cut}, "truncated": {Type: emulator.Truncated}} {
		t.Run(name, func(t *testing.T) {
			c, s := start(t, Config{})
			text := strings.Repeat("a secret of the answer ", 50)
			s.Script(emulator.Answer{Text: text, Fault: &fault}, emulator.Answer{Text: text})
			a := &Account{Attempts: 3}
			h := listen(WithAccount(t.Context(), a), c.LLM(judge, Options{}), said("?"), true)
			e := h.only(t)
			if len(s.Calls()) != 1 || h.partial == "" || !strings.HasPrefix(text, h.partial) {
				t.Errorf("%d tries, heard %q: want one, and the beginning of the text", len(s.Calls()), h.partial)
			}
			if want := map[string]Kind{"cut": Unavailable, "truncated": Truncated}[name]; e.Kind != want || strings.Contains(e.Error(), "secret") {
				t.Errorf("error %v, want %s without the answer", e, want)
			}
			if l := a.Ledger(); l.Usage.Total == 0 {
				t.Errorf("ledger = %+v, want what was used", l)
			}
		})
	}
}

// A malformed answer is requested again, unless it was passed on.
func TestLLMMalformed(t *testing.T) {
	for name, want := range map[string]int{"whole": 3, "stream": 1} {
		c, s := start(t, Config{})
		bad := emulator.Answer{Text: "I will call", FinishReason: "MALFORMED_FUNCTION_CALL"}
		s.Script(bad, bad, bad)
		h := listen(WithAccount(t.Context(), &Account{Attempts: 3}), c.LLM(judge, Options{}), said("?"), streams[name])
		if e := h.only(t); e.Kind != Malformed || len(s.Calls()) != want {
			t.Errorf("%s: %v after %d tries, want %s after %d", name, e, len(s.Calls()), Malformed, want)
		}
	}
}

func TestLLMStreamEndsWithoutItsEnd(t *testing.T) {
	c := open(t, Config{BaseURL: raw(t, 200, nil, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"half an\"}]}}],\"modelVersion\":\"emulated\"}\r\n\r\n")})
	h := listen(t.Context(), c.LLM(judge, Options{}), said("?"), true)
	if e := h.only(t); e.Kind != Unavailable || h.partial != "half an" {
		t.Errorf("error %v after %q, want %s after the half", e, h.partial, Unavailable)
	}
}

// A body that makes the SDK panic is an error; a panic of the caller is not caught.
func TestLLMUnreadable(t *testing.T) {
	for name, stream := range streams {
		body := `{"candidates":"none"}`
		if stream {
			body = "data: " + body + "\r\n\r\n"
		}
		c := open(t, Config{BaseURL: raw(t, 200, nil, body)})
		if e := listen(t.Context(), c.LLM(judge, Options{}), said("?"), stream).only(t); e.Kind != Unavailable || e.Reason != "unreadable" {
			t.Errorf("%s: %v, want %s (unreadable)", name, e, Unavailable)
		}
	}
	c, _ := start(t, Config{})
	defer func() {
		if r := recover(); r != "the caller's" {
			t.Errorf("recovered %v, want the caller's own panic", r)
		}
	}()
	for range c.LLM(judge, Options{}).GenerateContent(t.Context(), said("?"), true) {
		panic("the caller's")
	}
}

func TestLLMCallerLeaves(t *testing.T) {
	c, s := start(t, Config{})
	s.Script(emulator.Answer{Text: strings.Repeat("word ", 200)})
	a := &Account{Attempts: 3}
	for range c.LLM(judge, Options{}).GenerateContent(WithAccount(t.Context(), a), said("?"), true) {
		break
	}
	if l := a.Ledger(); len(s.Calls()) != 1 || l.Usage.Total == 0 {
		t.Errorf("%d tries, ledger %+v: want one, and what was used", len(s.Calls()), l)
	}
}

func TestLLMRefusesWrongContents(t *testing.T) {
	user := func(p ...*genai.Part) []*genai.Content {
		return []*genai.Content{{Role: genai.RoleUser, Parts: p}}
	}
	text := genai.NewPartFromText("?")
	for want, contents := range map[string][]*genai.Content{
		"the request has no contents":                          nil,
		"contents[0] is missing":                               {nil},
		`contents[0].role is "system"`:                         {{Role: "system", Parts: []*genai.Part{text}}},
		`contents[0].role is ""`:                               {{Parts: []*genai.Part{text}}},
		"contents[0] has no parts":                             user(),
		"contents[0].parts[1] is empty":                        user(text, &genai.Part{}),
		"contents[0].parts[0] is empty":                        user(nil),
		"contents[0].parts[0] calls a function without a name": user(&genai.Part{FunctionCall: &genai.FunctionCall{}}),
		"contents[0].parts[0] answers a function without":      user(&genai.Part{FunctionResponse: &genai.FunctionResponse{}}),
	} {
		c, s := start(t, Config{})
		e := listen(t.Context(), c.LLM(judge, Options{}), &model.LLMRequest{Contents: contents}, false).only(t)
		if e.Kind != Invalid || !strings.Contains(e.Error(), want) || len(s.Calls()) != 0 {
			t.Errorf("%v after %d tries, want %s: %s", e, len(s.Calls()), Invalid, want)
		}
	}
}

func TestLLMRefusesWrongSettings(t *testing.T) {
	schema := &genai.Schema{Type: genai.TypeObject}
	tests := []struct {
		want    string
		model   string
		options Options
		config  genai.GenerateContentConfig
	}{
		{"no model name", "a?b", Options{}, genai.GenerateContentConfig{}},
		{"Thinking", judge, Options{Thinking: "much"}, genai.GenerateContentConfig{}},
		{"MediaResolution", judge, Options{MediaResolution: "huge"}, genai.GenerateContentConfig{}},
		{"search first", "gemini-2.5-flash", Options{}, genai.GenerateContentConfig{ResponseSchema: schema, Tools: []*genai.Tool{{GoogleSearch: &genai.GoogleSearch{}}}}},
		{"StreamFunctionCallArguments", judge, Options{}, genai.GenerateContentConfig{ToolConfig: &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{StreamFunctionCallArguments: new(bool)}}}},
	}
	for _, tt := range tests {
		c, s := start(t, Config{})
		r := said("?")
		r.Config = &tt.config
		e := listen(t.Context(), c.LLM(tt.model, tt.options), r, false).only(t)
		if e.Kind != Invalid || !strings.Contains(e.Error(), tt.want) || len(s.Calls()) != 0 {
			t.Errorf("%v after %d tries, want %s: %s", e, len(s.Calls()), Invalid, tt.want)
		}
	}
}
