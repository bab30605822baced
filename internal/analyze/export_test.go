package analyze

import (
	"context"
	"fmt"
	"testing"

	adk "google.golang.org/adk/v2/agent"
)

// Begun is the agent that answers req, and the context to run it in.
func (p *Pipeline) Begun(ctx context.Context, req Request) (adk.Agent, context.Context) {
	_, ctx = newRun(ctx, req)
	return p.agent, ctx
}

// PatternsMark says how many lines of a file of testdata the patterns mark, each by itself.
func PatternsMark(t *testing.T, file string) string {
	t.Helper()
	found, all := marked(linesByLanguage(t, file))
	return fmt.Sprintf("%d of %d", len(found), all)
}
