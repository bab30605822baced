package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/api/mcp"
	"example.com/whatis/internal/web"
)

type asked struct {
	Query string `json:"query"`
	Photo []byte `json:"photo,omitempty"`
}

type said struct {
	Letters int `json:"letters"`
}

// Any request is answered in time by at most one call of a tool, never by a failure of the
// server, and what is JSON in the answer is a message of JSON-RPC.
func FuzzRequest(f *testing.F) {
	var calls atomic.Int32
	counting := agent.NewSkill(agent.Card{ID: "counting", Name: "Counting", Description: "Counts letters."},
		func(_ context.Context, q asked, emit func(*agent.Event)) (said, error) {
			calls.Add(1)
			emit(&agent.Event{Data: "counted"})
			return said{len(q.Query)}, nil
		})
	handler := mcp.Handler(mcp.Config{Name: "test", Version: "1", Skills: []agent.Skill{counting}, Problem: func(err error) web.Problem {
		return web.Problem{Status: http.StatusBadRequest, Detail: err.Error()}
	}})
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"counting","arguments":{"query":"abc"},"_meta":{"progressToken":"p"}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"none"}}`, ` [{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `null`, `{`, `{"jsonrpc":"1.0","id":{},"method":7}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"counting","arguments":[[[[`, `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
	} {
		f.Add(http.MethodPost, "application/json", "2025-06-18", []byte(seed))
	}
	f.Add(http.MethodGet, "", "", []byte{})
	f.Add(http.MethodDelete, "text/plain", "1999-01-01", []byte("x"))
	f.Fuzz(func(t *testing.T, method, kind, version string, body []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", bytes.NewReader(body))
		r.Method = method
		r.Header = http.Header{"Content-Type": {kind}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {version}}
		calls.Store(0)
		handler(w, r, body)
		if ctx.Err() != nil && method != http.MethodGet {
			t.Errorf("%q takes more than 5 s", body)
		}
		if w.Code >= 500 && w.Code != http.StatusNotImplemented || w.Body.Len() > 16<<10+8*len(body) || calls.Load() > 1 {
			t.Errorf("%s %q: status %d, %d bytes, %d calls: %.300q", method, body, w.Code, w.Body.Len(), calls.Load(), w.Body)
		}
		for line := range strings.Lines(w.Body.String()) {
			data, event := strings.CutPrefix(line, "data: ")
			if !event && !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
				continue
			}
			var a struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(data), &a); err != nil || a.JSONRPC != "2.0" {
				t.Errorf("%q is answered %q: %v", body, data, err)
			}
		}
	})
}
