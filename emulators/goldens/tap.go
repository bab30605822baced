package goldens

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A Tap is a proxy before a model, which records what is sent to it.
type Tap struct {
	URL     string // the address for the client
	files   *Files
	replace *strings.Replacer
	mu      sync.Mutex
	sent    []Request
}

// Tap returns a proxy to the model at target, until the test ends. Each text of
// volatile, a list of old and new ones as of strings.NewReplacer, is replaced in the
// files, as the port of a server that every run of the test has another of.
func (f *Files) Tap(tb testing.TB, target string, volatile ...string) *Tap {
	tb.Helper()
	to, err := url.Parse(target)
	if err != nil {
		tb.Fatal(err)
	}
	t := &Tap{files: f, replace: strings.NewReplacer(volatile...)}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		t.mu.Lock()
		t.sent = append(t.sent, Request{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
		t.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	t.URL = server.URL
	return t
}

// take returns what was sent since it was last called, in the order of arrival.
func (t *Tap) take() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.sent
	t.sent = nil
	for i, r := range all {
		all[i].Body = []byte(t.replace.Replace(string(r.Body)))
	}
	return all
}

// Discard forgets what was sent so far.
func (t *Tap) Discard() { t.take() }

// Compare compares the requests since the last comparison, in their order, with the
// files of these names. "" stands for a request that is not compared.
func (t *Tap) Compare(tb testing.TB, names ...string) {
	tb.Helper()
	sent := t.take()
	if len(sent) != len(names) {
		tb.Errorf("%d requests were sent, want %d: %q", len(sent), len(names), names)
		for _, r := range sent {
			tb.Logf("sent %s: %.300s", r.URI, r.Body)
		}
		return
	}
	for i, name := range names {
		if name != "" {
			t.files.compare(tb, name, sent[i])
		}
	}
}

// CompareFirst compares, of the requests since the last comparison, the first that
// holds each text with the file that the text is the key of. A field of an answer's
// schema is such a text: it tells the requests of a step whatever its instruction
// says.
func (t *Tap) CompareFirst(tb testing.TB, files map[string]string) {
	tb.Helper()
	sent := t.take()
	for holds, name := range files {
		found := false
		for _, r := range sent {
			if found = bytes.Contains(r.Body, []byte(holds)); found {
				t.files.compare(tb, name, r)
				break
			}
		}
		if !found {
			tb.Errorf("no request holds %s, for the file of %s", holds, name)
		}
	}
}
