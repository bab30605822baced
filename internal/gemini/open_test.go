package gemini

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestOpenSaysWhatToSet(t *testing.T) {
	tests := []struct {
		name   string
		env    map[string]string
		config Config
		want   string
	}{
		{"nothing set", nil, Config{}, "set GEMINI_API_KEY"},
		{"blank key", map[string]string{"GEMINI_API_KEY": " \n"}, Config{}, "set GEMINI_API_KEY"},
		{"vertex without a project", map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "true", "GEMINI_API_KEY": secret}, Config{}, "set GOOGLE_CLOUD_PROJECT"},
		{"vertex without credentials", map[string]string{
			"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_CLOUD_PROJECT": "p", "GEMINI_API_KEY": secret,
			"GOOGLE_APPLICATION_CREDENTIALS": "no/such/file"}, Config{}, "no/such/file"},
		{"a limit without a sum", map[string]string{"GEMINI_API_KEY": secret}, Config{MaxUSDPerDay: 1}, "Spend"},
		{"a limit below 0", map[string]string{"GEMINI_API_KEY": secret}, Config{MaxUSDPerDay: -1}, "MaxUSDPerDay"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanEnvironment(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			_, err := Open(t.Context(), tt.config)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open() = %v, want an error with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("Open() prints the key: %v", err)
			}
		})
	}
}

func TestOpenWithKeyReachesNobody(t *testing.T) {
	cleanEnvironment(t)
	t.Setenv("GEMINI_API_KEY", secret)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ended, Config{}); err != nil {
		t.Errorf("Open(ended context) = %v, want a client without a call", err)
	}
}

// The SDK ignores project and credentials if a base URL is set; calls of Vertex AI must
// still have both.
func TestVertexPathAndToken(t *testing.T) {
	for _, byEnvironment := range []bool{false, true} {
		t.Run(fmt.Sprintf("by environment %v", byEnvironment), func(t *testing.T) {
			w := startTap(t, startEmulator(t))
			vertexEnvironment(t, http.StatusOK)
			baseURL := w.URL
			if byEnvironment {
				t.Setenv("GOOGLE_VERTEX_BASE_URL", w.URL)
				baseURL = ""
			}
			if _, err := openVertex(t, baseURL).Generate(t.Context(), question(judge)); err != nil {
				t.Fatalf("Generate() = %v", err)
			}
			got := w.all()[0]
			if want := "/v1beta1/projects/our-project/locations/europe-west4/publishers/google/models/" + judge + ":generateContent"; got.path != want {
				t.Errorf("path = %s, want %s", got.path, want)
			}
			if auth := got.header.Get("Authorization"); auth != "Bearer token-of-the-tests" {
				t.Errorf("Authorization = %q, want the token", auth)
			}
		})
	}
}

// Embeddings and speech may each use another location, where speech costs what it costs there.
func TestOwnLocations(t *testing.T) {
	w := startTap(t, startEmulator(t))
	vertexEnvironment(t, http.StatusOK)
	c, err := Open(t.Context(), Config{BaseURL: w.URL, AllowEmulated: true, EmbeddingLocation: "us-central1", SpeechLocation: "global"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Generate(t.Context(), question(judge)); err != nil {
		t.Fatalf("Generate() = %v", err)
	}
	if _, err := c.Embed(t.Context(), EmbedRequest{Model: "emulated-embedding", Texts: []string{"a"}}); err != nil {
		t.Fatalf("Embed() = %v", err)
	}
	if _, err := c.Speak(t.Context(), SpeakRequest{Model: "emulated-speech", Text: "Sunny."}); err != nil {
		t.Fatalf("Speak() = %v", err)
	}
	if at := c.locationOf(speaking); at != "global" {
		t.Errorf("speech is charged as at %q", at)
	}
	for i, want := range []string{"/locations/europe-west4/", "/locations/us-central1/", "/locations/global/"} {
		if got := w.all()[i].path; !strings.Contains(got, want) {
			t.Errorf("path = %s, want it in %s", got, want)
		}
	}
}

func TestBaseURLFromEnvironment(t *testing.T) {
	w := startTap(t, startEmulator(t))
	cleanEnvironment(t)
	t.Setenv("GOOGLE_API_KEY", secret+"\n")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", w.URL)
	c, err := Open(t.Context(), Config{AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Generate(t.Context(), question(judge)); err != nil {
		t.Fatalf("Generate() = %v", err)
	}
	if got := w.all()[0].path; got != "/v1beta/models/"+judge+":generateContent" {
		t.Errorf("path = %s, want the Gemini API's", got)
	}
}

func TestVertexWithoutToken(t *testing.T) {
	vertexEnvironment(t, http.StatusServiceUnavailable)
	_, err := openVertex(t, raw(t, http.StatusOK, nil, "{}")).Generate(t.Context(), question(judge))
	if e := failure(t, "Generate", err); e.Kind != Unavailable || e.Reason != "connection" {
		t.Errorf("Generate without a token = %v, want %s (connection)", e, Unavailable)
	}
}

func TestKeyIsNotCarriedElsewhere(t *testing.T) {
	elsewhere := startTap(t, startEmulator(t))
	c := open(t, Config{BaseURL: raw(t, http.StatusTemporaryRedirect, http.Header{"Location": {elsewhere.URL}}, "moved")})
	_, err := c.Generate(t.Context(), question(judge))
	if e := failure(t, "Generate", err); e.Kind != Invalid || len(elsewhere.all()) != 0 {
		t.Errorf("Generate behind a redirect = %v with %d requests elsewhere, want %s with none", e, len(elsewhere.all()), Invalid)
	}
}
