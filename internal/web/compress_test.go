package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/internal/web"
)

// Responses over 1 kB are compressed for clients that take gzip; small ones and pictures are
// sent as they are.
func TestCompression(t *testing.T) {
	t.Parallel()
	bodies := map[string]struct{ kind, body string }{
		"/large":   {web.JSONMedia, strings.Repeat("0", 2000)},
		"/small":   {web.JSONMedia, strings.Repeat("0", 900)},
		"/picture": {"image/jpeg", strings.Repeat("0", 2000)},
	}
	server := httptest.NewServer(web.Compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", bodies[r.URL.Path].kind)
		_, _ = io.WriteString(w, bodies[r.URL.Path].body)
	})))
	t.Cleanup(server.Close)
	for _, test := range []struct {
		path, takes, want string
	}{
		{"/large", "gzip, br", "gzip"}, {"/large", "", ""}, {"/large", "gzip;q=0", ""}, {"/small", "gzip", ""}, {"/picture", "gzip", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", test.takes) // which turns off the client's own
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := resp.Header.Get("Content-Encoding"); err != nil || got != test.want {
			t.Errorf("GET %s for %q is encoded as %q, %v; want %q", test.path, test.takes, got, err, test.want)
		}
		if whole := len(bodies[test.path].body); test.want == "gzip" && (len(data) > whole/10 || !strings.Contains(resp.Header.Get("Vary"), "Accept-Encoding")) {
			t.Errorf("GET %s has %d bytes of %d, and Vary: %s", test.path, len(data), whole, resp.Header.Get("Vary"))
		}
	}
}
