// Package web is what every HTTP interface of this house is made of. It knows no
// room: a room brings a Part with its routes, its problems and its schemas.
//
//	Parts → New → Site: mux, 405 and 404, problem documents, /openapi.json
//	request → guard → Handler → JSON, a Stream, or an error → Problem
//
// Errors are problem documents (RFC 9457) with a stable code. The table of routes is
// what is served and what the OpenAPI document says.
package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/internal/usererror"
)

// A Part is what one room adds to a site.
type Part struct {
	Name    string // the tag of its routes in the document
	About   string // what they are for
	Routes  []Route
	Explain Explain                            // of the errors of its routes; nil explains none
	Codes   []Code                             // that Explain makes, besides those of the routes
	Schemas func() (map[string]*Schema, error) // of what it sends, by name; nil has none
	Others  map[string]http.Handler            // by pattern, what the document does not list
}

// Config is what a Site is made of.
type Config struct {
	Title       string
	Description string
	Version     string
	NothingHere string // told after "there is nothing at /path"; empty tells no more
	Parts       []Part

	Examples map[string]Example       // of the document, by the ID of an operation
	Fields   map[string]string        // descriptions of fields, by Schema.field or field
	Refine   func(map[string]*Schema) // changes the schemas of the document; may be nil
}

// A Site answers HTTP requests.
type Site struct {
	http.Handler
	config   Config
	routes   []Route
	document func() (Document, error) // made once
}

// New returns the site of c, with its document at /openapi.json.
func New(c Config) *Site {
	s := &Site{config: c}
	s.document = sync.OnceValues(s.Document)
	s.routes = append(s.routes, s.documentRoute())
	mux := http.NewServeMux()
	for _, p := range c.Parts {
		for _, r := range p.Routes {
			r.Tag = cmp.Or(r.Tag, p.Name)
			s.routes = append(s.routes, r)
		}
		for pattern, handler := range p.Others {
			mux.Handle(pattern, handler)
		}
	}
	served := slices.DeleteFunc(slices.Clone(s.routes), func(r Route) bool { return r.Do == nil })
	for _, r := range served {
		mux.HandleFunc(r.Method+" "+r.pattern(), s.answered(r.Do))
	}
	for _, r := range served {
		if allow := allowed(s.routes, r.Path); strings.HasPrefix(allow, r.Method) {
			mux.HandleFunc(r.pattern(), wrongMethod(allow))
		}
	}
	mux.HandleFunc("/", s.nothingHere)
	s.Handler = guarded(mux)
	return s
}

// allowed are the methods that a path takes, as the header Allow wants them.
func allowed(routes []Route, path string) string {
	var methods []string
	for _, r := range routes {
		if r.Path != path {
			continue
		}
		methods = append(methods, r.Method)
		if r.Method == http.MethodGet {
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
			CrossOrigin.Problem("this request comes from another site's page: use this service's own page, or a program").Write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answered answers the error of do as a problem.
func (s *Site) answered(do Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := do(w, r); err != nil {
			s.Problem(err).Write(w)
		}
	}
}

func wrongMethod(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		MethodNotAllowed.Problem("%s takes %s", usererror.Short(r.URL.Path, usererror.Quoted), allow).Write(w)
	}
}

func (s *Site) nothingHere(w http.ResponseWriter, r *http.Request) {
	more := ""
	if s.config.NothingHere != "" {
		more = ": " + s.config.NothingHere
	}
	NotFound.Problem("there is nothing at %s%s", usererror.Short(r.URL.Path, usererror.Quoted), more).Write(w)
}
