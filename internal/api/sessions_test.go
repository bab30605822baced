package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/api"
	"example.com/whatis/internal/session"
	"example.com/whatis/internal/web/caller"
	"example.com/whatis/internal/web/caller/callertest"
)

// A conversation belongs to its user or, without one, to anybody who has its ID.
func TestSessions(t *testing.T) {
	var conversations *session.Service
	s := serve(t, func(c *api.Config) {
		c.Sessions = func(context.Context) (*session.Service, error) { return conversations, nil }
		c.Callers = &caller.Verifier{Config: caller.Config{Access: caller.Private}}
	})
	conversations = session.New(s.FirestoreClient(t), session.Options{})
	begin := func(user string) string {
		id := session.NewID()
		r, err := conversations.Create(t.Context(), &adk.CreateRequest{AppName: "weather_agent", UserID: session.User(user, id), SessionID: id, State: map[string]any{"CITY": "Paris"}})
		if err != nil {
			t.Fatal(err)
		}
		e := adk.NewEvent(t.Context(), "run")
		e.Author, e.Content = "user", genai.NewContentFromText("And tomorrow?", genai.RoleUser)
		if err := conversations.AppendEvent(t.Context(), r.Session, e); err != nil {
			t.Fatal(err)
		}
		return id
	}
	const hana = "accounts.google.com:hana"
	nobodys, hanas := begin(""), begin(hana)
	for _, tt := range []struct {
		method, id, user string
		status           int
		want             string
	}{
		{"GET", nobodys, "", 200, `"agent":"weather_agent","messages":[{"role":"user","text":"And tomorrow?","time":`},
		{"GET", nobodys, "hana", 404, "session_not_found"},
		{"GET", hanas, "hana", 200, `"state":{"CITY":"Paris"}`},
		{"GET", hanas, "", 404, "session_not_found"},
		{"GET", hanas, "minh", 404, "begin a new one"},
		{"DELETE", hanas, "minh", 404, "session_not_found"},
		{"GET", session.NewID(), "", 404, "session_not_found"},
		{"GET", "weather", "", 404, "session_not_found"},
		{"DELETE", session.NewID(), "", 404, "session_not_found"},
		{"POST", nobodys, "", 405, "method_not_allowed"},
		{"DELETE", hanas, "hana", 204, ""},
		{"GET", hanas, "hana", 404, "begin a new one"},
		{"DELETE", nobodys, "", 204, ""},
		{"GET", nobodys, "", 404, "session_not_found"},
	} {
		headers := []string{"X-Goog-Authenticated-User-Id", hana} // which anybody may send
		if tt.user != "" {
			headers = append(headers, "Authorization", "Bearer "+callertest.Unsigned("RS256", "1", callertest.Names("", tt.user, ""), "SIGNATURE_REMOVED_BY_GOOGLE"))
		}
		resp, body := s.ask(tt.method, "/sessions/"+tt.id, "", headers...)
		var plain bytes.Buffer
		if json.Compact(&plain, []byte(body)) == nil {
			body = plain.String()
		}
		if resp.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s /sessions/%s by %q: %d %s, want %d with %q", tt.method, tt.id, tt.user, resp.StatusCode, body, tt.status, tt.want)
		}
	}
	if resp, body := s.ask(http.MethodGet, "/openapi.json", ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"/sessions/{id}"`) || !strings.Contains(body, `"Conversation"`) {
		t.Errorf("openapi.json has no /sessions/{id}: %d", resp.StatusCode)
	}
}
