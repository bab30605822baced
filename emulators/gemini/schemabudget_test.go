package gemini

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Schemas are refused where people report it: by the bounds of their lists, their depth
// and their enums.
func TestLargeSchemas(t *testing.T) {
	s := start(t, Options{})
	list := func(items string, bounds string) string {
		return `{"type":"array",` + bounds + `"items":` + items + `}`
	}
	object := func(member string) string {
		return `{"type":"object","properties":{"a":` + member + `}}`
	}
	words := func(n, letters int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("%q", fmt.Sprintf("%0*d", letters, i))
		}
		return `{"type":"string","enum":[` + strings.Join(all, ",") + `]}`
	}
	const text, bare = `{"type":"string"}`, "Request contains an invalid argument."
	tests := []struct {
		name, schema string
		budget       int
		want         string // the message, "" if it is taken
	}{
		{"no bound", object(list(object(list(text, "")), "")), 1, ""},
		{"a bound within the budget", object(list(text, `"maxItems":960,`)), 0, ""},
		{"a bound above it", object(list(text, `"maxItems":961,`)), 0, bare},
		{"nested bounds within it", object(list(object(list(text, `"maxItems":31,`)), `"maxItems":30,`)), 0, ""},
		{"nested bounds above it", object(list(object(list(text, `"maxItems":32,`)), `"maxItems":30,`)), 0, bare},
		{"the outer one unbounded", object(list(object(list(text, `"maxItems":32,`)), "")), 0, ""},
		{"a bound below", object(list(text, `"minItems":2,`)), 1, bare},
		{"five levels", object(list(object(list(object(text), "")), "")), 0, ""},
		{"six levels", object(list(object(list(object(list(text, "")), "")), "")), 0, bare},
		{"a hundred words", object(words(100, 20)), 0, ""},
		{"too many words", object(words(501, 3)), 0, "too many states for serving"},
		{"words too long", object(words(90, 90)), 0, "too many states for serving"},
	}
	for _, tt := range tests {
		s.SetSchemaBudget(tt.budget)
		status, body := generate(t, s, `{"contents":[{"parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":`+tt.schema+`}}`)
		refused := status == http.StatusBadRequest && strings.Contains(body, tt.want) && !strings.Contains(body, "details")
		if tt.want == "" && status != http.StatusOK || tt.want != "" && !refused {
			t.Errorf("%s: answered %d %s, want %q", tt.name, status, body, tt.want)
		}
	}
}

// A fault refuses requests for their schema alone, another any.
func TestRefusedRequests(t *testing.T) {
	s := start(t, Options{})
	const plain, typed = `{"contents":[{"parts":[{"text":"x"}]}]}`, `{"contents":[{"parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`
	for _, tt := range []struct {
		fault        FaultType
		plain, typed int
	}{
		{SchemaRefused, http.StatusOK, http.StatusBadRequest},
		{BadRequest, http.StatusBadRequest, http.StatusBadRequest},
	} {
		s.SetFaults(Fault{Type: tt.fault})
		a, _ := generate(t, s, plain)
		b, body := generate(t, s, typed)
		if a != tt.plain || b != tt.typed || !strings.Contains(body, `"message":"Request contains an invalid argument."`) {
			t.Errorf("under %s: %d without a schema, %d with one (%s), want %d and %d", tt.fault, a, b, body, tt.plain, tt.typed)
		}
	}
}

func generate(t *testing.T, s *Server, body string) (status int, answer string) {
	t.Helper()
	r := post(t, s, "/v1beta/models/gemini-3.6-flash:generateContent?key=k", body)
	defer r.Body.Close()
	return r.StatusCode, string(readAll(t, r.Body))
}
