package web_test

import (
	"bufio"
	"compress/gzip"
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
	server := httptest.NewServer(web.Compressed(gzip.BestSpeed, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

// A bare response writer neither flushes nor says that it can: http.ResponseController unwraps
// it, as those of the function's guard and trace.
type bare struct{ http.ResponseWriter }

func (b bare) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// get asks for a path as browsers do.
func get(t *testing.T, url string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// An event arrives when it is sent, not when the stream ends, however the writer below is
// wrapped; it is not compressed.
func TestEventsAreNotCompressed(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	site := web.Compressed(gzip.BestSpeed, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s := web.NewStream(w, web.Times{})
		s.Send("agent", "1", strings.Repeat("0", 2000))
		s.Send("agent", "2", "small")
		<-end
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { site.ServeHTTP(bare{w}, r) }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(end) }) // before the server waits for its handler
	resp := get(t, server.URL, "Accept", web.EventMedia)
	if resp.Header.Get("Content-Encoding") != "" || !strings.HasPrefix(resp.Header.Get("Content-Type"), web.EventMedia) {
		t.Errorf("the stream has the headers %v, want a plain one", resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if lines.Text() == `data: "small"` {
			return
		}
	}
	t.Errorf("the second event does not arrive while the stream goes on: %v", lines.Err())
}

// What is compressed once is left so, and says once by what it varies; its ETag is that of its
// content, so that a client that has it is told so.
func TestCompressedOnce(t *testing.T) {
	t.Parallel()
	inner := web.Compressed(gzip.BestCompression, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.WriteConstant(w, r, web.JSONMedia, []byte(strings.Repeat("0", 2000)))
	}))
	server := httptest.NewServer(web.Compressed(gzip.BestSpeed, inner))
	t.Cleanup(server.Close)
	resp := get(t, server.URL)
	zipped, err := gzip.NewReader(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(zipped)
	if err != nil || string(data) != strings.Repeat("0", 2000) || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%d bytes, %v, headers %v; want the 2000, compressed once", len(data), err, resp.Header)
	}
	if vary := resp.Header.Values("Vary"); len(vary) != 1 || vary[0] != "Accept-Encoding" {
		t.Errorf("Vary is %q, want Accept-Encoding once", vary)
	}
	tag := resp.Header.Get("ETag")
	if plain := get(t, server.URL, "Accept-Encoding", "identity"); plain.Header.Get("ETag") != tag || plain.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("uncompressed: headers %v, want the ETag %s and Vary", plain.Header, tag)
	}
	again := get(t, server.URL, "If-None-Match", tag)
	if body, err := io.ReadAll(again.Body); again.StatusCode != http.StatusNotModified || len(body) > 0 || err != nil || again.Header.Get("Content-Encoding") != "" {
		t.Errorf("with its ETag %s, %d bytes, %v, headers %v; want 304 and nothing", again.Status, len(body), err, again.Header)
	}
}
