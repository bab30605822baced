package answers

import (
	"context"
	"net/http"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini"
)

// start runs an emulator for the test, without tesseract unless o names one.
func start(t testing.TB, o Options) *gemini.Server {
	t.Helper()
	if o.Tesseract == "" {
		o.Tesseract = "off"
	}
	s, err := Start(gemini.Options{}, o)
	if err != nil {
		t.Fatalf("Start(%+v): %v", o, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// apiClient speaks the Gemini API, vertexClient Vertex AI.
func apiClient(t testing.TB, s *gemini.Server) *genai.Client {
	t.Helper()
	return newClient(t, &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: "any",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
}

func vertexClient(t testing.TB, s *gemini.Server) *genai.Client {
	t.Helper()
	return newClient(t, &genai.ClientConfig{
		Backend: genai.BackendVertexAI, Project: "p", Location: "us-central1",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
}

func newClient(t testing.TB, config *genai.ClientConfig) *genai.Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	config.HTTPClient = &http.Client{Transport: transport}
	client, err := genai.NewClient(t.Context(), config)
	if err != nil {
		t.Fatalf("genai.NewClient: %v", err)
	}
	return client
}

// backends are the two services a call can be made of.
var backends = []struct {
	name   string
	client func(testing.TB, *gemini.Server) *genai.Client
}{{"gemini_api", apiClient}, {"vertex", vertexClient}}

// wanting is a config with a schema of the given properties.
func wanting(properties ...string) *genai.GenerateContentConfig {
	p := map[string]any{}
	for _, name := range properties {
		p[name] = map[string]any{"type": "string"}
	}
	return &genai.GenerateContentConfig{
		ResponseMIMEType:   "application/json",
		ResponseJsonSchema: map[string]any{"type": "object", "properties": p},
	}
}

func searching() *genai.GenerateContentConfig {
	return &genai.GenerateContentConfig{Tools: []*genai.Tool{{GoogleSearch: &genai.GoogleSearch{}}}}
}

// ask sends a photo, when there is one, and texts as the parts of one content.
func ask(ctx context.Context, c *genai.Client, config *genai.GenerateContentConfig, photo *genai.Blob, texts ...string) (*genai.GenerateContentResponse, error) {
	content := &genai.Content{Role: "user"}
	if photo != nil {
		content.Parts = append(content.Parts, &genai.Part{InlineData: photo})
	}
	for _, t := range texts {
		content.Parts = append(content.Parts, &genai.Part{Text: t})
	}
	return c.Models.GenerateContent(ctx, "emulated-image", []*genai.Content{content}, config)
}

// mustAsk is ask for calls that have to succeed.
func mustAsk(t testing.TB, c *genai.Client, config *genai.GenerateContentConfig, photo *genai.Blob, texts ...string) *genai.GenerateContentResponse {
	t.Helper()
	resp, err := ask(t.Context(), c, config, photo, texts...)
	if err != nil {
		t.Fatalf("GenerateContent: %v", err)
	}
	return resp
}
