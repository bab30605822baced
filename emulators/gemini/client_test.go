package gemini

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"
)

// start runs an emulator for the test.
func start(t testing.TB, o Options) *Server {
	t.Helper()
	o.Responders, o.Embed = []Responder{toy{}}, toyEmbed
	s, err := Start(o)
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

// The kinds of toy's requests.
const (
	kindPick   Kind = "pick"   // a schema with pick
	kindSearch Kind = "search" // a google search
)

// toy is a responder for the tests of the wire. It says which photos it was shown.
type toy struct{}

func (toy) Kinds(r *Request) (kinds []Kind) {
	properties, _ := r.ResponseSchema["properties"].(map[string]any)
	if properties["pick"] != nil {
		kinds = append(kinds, kindPick)
	}
	if r.Search {
		kinds = append(kinds, kindSearch)
	}
	return kinds
}

func (toy) Answer(_ context.Context, r *Request) (Answer, error) {
	a := Answer{JSON: map[string]any{"pick": len(r.Inline), "said": strings.Repeat("word ", 100)}}
	if r.Search {
		a.Grounding = &Grounding{
			Queries: r.Texts, Chunks: []GroundingChunk{{Web: WebSource{URI: "https://shop.example", Title: "shop"}}},
			Supports: []GroundingSupport{{Chunks: []int{0}, Segment: Segment{End: 1, Text: "{"}}},
		}
	}
	return a, nil
}

func toyEmbed(_ context.Context, text string, photos []Inline, dimensions int) ([]float32, error) {
	return toyVector(text, dimensions), nil
}

// toyVector points along the axis of the text's length.
func toyVector(text string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	v[len(text)%dimensions] = 1
	return v
}

// apiClient speaks the Gemini API, vertexClient Vertex AI.
func apiClient(t testing.TB, s *Server) *genai.Client {
	t.Helper()
	return newClient(t, &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: "any",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
}

func vertexClient(t testing.TB, s *Server) *genai.Client {
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
	client func(testing.TB, *Server) *genai.Client
}{{"gemini_api", apiClient}, {"vertex", vertexClient}}

// wanting returns a config with a schema of the given properties.
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

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// post sends a raw body to a path of the emulator.
func post(t *testing.T, s *Server, path, body string) *http.Response {
	t.Helper()
	resp, err := http.Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
