package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Times are the durations of streams. Zero means the default.
type Times struct {
	Comment time.Duration // between keep-alive comments; 15 s
	Write   time.Duration // for a client to accept an event; 20 s
	Linger  time.Duration // how long work continues after its client was disconnected; 10 s
	Poll    time.Duration // between reads of a record that is followed; 1 s
}

// WithDefaults returns t with zero values replaced by defaults.
func (t Times) WithDefaults() Times {
	t.Comment = cmp.Or(t.Comment, 15*time.Second)
	t.Write = cmp.Or(t.Write, 20*time.Second)
	t.Linger = cmp.Or(t.Linger, 10*time.Second)
	t.Poll = cmp.Or(t.Poll, time.Second)
	return t
}

// WantsEvents reports whether r accepts an event stream.
func WantsEvents(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), EventMedia)
}

// A Stream is a response of server-sent events. It starts with the first event, so that an
// earlier failure can still be answered as a problem. A client that does not read is
// disconnected; after that nothing is written.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
type Stream struct {
	w     http.ResponseWriter
	conn  *http.ResponseController
	times Times

	mu    sync.Mutex
	begun bool
	err   error // of the first write that failed
}

// NewStream returns a stream that writes to w.
func NewStream(w http.ResponseWriter, t Times) *Stream {
	return &Stream{w: w, conn: http.NewResponseController(w), times: t.WithDefaults()}
}

// KeepAlive sends a comment at regular intervals until stop is called, so that proxies do
// not close an idle connection.
func (s *Stream) KeepAlive() (stop func()) {
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

// Send sends an event with data as JSON.
func (s *Stream) Send(event, id string, data any) {
	var b bytes.Buffer
	b.WriteString("event: " + event + "\nid: " + id + "\ndata: ")
	e := json.NewEncoder(&b) // writes one line and a line end
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		s.fail(err)
		return
	}
	b.WriteString("\n")
	s.write(b.Bytes())
}

// write writes p within the write deadline and flushes it.
func (s *Stream) write(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.begin()
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.times.Write)) // not every writer supports it
	if _, s.err = s.w.Write(p); s.err == nil {
		s.err = s.conn.Flush()
	}
}

func (s *Stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", EventMedia+"; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // tells proxies not to buffer
	s.w.WriteHeader(http.StatusOK)
}

func (s *Stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// Begun reports whether anything was sent.
func (s *Stream) Begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Broken reports whether a write has failed, after which nothing more arrives.
func (s *Stream) Broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// Linger returns a context that ends d after ctx's client has left, so that the client may
// return to its work. It has ctx's deadline in any case.
func Linger(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := within(context.WithoutCancel(ctx), ctx)
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(d, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// within returns ctx with the deadline of another context, if that has one.
func within(ctx, of context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := of.Deadline(); ok {
		return context.WithDeadline(ctx, deadline)
	}
	return context.WithCancel(ctx)
}
