package agent

import (
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
)

// Guard returns a, an agent of ADK's that a model leads, with what ADK's runner and
// workflow agents expect of an agent and do not see to themselves. It
//
//   - begins with an event of the kind Started and, unless it fails or is stopped,
//     ends with one of the kind Finished;
//   - does not start in a context that has ended;
//   - yields a panic below it as an error, and leaves alone one of the caller's loop;
//   - yields nothing after an error, the first of which names the agent it came from;
//   - ends its context when the caller stops, or when it is done;
//   - is the author of every event that has none or the user as its author.
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
