package api

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/intake"
)

// A client that reads nothing is cut once its connection holds no more.
func TestStuckClientIsCut(t *testing.T) {
	cut := make(chan time.Duration, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := newStream(w, Times{Write: 50 * time.Millisecond}.withDefaults())
		defer s.keep()()
		for begin := time.Now(); time.Since(begin) < 10*time.Second; {
			s.send("agent", "a-1", strings.Repeat("x", 1<<20))
			if s.broken() {
				<-r.Context().Done() // the server sees that it is gone
				cut <- time.Since(begin)
				return
			}
		}
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case took := <-cut:
		if took > 9*time.Second {
			t.Errorf("the client was cut after %s, want soon after 50 ms", took)
		}
	case <-time.After(20 * time.Second):
		t.Error("a client that reads nothing is not cut")
	}
}

// Data that have no JSON are left out, and the event is sent.
func TestEventWithoutJSON(t *testing.T) {
	w := httptest.NewRecorder()
	s := newStream(w, Times{}.withDefaults())
	p := newProgress(s, question{photos: make([]intake.Photo, 1)}, "")
	p.event(0, &agent.Event{Author: "a", Kind: agent.Finished, Data: func() {}})
	if s.broken() || !strings.Contains(w.Body.String(), `"kind":"finished"`) {
		t.Errorf("the event was sent as %q", w.Body)
	}
}
