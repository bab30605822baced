package function

import (
	"net/http"
	"sync"
	"time"

	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/web"
)

// routes are the API of this process's app, or of the latest Serve's.
var routes = routed()

// routed returns a function that makes the API at its first call.
func routed() func() (http.Handler, error) {
	return sync.OnceValues(func() (http.Handler, error) {
		a, err := whatis()
		if err != nil {
			return nil, err
		}
		return a.API(), nil
	})
}

// bounded wraps ask with the body limit and time-out of an HTTP function.
var bounded = web.Limits{}.Guard(http.HandlerFunc(ask))

// api answers an HTTP request. Google's front end keeps /healthz to itself, so that
// /health is the health check that is reachable from outside.
func api(w http.ResponseWriter, r *http.Request) {
	if refused(w, r) {
		return
	}
	if r.URL.Path == "/health" {
		health(w)
		return
	}
	bounded.ServeHTTP(w, r)
}

// health answers "ok" without using any service.
func health(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n")) // the client may have disconnected
}

// patience is how long a request waits in vain for the database, the buckets and the queue,
// all together. A caller is told within 15 s that one of them is away.
const patience = 6 * time.Second

// ask serves a request with the API, within a span and the handler's time-out.
func ask(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := withTimeout(r.Context())
	defer cancel()
	ctx = outage.WithPatience(ctx, patience)
	ctx, w, end := traced(ctx, w, r)
	defer end()
	handler, err := routes()
	if err != nil {
		_ = misconfigured(ctx, err)
		web.Internal.Problem("the service is not configured; its log says what is missing").Write(w)
		return
	}
	handler.ServeHTTP(w, r.WithContext(ctx))
}
