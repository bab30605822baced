package agent

import (
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
)

// Guard wraps a, an ADK agent that a model leads, with what ADK's runner and workflow
// agents expect of an agent and do not do themselves. It
//
//   - begins with an event of the kind Started and, unless it fails or is stopped,
//     ends with one of the kind Finished;
//   - does not start in a context that has ended;
//   - yields a panic of a as an error, and does not recover one of the caller's loop;
//   - yields nothing after an error, and names the agent in the error;
//   - cancels its context when the caller stops, or when it is done;
//   - sets the agent as author of events without one or with the user as author.
func Guard(a adk.Agent) adk.Agent { return &guarded{a} }

type guarded struct{ adk.Agent }

func (g *guarded) Run(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		out := outletOf(ctx, yield)
		if err := g.run(ctx, out); err != nil && !out.closed {
			yield(nil, err)
		}
	}
}

func (g *guarded) run(ctx adk.InvocationContext, out *outlet) (err error) {
	r, inner := begin(ctx, g.Name(), out)
	defer r.end(&err)
	if err := inner.Err(); err != nil {
		return err
	}
	for e, err := range g.Agent.Run(ctx.WithContext(inner)) {
		if err != nil || !r.emit(e) {
			return err
		}
	}
	return nil
}
