package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/internal/web/caller"
	"example.com/whatis/internal/web/caller/callertest"
)

// Every request has a caller, or is refused before it reaches a route or another handler;
// a route refuses callers without its role.
func TestIdentity(t *testing.T) {
	const audience = "/projects/1/locations/r/services/s"
	issuer := callertest.Start(t)
	callers, err := caller.New(caller.Config{Access: caller.BehindIAP, Audiences: []string{audience}, Reviewers: []string{"kim@example.com"}, Keys: issuer.URL})
	if err != nil {
		t.Fatal(err)
	}
	name := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, caller.From(r.Context()).Name())
	}
	route := func(path string, role caller.Role) Route {
		return Route{Method: http.MethodGet, Path: path, Role: role, Summary: "x", Do: func(w http.ResponseWriter, r *http.Request) error { name(w, r); return nil }}
	}
	site := New(Config{Title: "t", Version: "1", Callers: callers, Parts: []Part{{
		Name: "cups", About: "x", Routes: []Route{route("/any", caller.Asker), route("/read", caller.Reader), route("/review", caller.Reviewer)},
		Others: map[string]http.Handler{"/other": http.HandlerFunc(name)},
	}}})
	ask := func(path, who string) (int, string) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if who != "" {
			r.Header.Set("X-Goog-IAP-JWT-Assertion", issuer.ES256("1", callertest.Asserts(audience, who, who+"@example.com")))
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	issuer.Down.Store(true)
	if status, body := ask("/any", "kim"); status != 503 || !strings.Contains(body, "identity_keys_unreachable") || !strings.Contains(body, `"retry_after":5`) {
		t.Errorf("without the keys: %d %s; want 503", status, body)
	}
	issuer.Down.Store(false)
	for _, tt := range []struct {
		path, who string
		status    int
		want      string
	}{
		{"/any", "ana", 200, "ana@example.com"},
		{"/other", "ana", 200, "ana@example.com"},
		{"/read", "ana", 200, "ana@example.com"},
		{"/review", "ana", 403, "role_needed"},
		{"/review", "kim", 200, "kim@example.com"},
		{"/any", "", 401, "unidentified"},
		{"/other", "", 401, "unidentified"},
		{"/nothing", "", 401, "unidentified"},
		{"/openapi.json", "", 401, "unidentified"},
	} {
		if status, body := ask(tt.path, tt.who); status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("GET %s by %q = %d %s; want %d with %s", tt.path, tt.who, status, body, tt.status, tt.want)
		}
	}
}
