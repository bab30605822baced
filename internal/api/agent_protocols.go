package api

import (
	"context"
	"net/http"

	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/api/mcp"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
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
	calls := a.received(func(w http.ResponseWriter, r *http.Request, body []byte) { a.a2a().Serve(w, r, body) })
	others["POST "+a2a.Path], others[a2a.Path], others["POST /{$}"] = calls, only(http.MethodPost), calls
	for _, path := range a2a.CardPaths {
		card := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.a2a().Card(w, r) })
		others["GET "+path], others["POST "+path], others[path] = card, card, only("GET, HEAD, POST")
	}
	return web.Part{Others: others}
}

// access returns how callers prove who they are.
func (a *API) access() caller.Access {
	if a.Callers == nil {
		return caller.Open
	}
	return a.Callers.Access
}

// firstSkill is what the first version's methods ask for: they come from an agent that only
// searched.
const firstSkill = "search"

// newA2A returns the server of A2A.
func (a *API) newA2A() *a2a.Server {
	return a2a.New(a2a.Config{
		Name: service, About: about, Version: version, Skills: a.Skills, Tasks: a.Tasks, Problem: a.problemOf, Times: a.Times,
		Publish: a.Publish, Access: a.access(), First: firstSkill, Route: a.Route,
	})
}

// DeliverA2A does the work of an A2A task that a.Publish was given. An error asks for another
// delivery.
func (a *API) DeliverA2A(ctx context.Context, p queue.Payload, m queue.Meta) error {
	return a.a2a().Deliver(ctx, p, m)
}

// problemOf calls Problem, which is set only once the site is complete: a2a and mcp are
// configured before that.
func (a *API) problemOf(err error) web.Problem { return a.Problem(err) }

// protocolMemoryPerByte is memoryPerByte for the protocols' libraries, which hold up to nine
// copies of a body at a time. A JSON body counts as three quarters of its size.
const protocolMemoryPerByte = 12

// received reads the whole body before it calls next. The body counts against the memory
// limit.
func (a *API) received(next func(w http.ResponseWriter, r *http.Request, body []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		input, leave, err := a.input(w, r, protocolMemoryPerByte)
		if err != nil {
			a.Problem(err).Write(w)
			return
		}
		defer leave()
		next(w, r, input)
	})
}

// only answers requests with other methods by 405 and the header Allow.
func only(methods string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		web.MethodNotAllowed.Problem("%s takes %s", usererror.Short(r.URL.Path, usererror.Quoted), methods).Write(w)
	})
}
