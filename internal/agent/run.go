package agent

import (
	"context"
	"fmt"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
)

// Run runs a to its end, or to its first error, in a session that ends with it, and
// hands what it does to watch, which may be nil. What a works on travels in ctx:
// the session holds what a has said, and nothing that it was given.
func Run(ctx context.Context, a adk.Agent, watch func(*Event)) error {
	r, err := runner.New(runner.Config{AppName: a.Name(), Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	for e, err := range r.Run(ctx, "whatis", "run", nil, adk.RunConfig{}) {
		if err != nil {
			return err
		}
		if watch != nil {
			Translate(e, watch)
		}
	}
	return nil
}
