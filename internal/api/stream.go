package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

// wantsEvents reports that r asks for a stream of events.
func wantsEvents(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// A stream is an answer of server-sent events. It begins with the first of them,
// so that what fails before can still be answered as a problem. A client that
// does not read is cut: then nothing is written any more.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
type stream struct {
	w     http.ResponseWriter
	conn  *http.ResponseController
	times Times

	mu    sync.Mutex
	begun bool
	err   error // of the first write that failed
}

func newStream(w http.ResponseWriter, t Times) *stream {
	return &stream{w: w, conn: http.NewResponseController(w), times: t}
}

// keep sends a comment now and then, so that nobody on the way takes the stream for
// dead, until stop is called.
func (s *stream) keep() (stop func()) {
	ended, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		tick := time.NewTicker(s.times.Comment)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				s.write([]byte(": still here\n\n"))
			}
		}
	}()
	return func() { close(ended); <-left }
}

// send sends an event.
func (s *stream) send(event, id string, data any) {
	var b bytes.Buffer
	b.WriteString("event: " + event + "\nid: " + id + "\ndata: ")
	e := json.NewEncoder(&b) // writes one line, and the end of it
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		s.fail(err)
		return
	}
	b.WriteString("\n")
	s.write(b.Bytes())
}

// write writes within the write deadline, at once.
func (s *stream) write(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.begin()
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.times.Write)) // not every writer has one
	if _, s.err = s.w.Write(p); s.err == nil {
		s.err = s.conn.Flush()
	}
}

func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // of proxies that would wait for more
	s.w.WriteHeader(http.StatusOK)
}

func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// open reports that something was sent.
func (s *stream) open() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// broken reports that nothing more will arrive.
func (s *stream) broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}
