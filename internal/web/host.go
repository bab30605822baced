package web

import (
	"context"
	"net/http"
	"time"
)

// workKey is the key of the context that Host notes.
type workKey struct{}

// Host returns next, a handler of another protocol's library, as a site can serve it.
// Such a handler stops at the first write that fails and at the end of its request's
// context, and leaves the work that it began behind. Here it sees neither: it ends when
// its work does, and the work ends with WorkContext, a while after the client has left.
// A client that does not read is cut.
func Host(next http.Handler, t Times) http.Handler {
	t = t.WithDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		work, cancel := Linger(r.Context(), t.Linger)
		defer cancel()
		ctx := context.WithValue(context.WithoutCancel(r.Context()), workKey{}, work)
		next.ServeHTTP(&hostWriter{ResponseWriter: w, conn: http.NewResponseController(w), deadline: t.Write}, r.WithContext(ctx))
	})
}

// WorkContext is ctx, which a hosted handler hands on, ended with the request that it
// is of: what a handler does must end with it. The returned function must be called.
func WorkContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	work, ok := ctx.Value(workKey{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	stop := context.AfterFunc(work, cancel)
	return ctx, func() { stop(); cancel() }
}

// A hostWriter writes within the deadline. After a write that failed it takes
// everything and sends nothing.
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
	_ = w.conn.SetWriteDeadline(time.Now().Add(w.deadline)) // not every writer has one
	if _, err := w.ResponseWriter.Write(p); err != nil {
		w.broken = true
	}
	return len(p), nil
}

// Flush sends what was written.
func (w *hostWriter) Flush() { _ = w.FlushError() }

// FlushError is Flush, for http.ResponseController.
func (w *hostWriter) FlushError() error {
	if !w.broken && w.conn.Flush() != nil {
		w.broken = true
	}
	return nil
}
