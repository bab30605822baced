package page_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/web"
)

// A line is a proxy between page and service. It records requests and can cut streams.
type line struct {
	mu    sync.Mutex
	asked map[string]int // number of requests by method and path
	last  string         // Last-Event-ID of the latest request that had one
	path  string         // path of the streams to cut
	cuts  int            // how many of the next streams end early
	event int            // the event at which a stream is cut; at 0 it is refused
	away  bool           // a backend is: every request but for the page itself is answered so

	unknown bool // the address is one of which no browser has cached anything
}

type connKey struct{}

// addresses are those at which services of earlier tests listened.
var addresses struct {
	sync.Mutex
	idle []string
}

// earlier returns an address at which a service of an earlier test listened, or a new one if
// there is none.
func earlier(t *testing.T) string {
	t.Helper()
	addresses.Lock()
	defer addresses.Unlock()
	last := len(addresses.idle) - 1
	if last < 0 {
		return net.JoinHostPort("127.0.0.1", emulate.FreePort(t))
	}
	address := addresses.idle[last]
	addresses.idle = addresses.idle[:last]
	return address
}

// listen listens at an address of an earlier service, unless another program has taken it.
func listen(t *testing.T) net.Listener {
	t.Helper()
	var l net.Listener
	var err error
	for range 100 {
		if l, err = net.Listen("tcp", earlier(t)); err == nil {
			return l
		}
	}
	t.Fatal(err)
	return nil
}

// serve serves h and returns the address.
func (l *line) serve(t *testing.T, h http.Handler) string {
	t.Helper()
	l.asked = map[string]int{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch event, cut := l.note(r); {
		case l.refuses(r):
			web.Away.Problem("the database does not answer").After(time.Second).Write(w)
			return
		case cut && event == 0:
			http.Error(w, "the service has just begun", http.StatusServiceUnavailable)
			return
		case cut:
			conn, _ := r.Context().Value(connKey{}).(net.Conn)
			w = &cutter{ResponseWriter: w, conn: conn, event: event}
		}
		h.ServeHTTP(w, r)
	}))
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	if !l.unknown {
		_ = server.Listener.Close() // nobody knows its address
		server.Listener = listen(t)
	}
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if !l.unknown {
			addresses.Lock()
			defer addresses.Unlock()
			addresses.idle = append(addresses.idle, server.Listener.Addr().String())
		}
	})
	return server.URL
}

// note records r, and returns whether its response should be cut, and at which event.
func (l *line) note(r *http.Request) (event int, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[r.Method+" "+r.URL.Path]++
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		l.last = id
	}
	if r.URL.Path != l.path || !strings.Contains(r.Header.Get("Accept"), "event-stream") || l.cuts == 0 {
		return 0, false
	}
	l.cuts--
	return l.event, true
}

// setAway says whether requests are answered as while a backend is away.
func (l *line) setAway(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// refuses reports whether r is answered as while a backend is away: the page and its files
// need none.
func (l *line) refuses(r *http.Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away && r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/page/")
}

// cut cuts the next n streams of a path at an event; at 0 they are refused.
func (l *line) cut(path string, n, event int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.path, l.cuts, l.event = path, n, event
}

// heard returns how often a request was made, and the latest Last-Event-ID.
func (l *line) heard(request string) (n int, last string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[request], l.last
}

// A cutter closes the connection at an event.
type cutter struct {
	http.ResponseWriter
	conn          net.Conn
	event, writes int
}

func (c *cutter) Write(p []byte) (int, error) {
	if c.writes++; c.writes == c.event {
		_ = c.conn.Close()
	}
	return c.ResponseWriter.Write(p)
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
