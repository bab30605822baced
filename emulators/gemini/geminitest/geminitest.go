// Package geminitest calls an emulator of Gemini through Google's client, in tests.
package geminitest

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"testing"

	"google.golang.org/genai"
)

// A Server is an emulator, which listens at a URL.
type Server interface{ URL() string }

// API returns a client that speaks the Gemini API, Vertex one that speaks Vertex AI.
func API(t testing.TB, s Server) *genai.Client {
	t.Helper()
	return NewClient(t, &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: "any",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
}

func Vertex(t testing.TB, s Server) *genai.Client {
	t.Helper()
	return NewClient(t, &genai.ClientConfig{
		Backend: genai.BackendVertexAI, Project: "p", Location: "us-central1",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
}

// NewClient returns the client that config describes; its connections are closed at the end of the test.
func NewClient(t testing.TB, config *genai.ClientConfig) *genai.Client {
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

// Backends are the two services that offer the models.
var Backends = []struct {
	Name   string
	Client func(testing.TB, Server) *genai.Client
}{{"gemini_api", API}, {"vertex", Vertex}}

// Wanting returns a config with a schema of the given properties.
func Wanting(properties ...string) *genai.GenerateContentConfig {
	p := map[string]any{}
	for _, name := range properties {
		p[name] = map[string]any{"type": "string"}
	}
	return &genai.GenerateContentConfig{
		ResponseMIMEType:   "application/json",
		ResponseJsonSchema: map[string]any{"type": "object", "properties": p},
	}
}

// Searching returns a config that lets the model search the web.
func Searching() *genai.GenerateContentConfig {
	return &genai.GenerateContentConfig{Tools: []*genai.Tool{{GoogleSearch: &genai.GoogleSearch{}}}}
}

// Ask sends a photo, when there is one, and texts as the parts of one content.
func Ask(ctx context.Context, c *genai.Client, config *genai.GenerateContentConfig, photo *genai.Blob, texts ...string) (*genai.GenerateContentResponse, error) {
	content := &genai.Content{Role: "user"}
	if photo != nil {
		content.Parts = append(content.Parts, &genai.Part{InlineData: photo})
	}
	for _, t := range texts {
		content.Parts = append(content.Parts, &genai.Part{Text: t})
	}
	return c.Models.GenerateContent(ctx, "emulated-image", []*genai.Content{content}, config)
}

// MustAsk is Ask for calls that have to succeed.
func MustAsk(t testing.TB, c *genai.Client, config *genai.GenerateContentConfig, photo *genai.Blob, texts ...string) *genai.GenerateContentResponse {
	t.Helper()
	resp, err := Ask(t.Context(), c, config, photo, texts...)
	if err != nil {
		t.Fatalf("GenerateContent: %v", err)
	}
	return resp
}

// PNGHeader returns the start of a PNG of that size, all that is read to know it.
func PNGHeader(w, h uint32) []byte {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, w)
	header = binary.BigEndian.AppendUint32(header, h)
	header = append(header, 8, 0, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(header))
}
