package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/web/caller"
)

// limited returns an API behind Google's front end, where one caller may make so many calls
// in a minute.
func limited(t *testing.T, access caller.Access, perMinute int) *service {
	t.Helper()
	callers, err := caller.New(caller.Config{Access: access, FrontEnd: true})
	if err != nil {
		t.Fatal(err)
	}
	s := agentsWith(t, func(c *api.Config) { c.Callers = callers })
	s.open(s.memory, admission.NewRate(perMinute))
	return s
}

// from returns the headers of a client at that address, who wrote an address of its own.
func from(address string) []string {
	return []string{"X-Forwarded-For", "198.51.100.200, " + address, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
}

// encoded returns data as a JSON string of base64.
func encoded(data []byte) string { return `"` + base64.StdEncoding.EncodeToString(data) + `"` }

// Above the limit every interface says so, and when to try again; who asks from elsewhere is
// not concerned, and an address that the client itself forwards is none.
func TestCallsPerMinute(t *testing.T) {
	t.Parallel()
	s := limited(t, caller.Public, 2)
	width := 80
	photo := func() string {
		width++
		return string(picture(t, width))
	}
	analyze := func(address, forwarded string) *http.Response {
		resp, body := s.ask("POST", "/analyze", photo(), "X-Forwarded-For", forwarded+address)
		if resp.StatusCode != http.StatusOK && !strings.Contains(body, `"code":"too_many_calls"`) {
			t.Fatalf("POST /analyze = %s %s", resp.Status, body)
		}
		return resp
	}
	for i := 0; analyze("203.0.113.1", fmt.Sprintf("192.0.2.%d, ", i)).StatusCode == http.StatusOK; i++ {
		if i == 2 {
			t.Fatal("three photos with two calls a minute")
		}
	}
	resp := analyze("203.0.113.1", "192.0.2.77, ")
	if after := resp.Header.Get("Retry-After"); resp.StatusCode != http.StatusTooManyRequests || after == "" || len(after) > 2 {
		t.Errorf("above the limit: %s, Retry-After %q; want 429 and the seconds", resp.Status, after)
	}
	if resp := analyze("203.0.113.2", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("from another address: %s", resp.Status)
	}
	raw := encoded([]byte(photo()))
	for path, body := range map[string]string{
		"/skills/analyze": `{"image":` + raw + `}`,
		"/mcp":            `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"analyze_image","arguments":{"image":` + raw + `}}}`,
		"/a2a":            `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":` + raw + `}]}}}`,
	} {
		_, answer := s.ask("POST", path, body, from("203.0.113.1")...)
		if !strings.Contains(answer, "too_many_calls") || !strings.Contains(answer, "retry_after") && !strings.Contains(answer, "try again in") {
			t.Errorf("POST %s above the limit = %s, want too_many_calls and when to try again", path, answer)
		}
	}
}

// Each photo of a form and each file of a message counts, those that nobody waits for too;
// what has no caller does not.
func TestCallsOfManyParts(t *testing.T) {
	t.Parallel()
	s := limited(t, caller.Public, 5)
	var files [][2]string
	var parts []string
	for i := range 8 {
		files = append(files, [2]string{fmt.Sprintf("%d.jpg", i), string(picture(t, 100+i))})
		parts = append(parts, `{"raw":`+encoded(picture(t, 120+i))+`}`)
	}
	body, kind := form(t, files...)
	_, answer := s.ask("POST", "/analyze/photos", body, "Content-Type", kind, "X-Forwarded-For", "203.0.113.3")
	if refused := strings.Count(answer, "model calls a minute"); refused < 3 || refused > 7 {
		t.Errorf("%d of 8 photos refused with 5 calls a minute: %s", refused, answer)
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[` + strings.Join(parts, ",") + `]}}}`
	_, answer = s.ask("POST", "/a2a", message, from("203.0.113.4")...)
	if refused := strings.Count(answer, "too_many_calls"); refused < 3 || refused > 7 {
		t.Errorf("%d of 8 files refused with 5 calls a minute: %s", refused, answer)
	}
	for i := range 10 { // as an upload asks
		if _, err := s.in.Photo(t.Context(), intake.Photo{Data: picture(t, 140+i)}, nil); err != nil {
			t.Errorf("without a caller: %v", err)
		}
	}
}

// What a caller does not wait for counts for the caller, and is done when there are calls again.
func TestCallsOfAbsentCaller(t *testing.T) {
	t.Parallel()
	const perMinute = 20 // a call each three seconds, in which a busy machine gets to the work
	s := limited(t, caller.Public, perMinute)
	for i := range perMinute {
		if err := s.calls.Admit(admission.WithCaller(t.Context(), "address:203.0.113.5")); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	body := immediately(`{"raw":` + encoded(picture(t, 150)) + `}`)["1.0"]
	_, answer := s.ask("POST", "/a2a", body, from("203.0.113.5")...)
	id := taskIn(t, answer)
	begin := time.Now()
	s.work()
	if took := time.Since(begin); took < 200*time.Millisecond {
		t.Errorf("done after %v, want to wait for a call", took)
	}
	if _, answer := s.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+string(id)+`"}}`, from("203.0.113.5")...); !strings.Contains(answer, string(protocol.TaskStateCompleted)) {
		t.Errorf("%s, want it completed", answer)
	}
}

// The card says how callers prove who they are, as the service is deployed.
func TestCardSecurity(t *testing.T) {
	t.Parallel()
	for access, want := range map[caller.Access]string{
		caller.Open: "", caller.Public: "", caller.Private: "gcloud auth print-identity-token", caller.BehindIAP: "Identity-Aware Proxy",
	} {
		config := caller.Config{Access: access}
		if access == caller.BehindIAP {
			config.Audiences = []string{"/projects/1/locations/r/services/s"}
		}
		callers, err := caller.New(config)
		if err != nil {
			t.Fatal(err)
		}
		server := a2a.New(a2a.Config{Name: "test", Access: callers.Access})
		w := httptest.NewRecorder()
		server.Card(w, httptest.NewRequest(http.MethodGet, a2a.CardPaths[0], nil))
		card := read[map[string]any](t, w.Body.String())
		var current protocol.AgentCard // as clients of 1.0 read it
		if err := json.Unmarshal(w.Body.Bytes(), &current); err != nil {
			t.Fatalf("%s: %v", access, err)
		}
		former, err := a2av0.NewAgentCardParser()(w.Body.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", access, err)
		}
		for version, c := range map[string]*protocol.AgentCard{"1.0": &current, "0.3": former} {
			if n := len(c.SecuritySchemes); (want != "") != (n == 2) || len(c.SecurityRequirements) != n {
				t.Errorf("%s, read as %s: %v, %v; want two schemes, of which either is enough", access, version, c.SecuritySchemes, c.SecurityRequirements)
			}
		}
		if (card["securitySchemes"] != nil) != (want != "") || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %v, want schemes with %q", access, card["securitySchemes"], want)
		}
		if want != "" && (!strings.Contains(w.Body.String(), googleOpenID) || !strings.Contains(strings.ToLower(w.Body.String()), `"scheme": "bearer"`)) {
			t.Errorf("%s: %s, want OpenID Connect and a bearer token", access, w.Body.String())
		}
	}
}

const googleOpenID = "https://accounts.google.com/.well-known/openid-configuration"
