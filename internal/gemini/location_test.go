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

// A model that is not found may be at another location, which the log says, with the setting.
func TestGoneElsewhere(t *testing.T) {
	for _, test := range []struct {
		vertex          bool
		location, model string
		job, want       string
	}{
		{true, "europe-west1", "gemini-3.6-flash", jobGenerate, "which is at global, us, eu (as read on "},
		{true, "europe-west1", "gemini-3.6-flash", jobSearch, "change GOOGLE_CLOUD_LOCATION"},
		{true, "eu", "publishers/google/models/gemini-3.6-flash", jobGenerate, ""},
		{true, "eu", "gemini-3.8-flash-lite-tts", jobSpeak, "change SPEECH_LOCATION"},
		{true, "europe-west4", "gemini-embedding-2", jobEmbed, "change EMBEDDING_LOCATION"},
		{true, "eu", "gemini-embedding-2", jobEmbed, ""},
		{true, "global", "gemini-3.6-flash", jobGenerate, ""},
		{true, "europe-west1", "gemini-2.5-flash", jobGenerate, "retired gemini-2.5-flash on 2026-10-16"},
		{true, "europe-west1", "gemini-9", jobGenerate, ""},
		{false, "", "gemini-3.6-flash", jobGenerate, ""},
	} {
		c := &Client{redact: func(s string) string { return s }, vertex: test.vertex, location: test.location}
		e := c.explain(t.Context(), test.model, test.job, genai.APIError{Code: 404, Status: "NOT_FOUND", Message: "no such model"})
		if got := e.Error(); e.Kind != Gone || !strings.Contains(got, test.want) || test.want == "" && !strings.HasSuffix(got, "no such model") {
			t.Errorf("%+v: %v", test, e)
		}
	}
}
