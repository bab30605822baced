package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/web"
)

// skills are the routes of all skills, made from their schemas. The errors of a skill are
// explained by its feature's part.
func (a *API) skills() web.Part {
	if len(a.Skills) == 0 {
		return web.Part{}
	}
	routes := []web.Route{{
		ID: "listSkills", Method: http.MethodGet, Path: "/skills", Do: web.Constant(a.listSkills), Summary: "What can be asked of the agents",
		More:    "For agents, which choose at run time what to ask. Other programs use the routes of each agent: their answers say more.",
		Answers: []web.Reply{{Status: http.StatusOK, What: "Every skill, with the schemas of what goes in and comes out", Media: web.InJSON(web.Ref("Skills"))}},
	}}
	for _, s := range a.Skills {
		if s.Long == nil {
			routes = append(routes, a.skillRoute(s))
		} else {
			routes = append(routes, a.longRoutes(s)...)
		}
	}
	return web.Part{
		Name: "skills", About: "For agents: the same work in one form, JSON in and JSON out, with schemas to choose by. Other programs use the routes of each agent",
		Routes:  routes,
		Explain: web.ExplainKnown(error.Error, web.Known{Err: agent.ErrInput, Code: badInput}),
		Schemas: func() (map[string]*web.Schema, error) {
			written := map[reflect.Type]*web.Schema{reflect.TypeFor[web.Schema](): {Type: "object", AdditionalProperties: &web.Schema{}}}
			return schemas(written, map[string]reflect.Type{"Skills": reflect.TypeFor[skillList]()})
		},
	}
}

// badInput is the code for an input that does not match the skill's schema.
var badInput = web.Code{Name: "bad_input", Status: http.StatusUnprocessableEntity, Cause: "The input of the skill does not fit its schema."}

// skillProblems are the problems that every skill may have, besides those of its feature.
var skillProblems = slices.Concat([]web.Code{badInput, web.TooManyBytes, web.Busy}, modelProblems, storeProblems)

// anyProblem documents the problems of a skill's own feature.
var anyProblem = web.Reply{What: "Another problem, as the skill has it", Media: map[string]web.Schema{web.ProblemMedia: web.Ref("Problem")}}

// A skillList holds all skills.
type skillList struct {
	Skills []listedSkill `json:"skills"`
}

// A listedSkill is a skill as callers see it.
type listedSkill struct {
	agent.Card
	Long   bool        `json:"long,omitempty"` // it runs in the background and is queried by its run's ID
	Input  *web.Schema `json:"input"`
	Output *web.Schema `json:"output"`
}

// listSkills returns what is sent at /skills.
func (a *API) listSkills() (any, error) {
	list := skillList{[]listedSkill{}}
	for _, s := range a.Skills {
		list.Skills = append(list.Skills, listedSkill{s.Card, s.Long != nil, s.Input, s.Output})
	}
	return list, nil
}

// forAgents returns the description of the operation that runs a skill.
func forAgents(s agent.Skill) string {
	return "For agents, which find it at /skills. " + s.Description
}

// skillRoute returns the route that runs a skill within the request.
func (a *API) skillRoute(s agent.Skill) web.Route {
	return web.Route{
		ID: operationID("run", s, ""), Method: http.MethodPost, Path: "/skills/" + s.ID, Do: a.runSkill(s), Summary: s.Name + ", for agents", More: forAgents(s),
		Body:       web.InJSON(*s.Input),
		Parameters: []web.Parameter{web.AfterEvent},
		Answers: []web.Reply{
			{
				Status: http.StatusOK, What: "What came of it. A stream has the events agent, result, problem (Problem) and end, the last",
				Media: map[string]web.Schema{web.JSONMedia: *s.Output, web.EventMedia: runEvents(*s.Output)},
			},
			anyProblem,
		},
		Problems: skillProblems,
	}
}

// runSkill returns a handler that reserves memory from before the input is read until the
// output exists.
func (a *API) runSkill(s agent.Skill) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		input, leave, err := a.input(w, r, memoryPerByte)
		if err != nil {
			return err
		}
		leave = sync.OnceFunc(leave)
		defer leave()
		if web.WantsEvents(r) {
			return a.stream(w, r, s.ID, !s.Effects.ReadOnly, func(ctx context.Context, emit func(*agent.Event)) (any, error) { return s.Run(ctx, input, emit) })
		}
		out, err := s.Run(r.Context(), input, nil)
		if err != nil {
			return err
		}
		leave() // release the memory first: the client may be slow
		web.WriteJSON(w, http.StatusOK, out)
		return nil
	}
}

// memoryPerByte is how many bytes of memory one byte of input needs: for itself, for its
// decoded form, and for what is derived from that.
const memoryPerByte = 4

