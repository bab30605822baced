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

	"example.com/whatis/internal/usererror"
)

// Limits are the limits of an HTTP function. Zero means the default.
type Limits struct {
	Body   time.Duration // to read a request's body; 60 s
	Answer time.Duration // from the request's header to the end of the response; 570 s
}

const (
	maxRequest = 32 << 20 // Cloud Run ends HTTP/1 bodies there
	maxHeader  = 64 << 10
)

// Guard wraps next: it limits the size and time of requests, unpacks bodies that are sent with
// Content-Encoding gzip, and answers errors as problem documents. Errors that Go's server reports before any handler runs remain plain text: a
// malformed request line or header (400), a header over 1 MiB (431), an unknown transfer
// encoding (501) and an unknown expectation (417).
//
// The body is read only when next begins to read it, so that a request which waits or is
// refused occupies no more memory than its connection does. The header is complete by then:
// Cloud Run's front end forwards only whole headers.
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
		body, p := unpacked(a, r, b)
		if p != nil {
			p.Write(a)
			return
		}
		r.Body = body
		next.ServeHTTP(a, r)
	})
}

// setDeadlines sets the deadlines for reading b and for writing the response. The server
// itself clears the read deadline at the end of the body. A request without a body gets
// none, because the server already reads from its connection to notice when the client
// leaves, and would take an expired deadline for that.
func (l Limits) setDeadlines(b *guardedBody) {
	now := time.Now()
	if !b.ended.Load() {
		_ = b.conn.SetReadDeadline(now.Add(l.Body)) // if it fails, the connection is closed
	}
	_ = b.conn.SetWriteDeadline(now.Add(l.Answer))
}

// oversize returns the problem for a request whose declared size is above the limit.
func oversize(r *http.Request) (Problem, bool) {
	switch {
	case r.ContentLength > maxRequest:
		return unreadBody(&http.MaxBytesError{Limit: maxRequest}), true
	case headerSize(r) > maxHeader:
		return headerTooLarge.Problem("the header is larger than 64 KiB: send less"), true
	}
	return Problem{}, false
}

// The codes for requests that could not be read.
var (
	headerTooLarge = Code{"request_header_fields_too_large", http.StatusRequestHeaderFieldsTooLarge, "The header is larger than 64 KiB."}
	slowBody       = Code{"slow_body", http.StatusRequestTimeout, "The body did not come in time."}
)

// unreadBody returns the problem for a body that could not be read.
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

// headerSize returns the approximate size of r's header in bytes.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + len(": \r\n")
		}
	}
	return n
}

// A guardedBody reads a request's body within the limits.
type guardedBody struct {
	io.ReadCloser
	conn   *http.ResponseController
	ended  atomic.Bool
	failed atomic.Pointer[error] // the error of the first Read that failed
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

// stopReading stops reading a body that is no longer needed. Without it the connection
// would stay open until the client sends more.
func (b *guardedBody) stopReading() {
	if !b.ended.Load() {
		_ = b.conn.SetReadDeadline(time.Unix(1, 0))
	}
}

// A guardedAnswer sends the response at once, even if the request's body has not ended:
// Go's server would first read on from a client that may send nothing. If reading the body
// failed, it sends that problem in place of the handler's response.
type guardedAnswer struct {
	http.ResponseWriter
	body     *guardedBody
	begun    bool // the status was written
	replaced bool // the handler's response was replaced by a problem
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

// recovered turns a handler's panic into a log line and a problem. A response that has
// begun is cut off, so that clients do not take it for complete. The framework would append
// a text in both cases.
func (a *guardedAnswer) recovered(r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	id := usererror.ID()
	if v != http.ErrAbortHandler {
		slog.ErrorContext(r.Context(), "panic", "panic", v, "stack", string(debug.Stack()), "error_id", id)
	}
	if a.begun || v == http.ErrAbortHandler {
		_ = a.body.conn.SetWriteDeadline(time.Unix(1, 0))
		return
	}
	broken(id).Write(a)
}
