package gemini

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

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

func TestScriptedGroundingAndBlock(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	s.Script(
		Answer{Text: "tea", Grounding: &Grounding{Queries: []string{"q"}, Chunks: []GroundingChunk{{Web: WebSource{URI: "https://a.example/", Title: "A"}}}}},
		Answer{BlockReason: "PROHIBITED_CONTENT"},
	)
	g := geminitest.MustAsk(t, client, geminitest.Searching(), nil, "q").Candidates[0].GroundingMetadata
	if g == nil || g.GroundingChunks[0].Web.URI != "https://a.example/" || g.WebSearchQueries[0] != "q" {
		t.Errorf("grounding = %+v, want the scripted one", g)
	}
	resp := geminitest.MustAsk(t, client, nil, nil, "q")
	if len(resp.Candidates) != 0 || resp.PromptFeedback.BlockReason != "PROHIBITED_CONTENT" {
		t.Errorf("blocked = %+v, want no candidates and PROHIBITED_CONTENT", resp)
	}
}

func TestScriptedFaults(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	s.Script(
		Answer{Fault: &Fault{Type: RateLimited, Delay: time.Second}},
		Answer{Text: "twelve chars", Fault: &Fault{Type: Truncated}},
		Answer{Fault: &Fault{Type: Latency, Delay: time.Millisecond}},
	)
	if _, err := geminitest.Ask(t.Context(), client, nil, nil, "q"); err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("first call: %v, want 429", err)
	}
	for _, want := range []string{"twelve", "The emulated model has no answer to this."} {
		if got := geminitest.MustAsk(t, client, nil, nil, "q").Text(); got != want {
			t.Errorf("answer = %q, want %q", got, want)
		}
	}
}
