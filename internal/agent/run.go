package agent

import (
	"context"
	"fmt"
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// Run runs a in a session that ends with it and yields what it does; an error is
// the last thing. What a works on travels in ctx: the session holds what a has said,
// and nothing that it was given.
func Run(ctx context.Context, a adk.Agent) iter.Seq2[*session.Event, error] {
	return Send(ctx, a, nil)
}

// Send is Run with a message of the user, which stands in the session: no photo
// belongs there.
func Send(ctx context.Context, a adk.Agent, message *genai.Content) iter.Seq2[*session.Event, error] {
	r, err := runner.New(runner.Config{AppName: a.Name(), Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		return func(yield func(*session.Event, error) bool) { yield(nil, fmt.Errorf("agent: %w", err)) }
	}
	return r.Run(ctx, "whatis", "run", message, adk.RunConfig{})
}
