package gemini

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

func TestConcurrentScripts(t *testing.T) {
	const calls = 60
	s := start(t, Options{})
	client := geminitest.API(t, s)
	for i := range calls {
		s.Script(Answer{Contains: fmt.Sprintf("call %d.", i), Text: fmt.Sprintf("answer %d", i)})
	}
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			resp, err := geminitest.Ask(t.Context(), client, nil, nil, fmt.Sprintf("call %d.", i))
			if want := fmt.Sprintf("answer %d", i); err != nil || resp.Text() != want {
				t.Errorf("call %d = %v, %v; want %q", i, resp, err, want)
			}
		})
	}
	wg.Wait()
	if got := s.Scripted(); got != 0 {
		t.Errorf("Scripted() = %d, want 0", got)
	}
	if got := len(s.Calls()); got != calls {
		t.Errorf("len(Calls()) = %d, want %d", got, calls)
	}
}

func TestScriptChooses(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	s.Script(
		Answer{Kind: kindSearch, Text: "for the search"},
		Answer{Kind: kindPick, JSON: map[string]any{"pick": 2}},
		Answer{Match: func(r *Request) bool { return strings.HasPrefix(r.System, "be brief") }, Text: "for the brief"},
		Answer{Text: "for anyone", ModelVersion: "m-7", FinishReason: "OTHER", Usage: &Usage{PromptTokens: 5, TotalTokens: 9}},
	)
	brief := &genai.GenerateContentConfig{SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: "be brief"}}}}
	for _, step := range []struct {
		config *genai.GenerateContentConfig
		want   string
	}{
		{geminitest.Wanting("pick"), `{"pick":2}`},
		{brief, "for the brief"},
		{geminitest.Searching(), "for the search"},
	} {
		if got := geminitest.MustAsk(t, client, step.config, nil, "q").Text(); got != step.want {
			t.Errorf("answer = %q, want %q", got, step.want)
		}
	}
	resp := geminitest.MustAsk(t, client, nil, nil, "q")
	if resp.ModelVersion != "m-7" || resp.Candidates[0].FinishReason != "OTHER" || resp.UsageMetadata.PromptTokenCount != 5 {
		t.Errorf("scripted answer = %s %s %+v, want m-7 OTHER and 5 prompt tokens",
			resp.ModelVersion, resp.Candidates[0].FinishReason, resp.UsageMetadata)
	}
	if got := geminitest.MustAsk(t, client, nil, nil, "q").ModelVersion; got != "emulated" {
		t.Errorf("unscripted ModelVersion = %q, want emulated", got)
	}
}
