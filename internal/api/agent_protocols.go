package api

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/api/mcp"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// agentProtocols offers the skills to other agents by MCP, and by A2A if there is a store
// for tasks. Both protocols describe themselves and are not in the OpenAPI document.
func (a *API) agentProtocols() web.Part {
	if len(a.Skills) == 0 {
		return web.Part{}
	}
	tools := mcp.Handler(mcp.Config{Name: service, Version: version, Skills: a.Skills, Problem: a.problemOf, Times: a.Times})
	others := map[string]http.Handler{
		"POST " + mcp.Path: a.received(tools), mcp.Path: only(http.MethodPost),
	}
	if a.Tasks == nil {
		return web.Part{Others: others}
	}
	server := sync.OnceValue(func() *a2a.Server {
		return a2a.New(a2a.Config{Name: service, About: about, Version: version, Skills: a.Skills, Tasks: a.Tasks, Problem: a.problemOf, Times: a.Times})
	})
	calls := a.received(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server().ServeHTTP(w, r) }))
	others["POST "+a2a.Path], others[a2a.Path], others["POST /{$}"] = calls, only(http.MethodPost), calls
	for _, path := range a2a.CardPaths {
		card := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server().Card(w, r) })
		others["GET "+path], others["POST "+path], others[path] = card, card, only("GET, HEAD, POST")
	}
	return web.Part{Others: others}
}

// problemOf calls Problem, which is set only once the site is complete: a2a and mcp are
// configured before that.
func (a *API) problemOf(err error) web.Problem { return a.Problem(err) }

// received reads the whole body before it calls next. The body counts against the memory
// limit.
func (a *API) received(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		input, leave, err := a.input(w, r)
		if err != nil {
			a.Problem(err).Write(w)
			return
		}
		defer leave()
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(input))
		next.ServeHTTP(w, r)
	})
}

// only answers requests with other methods by 405 and the header Allow.
func only(methods string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		web.MethodNotAllowed.Problem("%s takes %s", usererror.Short(r.URL.Path, usererror.Quoted), methods).Write(w)
	})
}