// input reads the input of a skill, which may hold a photo, and reserves that much memory for
// each of its bytes. Leave releases it.
func (a *API) input(w http.ResponseWriter, r *http.Request, perByte int64) (input []byte, leave func(), err error) {
	leave, err = a.Memory.Acquire(r.Context(), perByte*web.BodySize(r, maxBody))
	if err != nil {
		return nil, nil, err
	}
	err = web.Receive(w, r, a.Memory, func() (err error) {
		input, err = web.ReadAll(http.MaxBytesReader(w, r.Body, maxBody), r.ContentLength, maxBody)
		return err
	})
	if err == nil {
		err = web.CheckJSON(input)
	}
	if err != nil {
		leave()
		return nil, nil, err
	}
	return input, leave, nil
}

// stream answers with the events of a run and its output. The run is named by the
// time of its first event, which all who share it see. If it lingers, it goes on for a while when
// its client has left.
func (a *API) stream(w http.ResponseWriter, r *http.Request, name string, lingers bool, run func(context.Context, func(*agent.Event)) (any, error)) error {
	ctx := agent.WithEarly(r.Context())
	if lingers {
		var cancel context.CancelFunc
		ctx, cancel = web.Linger(ctx, a.Times.Linger)
		defer cancel()
	}
	p := web.NewProgress(web.NewStream(w, a.Times), r, 1)
	if begun := resumed(p, 1)[0]; !begun.IsZero() {
		ctx, name = agent.Resume(ctx, begun), runName(begun)
	}
	stop := p.KeepAlive()
	out, err := run(ctx, func(e *agent.Event) {
		p.Event(0, runName(e.Time), "agent", sendable(e))
	})
	stop()
	if err != nil && !p.Begun() {
		return err
	}
	if err != nil {
		why := a.Problem(err)
		p.End(&why)
		return nil
	}
	p.Result(0, name, "result", out)
	p.End(nil)
	return nil
}

// longRoutes returns the routes that start, query and cancel a run of a long-running skill.
func (a *API) longRoutes(s agent.Skill) []web.Route {
	path := "/skills/" + s.ID
	run := web.InPath(`^[^/]+$`, "20261125-180733-2b6eae4c")
	status := func(status int, what string) []web.Reply {
		return []web.Reply{{Status: status, What: what, Media: web.InJSON(statusSchema(s))}, anyProblem}
	}
	return []web.Route{
		{
			ID: operationID("start", s, ""), Method: http.MethodPost, Path: path, Do: a.startSkill(s), Summary: s.Name + ", for agents", More: forAgents(s),
			Body:    web.InJSON(*s.Input),
			Answers: status(http.StatusAccepted, "It has begun"), Problems: skillProblems,
		},
		{
			ID: operationID("get", s, "Run"), Method: http.MethodGet, Path: path + "/{id}", Do: answerOf(s.Long.Status, http.StatusOK), Summary: "What has become of it, for agents: " + s.Name,
			More:       "For agents that have started it at POST " + path + ": its state, and its output as far as it is there.",
			Parameters: []web.Parameter{run}, Answers: status(http.StatusOK, "Its status, with the output so far"), Problems: storeProblems,
		},
		{
			ID: operationID("cancel", s, "Run"), Method: http.MethodDelete, Path: path + "/{id}", Do: answerOf(s.Long.Cancel, http.StatusAccepted), Summary: "Cancel it, for agents: " + s.Name,
			More:       "For agents that have started it at POST " + path + ". What it has found so far is its output.",
			Parameters: []web.Parameter{run}, Answers: status(http.StatusAccepted, "Its status"), Problems: storeProblems,
		},
	}
}

// statusSchema returns the schema of the status of a run of s.
func statusSchema(s agent.Skill) web.Schema {
	states := web.Enum(string(jobs.Working), string(jobs.Done), string(jobs.Failed), string(jobs.Canceled))
	return web.Schema{
		Type: "object", Required: []string{"id", "state"},
		Properties: map[string]*web.Schema{"id": {Type: "string"}, "state": &states, "output": s.Output, "message": {Type: "string", Description: "How far it is"}},
	}
}

func (a *API) startSkill(s agent.Skill) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		input, leave, err := a.input(w, r, memoryPerByte)
		if err != nil {
			return err
		}
		defer leave()
		status, err := s.Long.Start(r.Context(), input)
		if err != nil {
			return err
		}
		w.Header().Set("Location", r.URL.Path+"/"+status.ID)
		web.WriteJSON(w, http.StatusAccepted, status)
		return nil
	}
}

// answerOf returns a handler that answers with the status of the run in the path.
func answerOf(ask func(context.Context, string) (agent.Status, error), code int) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		status, err := ask(r.Context(), r.PathValue("id"))
		if err != nil {
			return err
		}
		web.WriteJSON(w, code, status)
		return nil
	}
}
