package web

import (
	"context"
	"net/http"
	"time"
)

// BaseURL returns the URL to which r was sent, without its path, as its sender sees it.
func BaseURL(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// workKey is the context key under which Host stores the request's work.
type workKey struct{}

// Host wraps next, the handler of another protocol's library, so that a site can serve it.
// Such a handler stops at its first failed write and at the end of the request's context,
// and abandons the work it started. Host hides both events: the handler returns when its
// work ends, and WorkContext ends the work a while after the client has left. A client that
// does not read is disconnected.
func Host(next http.Handler, t Times) http.Handler {
	t = t.WithDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		work, cancel := Linger(r.Context(), t.Linger)
		defer cancel()
		ctx := context.WithValue(context.WithoutCancel(r.Context()), workKey{}, work)
		next.ServeHTTP(&hostWriter{ResponseWriter: w, conn: http.NewResponseController(w), deadline: t.Write}, r.WithContext(ctx))
	})
}

// WorkContext returns a context for the work of a hosted handler: ctx, cancelled as well
// when the request must end, whose deadline it has. Callers must call the returned function.
func WorkContext(ctx context.Context) (context.Context, context.CancelFunc) {
	work, ok := ctx.Value(workKey{}).(context.Context)
	if !ok {
		return context.WithCancel(ctx)
	}
	ctx, cancel := within(ctx, work)
	stop := context.AfterFunc(work, cancel)
	return ctx, func() { stop(); cancel() }
}

// A hostWriter writes within a deadline. After a failed write it accepts all further writes
// and discards them.
type hostWriter struct {
	http.ResponseWriter
	conn     *http.ResponseController
	deadline time.Duration
	broken   bool
}

func (w *hostWriter) Write(p []byte) (int, error) {
	if w.broken {
		return len(p), nil
	}
	_ = w.conn.SetWriteDeadline(time.Now().Add(w.deadline)) // not every writer supports it
	if _, err := w.ResponseWriter.Write(p); err != nil {
		w.broken = true
	}
	return len(p), nil
}

// Flush sends buffered data.
func (w *hostWriter) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *hostWriter) FlushError() error {
	if !w.broken && w.conn.Flush() != nil {
		w.broken = true
	}
	return nil
}
