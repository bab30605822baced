package analyze

import (
	"context"
	"fmt"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/genai"
)

// Begun returns the agent that answers req, whatever the message.
func (p *Pipeline) Begun(req Request) (adk.Agent, error) {
	return p.agent.Agent(func(ctx context.Context, _ *genai.Content) (context.Context, *run, error) {
		ctx, run := newRun(ctx, req)
		return ctx, run, nil
	}, func(r *run) any { return r.finished() })
}

// PatternsMark returns how many lines of a testdata file the patterns mark, each alone.
func PatternsMark(t *testing.T, file string) string {
	t.Helper()
	found, all := marked(linesByLanguage(t, file))
	return fmt.Sprintf("%d of %d", len(found), all)
}
