package gemini

import (
	"strings"
	"testing"

	"google.golang.org/genai"
)

func TestWhere(t *testing.T) {
	for _, test := range []struct{ url, vertex, location, want string }{
		{"", "", "eu", "Gemini API: "},
		{"", "true", "", "Vertex AI, global: processed in any region"},
		{"", "true", "eu", "Vertex AI, eu: processed within it"},
		{"", "true", "europe-west1", "Vertex AI, europe-west1: see"},
		{"http://127.0.0.1:1", "true", "eu", "http://127.0.0.1:1"},
	} {
		for name, value := range map[string]string{"GOOGLE_GEMINI_BASE_URL": test.url, "GOOGLE_VERTEX_BASE_URL": "", "GOOGLE_GENAI_USE_VERTEXAI": test.vertex, "GOOGLE_CLOUD_LOCATION": test.location, "GOOGLE_CLOUD_REGION": ""} {
			t.Setenv(name, value)
		}
		if got := Where(); !strings.HasPrefix(got, test.want) {
			t.Errorf("Where with %+v = %q", test, got)
		}
	}
}

// A model that is not found in a region may be at another location, which the log says.
func TestGoneElsewhere(t *testing.T) {
	for _, test := range []struct {
		vertex          bool
		location, model string
		hint            bool
	}{
		{true, "europe-west1", "gemini-3.6-flash", true},
		{true, "eu", "publishers/google/models/gemini-3.6-flash", true},
		{true, "global", "gemini-3.6-flash", false},
		{true, "europe-west1", "gemini-2.5-flash", false},
		{false, "", "gemini-3.6-flash", false},
	} {
		c := &Client{redact: func(s string) string { return s }, vertex: test.vertex, location: test.location}
		e := c.explain(t.Context(), test.model, jobGenerate, genai.APIError{Code: 404, Status: "NOT_FOUND", Message: "no such model"})
		if got := strings.Contains(e.Error(), "GOOGLE_CLOUD_LOCATION"); got != test.hint || e.Kind != Gone {
			t.Errorf("%+v: %v, want a hint: %v", test, e, test.hint)
		}
	}
}
