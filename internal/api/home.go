package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"example.com/whatis/internal/api/docs"
	"example.com/whatis/internal/api/page"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// home is what is told of the service itself, and the page.
func home(samples page.Samples) web.Part {
	browsers, documentation := page.Handler(samples), pageProblems(docs.Handler())
	return web.Part{
		Name: "service", About: "What is told of the service itself",
		Routes: []web.Route{
			{
				ID: "getHealth", Method: http.MethodGet, Path: "/health", Do: health, Summary: "Whether the service is up; nothing behind it is asked",
				Answers: []web.Reply{{Status: http.StatusOK, What: "It is", Media: map[string]web.Schema{"text/plain": {Type: "string"}}}},
			},
			{
				ID: "getGreeting", Method: http.MethodGet, Path: "/", Do: greet(browsers), Summary: "The page for browsers, else what this is",
				Answers: []web.Reply{{Status: http.StatusOK, What: "By the header Accept", Media: map[string]web.Schema{web.JSONMedia: web.Ref("Greeting"), "text/html": {Type: "string"}}}},
			},
		},
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(nil, map[string]reflect.Type{"Greeting": reflect.TypeFor[greeting]()})
		},
		Others: map[string]http.Handler{"/page/": pageProblems(browsers), docs.Path: documentation, docs.Path + "/": documentation},
	}
}

func health(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // a client that has left
	return nil
}

// A greeting is what programs find at /.
type greeting struct {
	Status  string `json:"status"`
	Service string `json:"service"`
	Analyze string `json:"analyze,omitempty"`
	Search  string `json:"search,omitempty"`
}

// searchService is what programs of other agents know the agent by that searches.
const searchService = "search_agent"

// greet shows browsers the page, and programs what this is. One that asks for JSON by
// name looks for the agent that searches.
func greet(browsers http.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			browsers.ServeHTTP(w, r)
			return nil
		}
		w.Header().Set("Vary", "Accept")
		if strings.Contains(r.Header.Get("Accept"), web.JSONMedia) {
			web.WriteJSON(w, http.StatusOK, greeting{Status: "online", Service: searchService})
			return nil
		}
		web.WriteJSON(w, http.StatusOK, greeting{"online", service, "POST a photo to /analyze", "POST words or a picture to /search"})
		return nil
	}
}

// pageProblems is next, whose errors become problems.
func pageProblems(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&problemWriter{ResponseWriter: w, r: r}, r)
	})
}

// A problemWriter writes a problem instead of an error's text.
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

// schemas are the schemas of types, by name.
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
