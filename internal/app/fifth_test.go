package app

import (
	_ "embed"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/app/testdata/slogan"
)

// A fifth agent is one folder and one line in the app. All else comes by itself: a
// route with problems and a stream, and a place in every list.
func TestFifthAgent(t *testing.T) {
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "K_SERVICE=", "GOOGLE_GENAI_USE_VERTEXAI=",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	c, err := ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := New(c)
	a.agents = append(a.agents,
		func(a *App) entry { return only(slogan.Skill(a.gemini.Get, a.Analyze.JudgeModel)) },
	)
	forNoodles := func(r *emulated.Request) bool { return strings.Join(r.Texts, "") == "noodles" }
	answer := emulated.Answer{Match: forNoodles, JSON: map[string]any{"slogan": "Slurp."}}
	w.Gemini.Script(answer, answer)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	tests := []struct {
		method, path, body, accept string
		status                     int
		want                       []string
	}{
		{"POST", "/skills/slogan", `{"product":"noodles"}`, "", 200, []string{`"slogan": "Slurp."`}},
		{"POST", "/skills/slogan", `{"product":"noodles"}`, "text/event-stream", 200, []string{"event: agent", `"author":"slogan_writer"`, `"kind":"usage"`, "event: result", "Slurp.", "event: end"}},
		{"POST", "/skills/slogan", `{"word":"noodles"}`, "", 422, []string{`"code":"bad_input"`, "send {product}"}},
		{"GET", "/skills", "", "", 200, []string{`"id": "slogan"`, "what the slogan is for"}},
		{"GET", "/openapi.json", "", "", 200, []string{`"/skills/slogan"`}},
		{"GET", "/.well-known/agent-card.json", "", "", 200, []string{`"slogan"`, "Writes a slogan for a product."}},
		{"POST", "/mcp", list, "application/json, text/event-stream", 200, []string{`"name":"slogan"`}},
	}
	handler := a.API()
	for _, test := range tests {
		r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", test.accept)
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, r)
		for _, part := range test.want {
			if got.Code != test.status || !strings.Contains(got.Body.String(), part) {
				t.Errorf("%s %s %s = %d, %.2000s; want %d with %s", test.method, test.path, test.body, got.Code, got.Body, test.status, part)
			}
		}
	}
}

//go:embed testdata/slogan/slogan.go
var sloganCode string

//go:embed testdata/slogan/slogan.md
var sloganPrompt string

// The guide shows the agent of the test above.
func TestDocsFifthAgent(t *testing.T) {
	docs.Section(t, "architecture.md", "the fifth agent", "```go\n"+sloganCode+"```")
	docs.Section(t, "architecture.md", "the fifth agent's prompt", "```text\n"+sloganPrompt+"```")
}
