package analyze

import (
	"context"

	adk "google.golang.org/adk/v2/agent"
)

// Begun is the agent that answers req, and the context to run it in.
func (p *Pipeline) Begun(ctx context.Context, req Request) (adk.Agent, context.Context) {
	_, ctx = newRun(ctx, req)
	return p.agent, ctx
}
