package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
)

// With -dev ADK's own page has every agent, and a photo that is dropped there gets
// its result.
func TestDev(t *testing.T) {
	t.Parallel()
	s := start(t, nil, append([]string{"-dev"}, little(t)...)...)
	page := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s.until("ADK's page")), "ADK's page"))
	s.until("Ready")
	if body, code := fetch(t, page, nil); code != 200 || !strings.Contains(body, "<html") {
		t.Errorf("%s: status %d, body %.200s, want a page", page, code, body)
	}
	root := strings.TrimSuffix(page, "/ui/")
	if body, code := fetch(t, page+"assets/config/runtime-config.json", nil); code != 200 || !strings.Contains(body, root+"/api") {
		t.Errorf("the page's configuration: status %d, %s, want its API at %s/api", code, body, root)
	}
	var agents []string
	body, code := fetch(t, root+"/api/list-apps", nil)
	if err := json.Unmarshal([]byte(body), &agents); err != nil || code != 200 {
		t.Errorf("list-apps: status %d, %s, %v", code, body, err)
	}
	slices.Sort(agents)
	if want := []string{"product_analyzer", "search_agent", "weather_agent"}; !slices.Equal(agents, want) {
		t.Errorf("list-apps has %q, want %q", agents, want)
	}
	for _, test := range []struct {
		photo []byte
		want  string
	}{
		{samples.All()[0].Bytes(), `"product_name": "Sea Salt Oat Crackers"`},
		{nil, "the message has no photo"},
	} {
		if got := s.drop(root, test.photo); !strings.Contains(got, test.want) {
			t.Errorf("a message with a photo of %d bytes is answered %.300s, want %s", len(test.photo), got, test.want)
		}
	}
	t.Run("a browser", func(t *testing.T) {
		for _, name := range []string{"chromium-headless-shell", "chromium"} { // the first has no windows to draw
			if path, err := exec.LookPath(name); err == nil {
				dropInBrowser(t, path, page)
				return
			}
		}
		t.Skip("no chromium on the PATH: ADK's page was not looked at")
	})
	s.onlyForItself(root)
	s.cmd.Process.Signal(os.Interrupt)
	if _, stderr, code := s.end(); code != 0 || stderr != "" {
		t.Errorf("Ctrl-C: exit code %d, errors %q, want 0 and none", code, stderr)
	}
}

// drop sends a photo as ADK's page does, and returns the last of the answer's
// events, or the error.
func (s *session) drop(root string, photo []byte) string {
	s.t.Helper()
	made, code := fetch(s.t, root+"/api/apps/product_analyzer/users/user/sessions", []byte("{}"))
	var id struct{ ID string }
	if err := json.Unmarshal([]byte(made), &id); err != nil || code != 200 {
		s.t.Fatalf("a new session: status %d, %s", code, made)
	}
	parts := []any{map[string]any{"text": "what is it?"}}
	if photo != nil {
		parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": "image/jpeg", "displayName": "photo.jpg", "data": photo}})
	}
	message, err := json.Marshal(map[string]any{"appName": "product_analyzer", "userId": "user", "sessionId": id.ID, "streaming": true,
		"newMessage": map[string]any{"role": "user", "parts": parts}})
	if err != nil {
		s.t.Fatal(err)
	}
	stream, code := fetch(s.t, root+"/api/run_sse", message)
	events := strings.Split(strings.TrimSpace(stream), "\n\n")
	last := events[len(events)-1]
	_, data, _ := strings.Cut(last, "data: ")
	var event struct {
		Error   string
		Content struct{ Parts []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(data), &event); err != nil || code != 200 {
		s.t.Fatalf("run_sse: status %d, last event %s", code, last)
	}
	if len(event.Content.Parts) == 0 {
		return event.Error
	}
	return event.Content.Parts[0].Text
}

// onlyForItself checks that the page answers on the loopback alone, to its own name
// and to no other page.
func (s *session) onlyForItself(root string) {
	s.t.Helper()
	address, err := url.Parse(root)
	if err != nil {
		s.t.Fatal(err)
	}
	own, _ := net.InterfaceAddrs()
	for _, a := range own {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil && listens(net.JoinHostPort(ip.IP.String(), address.Port())) {
			s.t.Errorf("ADK's page listens at %s too", ip.IP)
		}
	}
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"", root, http.StatusOK},
		{"stranger.example:" + address.Port(), "", http.StatusMisdirectedRequest},
		{"", "http://stranger.example", http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, root+"/api/apps/product_analyzer/users/user/sessions", strings.NewReader("{}"))
		if err != nil {
			s.t.Fatal(err)
		}
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != test.want {
			s.t.Errorf("host %q, origin %q: status %d, want %d", test.host, test.origin, resp.StatusCode, test.want)
		}
	}
}
