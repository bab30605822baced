package siege

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// A gate is a proxy before the emulated model that can hold a call, which is neither
// answered nor logged until its release.
type gate struct {
	URL   string
	model *httputil.ReverseProxy

	mu    sync.Mutex
	holds []*hold
}

// A hold keeps the calls of one step of one photo waiting.
type hold struct {
	mark, step string
	arrived    chan struct{} // gets a value for every call that waits
	left       chan struct{} // and one for every call whose process goes away meanwhile
	open       chan struct{} // closed by release
	release    func()
}

func newGate(t *testing.T, model string) *gate {
	t.Helper()
	target, err := url.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{model: &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		Transport:    &http.Transport{MaxIdleConnsPerHost: 1000},
		ErrorLog:     log.New(io.Discard, "", 0), // answers that are cut are meant to be
	}}
	server := &http.Server{Handler: g, ErrorLog: g.model.ErrorLog}
	l := listen(t)
	go func() { _ = server.Serve(l) }() // until Close
	g.URL = "http://" + l.Addr().String()
	t.Cleanup(func() { _ = server.Close() })
	return g
}

// removeStorage restarts process 0 with a proxy to storage of its own. close shuts the
// proxy: it refuses all further calls of the process, even those still in flight when it
// is dead.
func (s *siege) removeStorage() (close func()) {
	s.t.Helper()
	target, err := url.Parse(s.Storage.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	var closed atomic.Bool
	open := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if closed.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		open.ServeHTTP(w, r)
	}))
	s.t.Cleanup(way.Close)
	s.env = append(s.env[:len(s.env):len(s.env)], "STORAGE_EMULATOR_HOST="+way.URL)
	s.signal(0, syscall.SIGKILL)
	s.restart(0)
	s.warm(1)
	return func() { closed.Store(true) }
}

// hold keeps the calls of a photo's step waiting until release.
func (g *gate) hold(mark, step string) *hold {
	h := &hold{mark: mark, step: step, arrived: make(chan struct{}, 100), left: make(chan struct{}, 100), open: make(chan struct{})}
	h.release = sync.OnceFunc(func() { close(h.open) })
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holds = append(g.holds, h)
	return h
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	mark, step := markOf(string(body)), stepOf(r.URL.Path, string(body))
	g.mu.Lock()
	holds := g.holds
	g.mu.Unlock()
	for _, h := range holds {
		if h.mark != mark || h.step != step {
			continue
		}
		h.arrived <- struct{}{}
		select {
		case <-h.open:
		case <-r.Context().Done():
			h.left <- struct{}{}
			panic(http.ErrAbortHandler)
		}
	}
	g.model.ServeHTTP(w, r)
}

// The paid steps, by their names in the tests.
const (
	stepImage   = "image"
	stepEmbed   = "embed"
	stepJudge   = "judge"
	stepSearch  = "search"
	stepRefined = "refined"
	stepFinding = "structure"
)

// stepOf returns the step of an HTTP call.
func stepOf(path, body string) string {
	switch {
	case strings.Contains(path, "mbedContent"):
		return stepEmbed
	case strings.Contains(body, `"visible_text":`):
		return stepImage
	case strings.Contains(body, `"pick":`):
		return stepJudge
	case strings.Contains(body, `"probability":`):
		return stepFinding
	case strings.Contains(body, `"refined:\n`):
		return stepRefined
	}
	return stepSearch
}
