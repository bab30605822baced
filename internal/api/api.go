// Package api is the HTTP interface.
//
//	POST   /analyze               photos → results, or a stream of what the agents do
//	GET    /results               finished results, newest first
//	GET    /results/{id}          one of them
//	GET    /results/{id}/photo    its photo, small
//	POST   /batches               begin a batch
//	GET    /batches               the latest batches
//	GET    /batches/{id}          one of them
//	DELETE /batches/{id}          cancel it
//	GET    /batches/{id}/result   its results so far, as JSON or CSV
//	GET    /batches/{id}/events   a stream of what becomes of it
//	GET    /openapi.json          all this for programs
//	GET    /healthz               ok, without touching anything
//	GET    /                      the page for browsers, else what this is
//
// Errors are problem documents (RFC 9457) with a stable code. The table of routes
// in routes.go is what is served and what the OpenAPI document says.
package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api/page"
)

// Config is what an API is made of. The functions are called at each request
// that needs what they return.
type Config struct {
	Intake  func(context.Context) (*intake.Intake, error)
	Batches func(context.Context) (*batch.Batches, error) // nil where there are none
	Memory  *admission.Limiter                            // a photo is read once it has room
	Times   Times
}

// Times are the durations of streams. Zero means the default.
type Times struct {
	Comment time.Duration // between comments that keep a stream alive; 15 s
	Write   time.Duration // for a client to take an event; 20 s
	Linger  time.Duration // that work goes on for a client that lost its stream; 10 s
	Poll    time.Duration // between looks at a batch; 1 s
}

func (t Times) withDefaults() Times {
	t.Comment = cmp.Or(t.Comment, 15*time.Second)
	t.Write = cmp.Or(t.Write, 20*time.Second)
	t.Linger = cmp.Or(t.Linger, 10*time.Second)
	t.Poll = cmp.Or(t.Poll, time.Second)
	return t
}

// An API answers HTTP requests.
type API struct {
	http.Handler
	Config
	page http.Handler
}

// New returns the API of c.
func New(c Config) *API {
	c.Times = c.Times.withDefaults()
	a := &API{Config: c, page: page.Handler()}
	mux := http.NewServeMux()
	routes := a.routes()
	for _, r := range routes {
		mux.HandleFunc(r.method+" "+r.pattern(), answered(r.do))
	}
	for _, r := range routes {
		if allow := allowed(routes, r.path); strings.HasPrefix(allow, r.method) {
			mux.HandleFunc(r.pattern(), wrongMethod(allow))
		}
	}
	mux.Handle("/page/", withProblems(a.page))
	mux.HandleFunc("/", nothingHere)
	a.Handler = guarded(mux)
	return a
}

// allowed are the methods that a path takes, as the header Allow wants them.
func allowed(routes []route, path string) string {
	var methods []string
	for _, r := range routes {
		if r.path != path {
			continue
		}
		methods = append(methods, r.method)
		if r.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(slices.Compact(methods), ", ")
}

// guarded refuses changes that another site's page asks a browser for, and keeps
// browsers from guessing what an answer is, and from keeping it.
func guarded(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store") // unless a route says otherwise
		if err := protection.Check(r); err != nil {
			problemFor(crossOrigin, "this request comes from another site's page: use this service's own page, or a program").write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A handler answers a request, or says why not before it has begun to.
type handler func(http.ResponseWriter, *http.Request) error

func answered(do handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := do(w, r); err != nil {
			problemOf(err).write(w)
		}
	}
}

func wrongMethod(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		problemFor(methodNotAllowed, "%s takes %s", short(r.URL.Path), allow).write(w)
	}
}

func nothingHere(w http.ResponseWriter, r *http.Request) {
	problemFor(notFound, "there is nothing at %s: POST a photo to /analyze, or see /openapi.json", short(r.URL.Path)).write(w)
}

func (a *API) health(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // a client that has left
	return nil
}

// A greeting is what programs find at /.
type greeting struct {
	Status  string `json:"status"`
	Service string `json:"service"`
	Analyze string `json:"analyze"`
}

func (a *API) home(w http.ResponseWriter, r *http.Request) error {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		a.page.ServeHTTP(w, r)
		return nil
	}
	w.Header().Set("Vary", "Accept")
	writeJSON(w, http.StatusOK, greeting{"online", "whatis", "POST a photo to /analyze"})
	return nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // a client that has left
}
