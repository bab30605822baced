package api_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/api/googleapi"

	"example.com/whatis/internal/agent"
)

// failing is an agent whose services fail with what they say of themselves.
func failing() agent.Skill {
	return agent.NewSkill(agent.Card{ID: "failing", Name: "Failing", Description: "Fails as it is told."},
		func(_ context.Context, in told, _ func(*agent.Event)) (told, error) {
			if in.Words == "storage" {
				return told{}, &googleapi.Error{Code: 403, Message: "sa@project-123456789012.iam does not have access", Body: "https://storage.googleapis.com/storage/v1/b/private"}
			}
			dial := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 443}, Err: &net.DNSError{Err: "no such host", Name: "db.inside.example"}}
			return told{}, &url.Error{Op: "Get", URL: "https://db.inside.example/path?key=swordfish", Err: dial}
		})
}

// What a service says of itself is in no answer, by whichever protocol the agent is asked.
func TestUpstreamsWords(t *testing.T) {
	t.Parallel()
	s := agents(t, failing())
	message := func(method, message string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"metadata":{"skill":"failing"},"message":` + message + `}}`
	}
	current := `{"messageId":"m","role":"ROLE_USER","metadata":{"skill":"failing"},"parts":[{"data":{"words":"WORD"}}]}`
	former := `{"kind":"message","messageId":"m","role":"user","metadata":{"skill":"failing"},"parts":[{"kind":"data","data":{"words":"WORD"}}]}`
	first := `{"jsonrpc":"2.0","id":1,"method":"METHOD","params":{"id":"WORD-METHOD","metadata":{"skill":"failing"},"message":{"role":"user","parts":[{"type":"data","data":{"words":"WORD"}}]}}}`
	tests := map[string]struct {
		path, body string
		header     []string
	}{
		"HTTP":                {"/skills/failing", `{"words":"WORD"}`, nil},
		"events":              {"/skills/failing", `{"words":"WORD"}`, []string{"Accept", "text/event-stream"}},
		"A2A 1.0":             {"/a2a", message("SendMessage", current), []string{"A2A-Version", "1.0"}},
		"A2A 1.0, streamed":   {"/a2a", message("SendStreamingMessage", current), []string{"A2A-Version", "1.0"}},
		"A2A 0.3":             {"/a2a", message("message/send", former), nil},
		"A2A 0.3, streamed":   {"/a2a", message("message/stream", former), nil},
		"A2A first":           {"/a2a", strings.ReplaceAll(first, "METHOD", "tasks/send"), nil},
		"A2A first, streamed": {"/a2a", strings.ReplaceAll(first, "METHOD", "tasks/sendSubscribe"), nil},
		"MCP":                 {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"failing","arguments":{"words":"WORD"}}}`, []string{"Accept", "application/json, text/event-stream"}},
	}
	secret := regexp.MustCompile(`10\.1\.2|:443|inside|123456789012|storage/v1|does not have access|dial|swordfish`)
	for name, tt := range tests {
		for _, word := range []string{"storage", "network"} {
			resp, answer := s.ask("POST", tt.path, strings.ReplaceAll(tt.body, "WORD", word), append([]string{"Content-Type", "application/json"}, tt.header...)...)
			if found := secret.FindString(answer); found != "" {
				t.Errorf("%s, %s: the answer has %q: %s", name, word, found, answer)
			}
			if !strings.Contains(answer, "error_id") {
				t.Errorf("%s, %s: %s %s; want the ID of the error", name, word, resp.Status, answer)
			}
		}
	}
}

// Documents that are always the same are sent once: their ETag is answered 304.
func TestConstantDocuments(t *testing.T) {
	t.Parallel()
	s := agents(t)
	for _, path := range []string{"/openapi.json", "/skills", "/.well-known/agent-card.json", "/.well-known/agent.json"} {
		resp, body := s.ask(http.MethodGet, path, "")
		tag := resp.Header.Get("ETag")
		if resp.StatusCode != http.StatusOK || tag == "" || body == "" {
			t.Errorf("GET %s = %s with the ETag %q", path, resp.Status, tag)
		}
		if again, body := s.ask(http.MethodGet, path, "", "If-None-Match", tag); again.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("GET %s again = %s, %.100q; want 304", path, again.Status, body)
		}
		if other, body := s.ask(http.MethodGet, path, "", "If-None-Match", `"other"`); other.StatusCode != http.StatusOK || body == "" {
			t.Errorf("GET %s with another ETag = %s", path, other.Status)
		}
	}
}
