// Package agent is what every agent is made of: it adds to the agents of ADK for Go
// (google.golang.org/adk/v2) what they lack.
//
//	adk.Agent → Guard → session.Event, session.Event, … → Event → a stream, a page
//	instruction + values + parts → Prompt: checkpoint, or gemini → T
//	JSON → Skill: checked against Input → In → Run, which emits events → Out → JSON
//
// A guarded agent's panic becomes an error, nothing runs after an error, and a caller
// that stops cancels what is under way. A Prompt asks a model for a Go type. A Skill is
// what an agent offers to HTTP, OpenAPI, tasks, the command line and other agents'
// protocols. The package knows no agent.
package agent

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/trace"
)

// New returns the agent of cfg, guarded.
func New(cfg adk.Config) (adk.Agent, error) {
	a, err := adk.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("agent: %s: %w", cfg.Name, err)
	}
	return Guard(a), nil
}

// Guard returns a with the manners that ADK's runner and workflow agents expect of
// an agent and do not see to themselves. It
//
//   - begins with an event of the kind Started and, unless it fails or is stopped,
//     ends with one of the kind Finished, which holds what Output was given;
//   - does not start in a context that has ended;
//   - yields a panic below it as an error, and leaves alone one of the caller's loop;
//   - yields nothing after an error, the first of which names the agent it came from;
//   - ends its context when the caller stops, or when it is done;
//   - is the author of every event that has none or the user as its author.
func Guard(a adk.Agent) adk.Agent { return &guarded{a} }

type guarded struct{ adk.Agent }

func (g *guarded) Run(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		r := &run{invocation: ctx, agent: g.Name(), yield: yield}
		inner := r.begin()
		defer r.end()
		if r.err = ctx.Err(); r.err != nil || r.stopped {
			return
		}
		for e, err := range g.Agent.Run(ctx.WithContext(inner)) {
			if err != nil {
				r.err = err
				return
			}
			if !r.emit(e) {
				return
			}
		}
	}
}

// A run is one run of a guarded agent. Only the goroutine that runs the agent uses
// it.
type run struct {
	invocation adk.InvocationContext
	agent      string
	yield      func(*session.Event, error) bool
	cancel     context.CancelFunc
	endSpan    func(error)
	output     any
	stateKey   string // where the session's state has the output, "" nowhere
	err        error
	stopped    bool // the caller wants no more
	yielding   bool // the caller's code runs: a panic now is its own
}

// begin yields Started and returns the context of what runs below.
func (r *run) begin() context.Context {
	ctx, cancel := context.WithCancel(r.invocation)
	r.cancel = cancel
	ctx, r.endSpan = trace.Start(ctx, r.agent)
	r.emit(r.event(Started))
	return context.WithValue(ctx, runKey{}, r)
}

// end is deferred: it yields Finished, or the error that the run came to.
func (r *run) end() {
	defer r.cancel()
	if r.yielding {
		return
	}
	if p := recover(); p != nil {
		r.err = panicked(p)
	}
	r.endSpan(r.err)
	switch {
	case r.stopped:
	case r.err != nil:
		r.yield(nil, r.failure())
	default:
		r.emit(r.finished())
	}
}

// emit yields e, and reports whether the caller wants more.
func (r *run) emit(e *session.Event) bool {
	if r.stopped || e == nil {
		return !r.stopped
	}
	if e.Author == "" || e.Author == genai.RoleUser {
		e.Author = r.agent
	}
	r.yielding = true
	more := r.yield(e, nil)
	r.yielding = false
	if !more {
		r.stopped = true
		r.cancel()
	}
	return more
}

// failure is the run's error, with the name of the agent that it came from.
func (r *run) failure() error {
	if _, named := r.err.(*failure); named {
		return r.err
	}
	return &failure{r.agent, r.err}
}

// A failure is the error of an agent.
type failure struct {
	agent string
	err   error
}

func (f *failure) Error() string { return f.agent + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// panicked is what was recovered as an error; its first line says what, the others
// where.
func panicked(p any) error { return fmt.Errorf("panic: %v\n%s", p, debug.Stack()) }

type runKey struct{}

// running is the run of the agent that ctx is of. Without one it is a run whose
// events nobody sees.
func running(ctx context.Context) *run {
	if r, ok := ctx.Value(runKey{}).(*run); ok {
		return r
	}
	return &run{stopped: true}
}
