package api_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// hostileValues are JSON values of a MB that would take many times that to decode, and
// strings, which do not.
func hostileValues() map[string]string {
	const size = 1 << 20
	list := func(one string) string { return strings.Repeat(one+",", size/(len(one)+1)) + one }
	return map[string]string{
		"one deep array":  strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"half of one":     strings.Repeat("[", size),
		"one deep object": strings.Repeat(`{"a":`, size/6) + "1" + strings.Repeat("}", size/6),
		"empty arrays":    "[" + list("[]") + "]",
		"empty objects":   "[" + list("{}") + "]",
		"objects":         "[" + list(`{"":0}`) + "]",
		"numbers":         "[" + list("1") + "]",
		"members":         "{" + list(`"a":1`) + "}",
		"a string":        `"` + strings.Repeat("a", size) + `"`,
		"escapes":         `"` + strings.Repeat(`\u0007`, size/6) + `"`,
		"a number":        strings.Repeat("1", size),
	}
}

// The memory that a hostile body takes is bounded by its size, whatever it holds and wherever
// it holds it. Not parallel: it measures what the process allocates.
func TestHostileBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("measures what a process allocates, which the race detector changes")
	}
	s := agents(t)
	bodies := map[string]func(value string) (path, body string){
		"MCP arguments": func(v string) (string, string) {
			return "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"analyze_image","arguments":{"image":` + v + `}}}`
		},
		"MCP meta": func(v string) (string, string) {
			return "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"analyze_image","arguments":{},"_meta":{"a":` + v + `}}}`
		},
		"MCP id": func(v string) (string, string) {
			return "/mcp", `{"jsonrpc":"2.0","id":` + v + `,"method":"tools/list"}`
		},
		"MCP params": func(v string) (string, string) {
			return "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + v + `}`
		},
		"MCP body": func(v string) (string, string) { return "/mcp", v },
		"A2A data": func(v string) (string, string) {
			return "/a2a", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"uri":` + v + `}}]}}}`
		},
		"A2A 0.3 data": func(v string) (string, string) {
			return "/a2a", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":{"uri":` + v + `}}]}}}`
		},
		"A2A parts": func(v string) (string, string) {
			return "/a2a", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":` + v + `}}}`
		},
		"A2A metadata": func(v string) (string, string) {
			return "/a2a", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"metadata":{"a":` + v + `},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{}}]}}}`
		},
		"A2A first version": func(v string) (string, string) {
			return "/a2a", `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"a","message":{"role":"user","parts":[{"type":"data","data":{"uri":` + v + `}}]}}}`
		},
		"A2A id": func(v string) (string, string) {
			return "/a2a", `{"jsonrpc":"2.0","id":` + v + `,"method":"ListTasks"}`
		},
		"A2A body": func(v string) (string, string) { return "/a2a", v },
		"a skill":  func(v string) (string, string) { return "/skills/analyze", `{"uri":` + v + `}` },
		"a photo":  func(v string) (string, string) { return "/analyze", v },
		"a search": func(v string) (string, string) { return "/search", `{"query":"a","analysis_result":` + v + `}` },
	}
	for where, body := range bodies {
		for what, value := range hostileValues() {
			path, text := body(value)
			resp, answer, allocated := s.measured(path, text)
			if want := uint64(allocatedPerByte[path] * len(text)); allocated > want {
				t.Errorf("%s, %s: %d bytes allocated %d, want %d at most", where, what, len(text), allocated, want)
			}
			if kind := resp.Header.Get("Content-Type"); resp.StatusCode >= http.StatusInternalServerError || !strings.Contains(kind, "json") && !strings.Contains(kind, "event-stream") {
				t.Errorf("%s, %s: %s, %s: %.200s", where, what, resp.Status, kind, answer)
			}
		}
	}
}

// allocatedPerByte is how much may be allocated in all, by path, for one byte of a body that
// is refused: about what a string takes. The MCP SDK copies it thirty to fifty times, of which
// seven to nine copies are alive at a time.
var allocatedPerByte = map[string]int{"/mcp": 64, "/a2a": 32, "/skills/analyze": 24, "/analyze": 24, "/search": 24}

// measured sends a body and returns how much the process allocated until its answer.
func (s *service) measured(path, body string) (*http.Response, string, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, answer := s.ask("POST", path, body, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	runtime.ReadMemStats(&after)
	return resp, answer, after.TotalAlloc - before.TotalAlloc
}
