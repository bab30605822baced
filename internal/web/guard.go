package web

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Limits are those of an HTTP function. Zero means the default.
type Limits struct {
	Body   time.Duration // for a request's body to come in; 60 s
	Answer time.Duration // from its header to the end of its answer; 570 s
}

const (
	maxRequest = 32 << 20 // Cloud Run ends HTTP/1 bodies there
	maxHeader  = 64 << 10
)

// Guard is next, whose requests are bounded in size and time and whose errors are
// problems. What Go's server refuses before any handler sees it cannot be one: a
// request line or header that it does not understand (400), more than a MiB of header
// (431), an unknown transfer encoding (501) and an unknown expectation (417) are text.
//
// A body is read when next begins to, and not before: of a request that waits or is
// refused, no more is in memory than its connection holds. The header has come in by
// then: Cloud Run's front end sends none by halves.
func (l Limits) Guard(next http.Handler) http.Handler {
	l.Body, l.Answer = cmp.Or(l.Body, time.Minute), cmp.Or(l.Answer, 570*time.Second)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := &guardedBody{conn: http.NewResponseController(w)}
		b.ReadCloser = http.MaxBytesReader(w, r.Body, maxRequest)
		b.ended.Store(r.ContentLength == 0)
		l.setDeadlines(b)
		defer b.stopReading()
		a := &guardedAnswer{ResponseWriter: w, body: b}
		defer a.recovered(r)
		if p, tooLarge := oversize(r); tooLarge {
			p.Write(a)
			return
		}
		r.Body = b
		next.ServeHTTP(a, r)
	})
}

// setDeadlines bounds the reading of b and the writing of its answer. The server
// itself lifts the first where the body ends. Without a body it already waits for
// the client to leave, and must not take a deadline for that.
func (l Limits) setDeadlines(b *guardedBody) {
	now := time.Now()
	if !b.ended.Load() {
		_ = b.conn.SetReadDeadline(now.Add(l.Body)) // the connection is closed otherwise
	}
	_ = b.conn.SetWriteDeadline(now.Add(l.Answer))
}

// oversize is what a request is answered that says itself that it is too large.
func oversize(r *http.Request) (Problem, bool) {
	switch {
	case r.ContentLength > maxRequest:
		return unreadBody(&http.MaxBytesError{Limit: maxRequest}), true
	case headerSize(r) > maxHeader:
		return headerTooLarge.Problem("the header is larger than 64 KiB: send less"), true
	}
	return Problem{}, false
}

// The codes of requests that no handler could read.
var (
	headerTooLarge = Code{"request_header_fields_too_large", http.StatusRequestHeaderFieldsTooLarge}
	slowBody       = Code{"slow_body", http.StatusRequestTimeout}
)

// unreadBody says why a body could not be read.
func unreadBody(err error) Problem {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return TooManyBytes.Problem("the body is larger than 32 MiB: send less")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return slowBody.Problem("the body did not come in time: try again")
	}
	return BadBody.Problem("the body ends early, or its chunks are malformed")
}

// headerSize is about how many bytes the header of r has.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + len(": \r\n")
		}
	}
	return n
}

// A guardedBody is a request's body as the function reads it.
type guardedBody struct {
	io.ReadCloser
	conn   *http.ResponseController
	ended  atomic.Bool
	failed atomic.Pointer[error] // of the first Read that failed
}

func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.ended.Store(true)
	case err != nil:
		b.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// stopReading stops the reading of a body that nobody wants any more. Without it the
// connection would be held until the client sends on.
func (b *guardedBody) stopReading() {
	if !b.ended.Load() {
		_ = b.conn.SetReadDeadline(time.Unix(1, 0))
	}
}

// A guardedAnswer is written at once, whether or not the request's body has ended: the
// server would first read on from a client that perhaps sends nothing. When the
// body could not be read, it says so, instead of what the handler made of that.
type guardedAnswer struct {
	http.ResponseWriter
	body     *guardedBody
	begun    bool // the status is written
	replaced bool // the handler's answer, by a problem
}

func (a *guardedAnswer) WriteHeader(status int) {
	if status >= http.StatusOK && !a.body.ended.Load() {
		a.Header().Set("Connection", "close")
	}
	failed := a.body.failed.Load()
	if failed != nil && status >= http.StatusBadRequest && !a.begun {
		a.begun, a.replaced = true, true
		a.Header().Del("Content-Length")
		unreadBody(*failed).Write(a.ResponseWriter)
		return
	}
	a.begun = a.begun || status >= http.StatusOK
	a.ResponseWriter.WriteHeader(status)
}

func (a *guardedAnswer) Write(p []byte) (int, error) {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	if a.replaced {
		return len(p), nil
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets the handler flush and set deadlines.
func (a *guardedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recovered ends the panic of a handler in a log line and a problem. An answer that
// has begun is cut, so that nobody takes it for whole. The framework would write
// a text behind either.
func (a *guardedAnswer) recovered(r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v != http.ErrAbortHandler {
		slog.ErrorContext(r.Context(), "panic", "panic", v, "stack", string(debug.Stack()))
	}
	if a.begun || v == http.ErrAbortHandler {
		_ = a.body.conn.SetWriteDeadline(time.Unix(1, 0))
		return
	}
	Internal.Problem("something here is broken; the log says what").Write(a)
}
