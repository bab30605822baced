// Package web is the kit of all HTTP interfaces here. It knows no feature: each feature
// passes a Part with its routes, problems and schemas.
//
//	Parts → New → Site: mux, 405 and 404, problem documents, /openapi.json
//	request → guard → Handler → JSON, a Stream, or an error → Problem
//
// Errors are problem documents (RFC 9457) with a stable code. One table of routes defines
// both what is served and the OpenAPI document.
package web

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web/caller"
)

// A Part is what one feature adds to a site.
type Part struct {
	Name    string // the tag of its routes in the document
	About   string // what the routes are for
	Routes  []Route
	Explain Explain                            // maps the errors of its routes; nil maps none
	Codes   []Code                             // that Explain returns, besides those of the routes
	Schemas func() (map[string]*Schema, error) // the schemas of its responses, by name; may be nil
	Others  map[string]http.Handler            // handlers that the document does not list, by pattern
}

// Config configures a Site.
type Config struct {
	Title       string
	Description string
	Version     string
	Contact     string // who answers for the service
	License     License
	Commit      string // that the program was built from; may be empty
	NothingHere string // appended to "there is nothing at /path"; may be empty
	Parts       []Part

	// What the document has besides the routes. It is asked for when the document is made, at
	// the first request for it; each may be nil.
	Examples func() map[string]Example // of operations, by operation ID
	Fields   func() map[string]string  // descriptions of fields, by Schema.field or field
	Refine   func(map[string]*Schema)  // changes the schemas

	Callers *caller.Verifier // who sends a request; nil is an open service
}

// A Site answers HTTP requests.
type Site struct {
	http.Handler
	config Config
	routes []Route
}

// New returns the site of c. It serves the document at /openapi.json.
func New(c Config) *Site {
	s := &Site{config: c}
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
		mux.HandleFunc(r.Method+" "+r.pattern(), s.answered(r))
	}
	for _, r := range served {
		if allow := allowed(s.routes, r.Path); strings.HasPrefix(allow, r.Method) {
			mux.HandleFunc(r.pattern(), wrongMethod(allow))
		}
	}
	mux.HandleFunc("/", s.nothingHere)
	s.Handler = Compressed(gzip.BestSpeed, guarded(identified(c.Callers, mux)))
	return s
}

// allowed returns the methods of a path for the header Allow.
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

// guarded refuses requests that change something if another site's page sent them, and
// tells browsers neither to guess content types nor to cache.
func guarded(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store") // unless the route sets another
		if err := protection.Check(r); err != nil {
			CrossOrigin.Problem("this request comes from another site's page: use this service's own page, or a program").Write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answered returns the handler of a route. It refuses callers who lack the route's role and
// query parameters that the route does not have, and writes errors as problem documents.
func (s *Site) answered(route Route) http.HandlerFunc {
	known := route.query()
	return func(w http.ResponseWriter, r *http.Request) {
		err := caller.Need(r.Context(), route.Role)
		if err == nil && !route.AnyQuery {
			err = onlyKnown(r.URL.RawQuery, known)
		}
		if err == nil {
			err = route.Do(w, r)
		}
		if err != nil {
			s.Problem(err).Write(w)
		}
	}
}

// onlyKnown refuses a query with a parameter that is not known: one that is misspelt would be
// work done, and paid, with the default in its place.
func onlyKnown(query string, known []string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("%w: a query is name=value&name=value, with %%XX for other characters: %w", ErrOption, err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%w: there is no parameter %s here, want %s", ErrOption, usererror.Short(name, usererror.Quoted), cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	return nil
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
