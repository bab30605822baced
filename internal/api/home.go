package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"example.com/whatis/internal/api/page"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// home is the part of the site with the page, the status and the health check.
func home(samples page.Samples) web.Part {
	browsers, documentation := page.Handler(samples), pageProblems(page.Docs())
	return web.Part{
		Name: "service", About: "What is told of the service itself",
		Routes: []web.Route{
			{
				ID: "getHealth", Method: http.MethodGet, Path: "/health", Do: health, AnyQuery: true, Summary: "Whether the service is up; nothing behind it is asked",
				More:    "For load balancers and uptime checks. /healthz cannot be used: Google's front end answers it itself.",
				Answers: []web.Reply{{Status: http.StatusOK, What: "It is", Media: map[string]web.Schema{"text/plain": {Type: "string"}}}},
			},
			{
				ID: "getCaller", Method: http.MethodGet, Path: "/caller", Do: tellCaller, Summary: "Who is asking, and what they may do",
				More:    "With the role that the service gives the caller: asker, reader, reviewer or owner, each of which may do what those before it may.",
				Answers: []web.Reply{{Status: http.StatusOK, What: "The caller", Media: web.InJSON(web.Ref("Caller"))}},
			},
			{
				ID: "getService", Method: http.MethodGet, Path: "/", Do: greet(browsers), AnyQuery: true, Summary: "The page for browsers, else what this is",
				More:    "Browsers, which accept text/html, get the page; programs get what the service is and where to begin.",
				Answers: []web.Reply{{Status: http.StatusOK, What: "By the header Accept", Media: map[string]web.Schema{web.JSONMedia: web.Ref("Service"), "text/html": {Type: "string"}}}},
			},
		},
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(nil, map[string]reflect.Type{"Service": reflect.TypeFor[greeting](), "Caller": reflect.TypeFor[whoAsks]()})
		},
		Others: map[string]http.Handler{"/page/": pageProblems(browsers), page.DocsPath: documentation, page.DocsPath + "/": documentation},
	}
}

// A whoAsks is a caller as the service sees them.
type whoAsks struct {
	Name       string `json:"name"`       // the e-mail address, or the account without one; empty if anonymous
	Proof      string `json:"proof"`      // anonymous, identity_token, verified_token or iap
	Role       string `json:"role"`       // asker, reader, reviewer or owner; each includes those before it
	Identified bool   `json:"identified"` // the service tells its callers apart
}

// tellCaller answers with the caller.
func tellCaller(w http.ResponseWriter, r *http.Request) error {
	c := caller.From(r.Context())
	web.WriteJSON(w, http.StatusOK, whoAsks{c.Name(), string(c.Kind), c.Role.String(), c.Identified()})
	return nil
}

func health(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // fails only if the client has left
	return nil
}

// A greeting is the answer to programs at /.
type greeting struct {
	Status  string `json:"status"`
	Service string `json:"service"`
	Analyze string `json:"analyze,omitempty"`
	Search  string `json:"search,omitempty"`
}

// searchService is the service name that clients of the search agent expect.
const searchService = "search_agent"

// greet sends browsers the page, and programs a description of the service. A client that
// accepts only JSON is taken for one of the search agent.
func greet(browsers http.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			browsers.ServeHTTP(w, r)
			return nil
		}
		w.Header().Add("Vary", "Accept")
		if strings.Contains(r.Header.Get("Accept"), web.JSONMedia) {
			web.WriteJSON(w, http.StatusOK, greeting{Status: "online", Service: searchService})
			return nil
		}
		web.WriteJSON(w, http.StatusOK, greeting{"online", service, "POST a photo to /analyze", "POST words or a picture to /search"})
		return nil
	}
}

// pageProblems wraps next and turns its errors into problem documents.
func pageProblems(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&problemWriter{ResponseWriter: w, r: r}, r)
	})
}

// A problemWriter writes a problem document in place of an error's text.
type problemWriter struct {
	http.ResponseWriter
	r      *http.Request
	failed bool
}

func (w *problemWriter) WriteHeader(status int) {
	w.failed = status >= http.StatusBadRequest
	path := usererror.Short(w.r.URL.Path, usererror.Quoted)
	switch {
	case !w.failed:
		w.ResponseWriter.WriteHeader(status)
	case status == http.StatusMethodNotAllowed:
		web.MethodNotAllowed.Problem("%s takes %s", path, w.Header().Get("Allow")).Write(w.ResponseWriter)
	case status == http.StatusBadRequest:
		web.BadBody.Problem("send a form with the field html, of at most 256 kB").Write(w.ResponseWriter)
	default:
		web.NotFound.Problem("there is nothing at %s", path).Write(w.ResponseWriter)
	}
}

func (w *problemWriter) Write(p []byte) (int, error) {
	if w.failed {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// schemas returns the schemas of types, by name.
func schemas(written map[reflect.Type]*web.Schema, types map[string]reflect.Type) (map[string]*web.Schema, error) {
	all := map[string]*web.Schema{}
	for name, of := range types {
		s, err := web.SchemaOf(of, written)
		if err != nil {
			return nil, fmt.Errorf("api: schema of %s: %w", name, err)
		}
		all[name] = s
	}
	return all, nil
}
