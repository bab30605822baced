package gemini

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

func TestEmbedOnEveryPath(t *testing.T) {
	s := start(t, Options{})
	for _, tt := range []struct {
		backend, model, method string
		client                 func(testing.TB, geminitest.Server) *genai.Client
		texts                  []string
	}{
		{"gemini_api", "emulated-embedding", "batchEmbedContents", geminitest.API, []string{"oat milk", "red ginseng"}},
		{"gemini_api", "gemini-embedding-2", "batchEmbedContents", geminitest.API, []string{"oat milk", "red ginseng"}},
		{"vertex", "emulated-embedding", "predict", geminitest.Vertex, []string{"oat milk", "red ginseng"}},
		{"vertex", "gemini-embedding-001", "predict", geminitest.Vertex, []string{"oat milk"}},
		{"vertex", "gemini-embedding-2", "embedContent", geminitest.Vertex, []string{"oat milk"}},
	} {
		s.ResetCalls()
		var contents []*genai.Content
		for _, text := range tt.texts {
			contents = append(contents, genai.NewContentFromText(text, genai.RoleUser))
		}
		config := &genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](768)}
		resp, err := tt.client(t, s).Models.EmbedContent(t.Context(), tt.model, contents, config)
		if err != nil || len(resp.Embeddings) != len(tt.texts) {
			t.Errorf("%s %s: EmbedContent = %+v, %v; want %d embeddings", tt.backend, tt.model, resp, err, len(tt.texts))
			continue
		}
		for i, e := range resp.Embeddings {
			if want := toyVector(tt.texts[i], 768); !slices.Equal(e.Values, want) {
				t.Errorf("%s %s: embedding %d is not that of %q", tt.backend, tt.model, i, tt.texts[i])
			}
		}
		if c := s.Calls()[0]; c.Method != tt.method || c.Kind != KindEmbed || c.Model != tt.model {
			t.Errorf("%s %s: logged %s %s %s, want %s %s embed", tt.backend, tt.model, c.Method, c.Model, c.Kind, tt.method, tt.model)
		}
	}
}

func TestModelsAndTokens(t *testing.T) {
	s := start(t, Options{})
	api := geminitest.API(t, s)
	var names []string
	for m, err := range api.Models.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "models/emulated-image models/emulated-judge models/emulated-embedding models/emulated-speech" {
		t.Errorf("Models.All = %s, want the emulated models", got)
	}
	for _, b := range geminitest.Backends {
		client := b.Client(t, s)
		m, err := client.Models.Get(t.Context(), "emulated-judge", nil)
		if err != nil || !strings.HasSuffix(m.Name, "models/emulated-judge") {
			t.Errorf("%s: Models.Get = %+v, %v; want emulated-judge", b.Name, m, err)
		}
		if _, err := client.Models.List(t.Context(), nil); err != nil {
			t.Errorf("%s: Models.List: %v", b.Name, err)
		}
		n, err := client.Models.CountTokens(t.Context(), "emulated-judge", genai.Text("twelve chars"), nil)
		if err != nil || n.TotalTokens != 3 {
			t.Errorf("%s: CountTokens = %+v, %v; want 3", b.Name, n, err)
		}
	}
}

func TestVertexExpressMode(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.NewClient(t, &genai.ClientConfig{
		Backend: genai.BackendVertexAI, APIKey: "any",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL(), APIVersion: "v1"},
	})
	geminitest.MustAsk(t, client, nil, nil, "q")
	if c := s.Calls()[0]; !c.Vertex || c.Model != "emulated-image" {
		t.Errorf("logged %+v, want a Vertex AI call", c)
	}
}

func TestUsage(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	for _, tt := range []struct {
		w, h, image uint32
	}{
		{384, 384, 258},
		{385, 300, 258},
		{768, 768, 258},
		{769, 300, 516},
		{1600, 1200, 6 * 258},
	} {
		s.Script(Answer{Text: "sixteen letters."})
		photo := &genai.Blob{MIMEType: "image/png", Data: geminitest.PNGHeader(tt.w, tt.h)}
		u := geminitest.MustAsk(t, client, nil, photo, "eight ch").UsageMetadata
		want := fmt.Sprint(tt.image+2, 4, tt.image+6)
		if got := fmt.Sprint(u.PromptTokenCount, u.CandidatesTokenCount, u.TotalTokenCount); got != want {
			t.Errorf("%d × %d: usage prompt, candidates, total = %s, want %s", tt.w, tt.h, got, want)
		}
	}
}
