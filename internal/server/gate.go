package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"example.com/whatis/internal/trace"
)

// handler passes requests with a bounded body on to the framework. A body is
// read when the function begins to, and not before: of a request that waits or is
// refused, no more is in memory than its connection holds.
func handler(framework *url.URL, o Options) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(framework)
			r.Out.Host = r.In.Host
			trace.Carry(r.Out)
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			if r.In.ContentLength != 0 {
				r.Out.Header.Set("Expect", "100-continue")
			}
		},
		FlushInterval:  -1, // event streams
		ModifyResponse: asProblem,
		ErrorHandler:   refuse,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 256, IdleConnTimeout: o.Idle, DisableCompression: true,
			ExpectContinueTimeout: o.Answer, // the function reads the body, or answers
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxBody {
			w.Header().Set("Connection", "close")
			refuse(w, r, &http.MaxBytesError{Limit: maxBody})
			return
		}
		if headerSize(r) > maxHeader {
			w.Header().Set("Connection", "close")
			newProblem(http.StatusRequestHeaderFieldsTooLarge, "", "the header is larger than 64 KiB: send less").write(w)
			return
		}
		b := &body{ReadCloser: http.MaxBytesReader(w, r.Body, maxBody), conn: http.NewResponseController(w)}
		defer b.leave()
		b.ended.Store(r.ContentLength == 0)
		r.Body = b
		proxy.ServeHTTP(&answer{w, b}, r.WithContext(context.WithValue(r.Context(), bodyKey{}, b)))
	})
}

// A body is a request's body as the function reads it.
type body struct {
	io.ReadCloser
	conn   *http.ResponseController
	ended  atomic.Bool
	failed atomic.Pointer[error] // of the first Read that failed
}

// bodyKey is where the context of a request holds its body.
type bodyKey struct{}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.ended.Store(true)
	case err != nil:
		b.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// failure is why the body could not be read, if so.
func (b *body) failure() error {
	if err := b.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// leave stops the reading of a body that nobody wants any more. Without it the
// connection would be held until the client sends on.
func (b *body) leave() {
	if !b.ended.Load() {
		_ = b.conn.SetReadDeadline(time.Unix(1, 0))
	}
}

// An answer is written at once, whether or not the request's body has ended. The
// server would first read on from a client that perhaps sends nothing.
type answer struct {
	http.ResponseWriter
	body *body
}

func (a *answer) WriteHeader(status int) {
	if status == http.StatusContinue {
		return // the server says so itself to a client that asked, at the first Read
	}
	if status >= http.StatusOK && !a.body.ended.Load() {
		a.Header().Set("Connection", "close")
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the proxy flush.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
