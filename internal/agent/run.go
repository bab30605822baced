package agent

import (
	"context"
	"fmt"
	"runtime/debug"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/trace"
)

// An outlet passes the events of an agent and of its steps to the caller. Only the
// goroutine that runs the agent uses it.
type outlet struct {
	invocation, branch string // of ADK; "" outside of its runner
	yield              func(*session.Event) bool
	cancel             context.CancelFunc // of the agent that was begun first
	closed             bool               // the caller wants no events, or no more
	yielding           bool               // the caller's code runs: a panic now is the caller's
}

// outletOf returns the outlet to the caller of an agent that ADK runs.
func outletOf(ctx adk.InvocationContext, yield func(*session.Event, error) bool) *outlet {
	return &outlet{invocation: ctx.InvocationID(), branch: ctx.Branch(), yield: func(e *session.Event) bool { return yield(e, nil) }}
}

// A run is one run of one agent.
type run struct {
	*outlet
	ctx     context.Context
	agent   string
	cancel  context.CancelFunc
	endSpan func(error)
	output  any
	key     string // of the output in the session's state; "" is none
}

type runKey struct{}

// running returns the run of the agent of ctx, or a run that drops its events if there
// is none.
func running(ctx context.Context) *run {
	if r, ok := ctx.Value(runKey{}).(*run); ok {
		return r
	}
	return &run{outlet: &outlet{closed: true}}
}

// begin emits Started, and returns the run and the context for its work.
func begin(ctx context.Context, agent string, out *outlet) (*run, context.Context) {
	r := &run{outlet: out, ctx: ctx, agent: agent}
	ctx, r.cancel = context.WithCancel(ctx)
	if out.cancel == nil {
		out.cancel = r.cancel
	}
	ctx, r.endSpan = trace.Start(ctx, agent)
	r.emitKind(Started)
	return r, context.WithValue(ctx, runKey{}, r)
}

// end is deferred: it emits Finished, or adds the agent's name to the error, and
// converts a panic to an error.
func (r *run) end(err *error) {
	defer r.cancel()
	if r.yielding {
		return
	}
	if p := recover(); p != nil {
		*err = panicked(p)
	}
	r.endSpan(*err)
	if *err == nil {
		r.emitKind(Finished)
	} else if _, named := (*err).(*failure); !named {
		*err = &failure{r.agent, *err}
	}
}

// emit yields e, and reports whether the caller wants more.
func (r *run) emit(e *session.Event) bool {
	if r.closed || e == nil {
		return !r.closed
	}
	if e.Author == "" || e.Author == genai.RoleUser {
		e.Author = r.agent
	}
	r.yielding = true
	r.closed = !r.yield(e)
	r.yielding = false
	if r.closed {
		r.outlet.cancel()
	}
	return !r.closed
}

// emitKind yields an event that has only its kind. ADK shows it but does not keep it in
// the session (partial), except Finished of an agent with an output.
func (r *run) emitKind(kind Kind) {
	if r.closed {
		return
	}
	e := r.newEvent()
	e.CustomMetadata, e.Partial = map[string]any{kindKey: string(kind)}, true
	if kind == Finished {
		e.Output, e.Partial = r.output, r.output == nil
	}
	if kind == Finished && r.key != "" {
		e.Actions.StateDelta[r.key] = r.output
	}
	r.emit(e)
}

// emitPartial yields what is known so far of an answer that is being written. ADK shows it, too.
func (r *run) emitPartial(known any) {
	e := r.newEvent()
	e.CustomMetadata, e.Partial, e.Output = map[string]any{kindKey: string(Partial)}, true, known
	r.emit(e)
}

// emitPart yields an event of one part that role says.
func (r *run) emitPart(role genai.Role, p *genai.Part) {
	e := r.newEvent()
	e.Content = &genai.Content{Role: string(role), Parts: []*genai.Part{p}}
	r.emit(e)
}

// emitUsage yields the usage of a model call of the agent of ctx. It must be called by
// the goroutine that runs the agent.
func emitUsage(ctx context.Context, answer *gemini.Response) {
	r := running(ctx)
	if r.closed || answer == nil {
		return
	}
	e := r.newEvent()
	e.ModelVersion = answer.Model
	e.UsageMetadata = &genai.GenerateContentResponseUsageMetadata{
		PromptTokenCount: int32(answer.Usage.Input), CandidatesTokenCount: int32(answer.Usage.Output), TotalTokenCount: int32(answer.Usage.Total),
	}
	e.CustomMetadata = map[string]any{usdKey: answer.USD}
	r.emit(e)
}

func (r *run) newEvent() *session.Event {
	e := session.NewEvent(r.ctx, r.invocation)
	e.Author, e.Branch = r.agent, r.branch
	return e
}

// A failure is the error of an agent.
type failure struct {
	agent string
	err   error
}

func (f *failure) Error() string { return f.agent + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// panicked converts a recovered panic to an error; its first line has the value, the
// others the stack.
func panicked(p any) error { return fmt.Errorf("panic: %v\n%s", p, debug.Stack()) }
