package agent

import (
	"context"

	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// What the metadata of an event hold beside ADK's own fields.
const (
	kindKey = "kind" // Started or Finished
	usdKey  = "usd"  // what a model call cost
)

// event is an event of the run's agent that says no more than kind. It is partial
// in ADK's sense: shown, and not kept in the session.
func (r *run) event(kind Kind) *session.Event {
	e := r.newEvent()
	e.CustomMetadata, e.Partial = map[string]any{kindKey: string(kind)}, true
	return e
}

// finished is the last event of the run: with an output it is kept in the session.
func (r *run) finished() *session.Event {
	e := r.event(Finished)
	e.Output, e.Partial = r.output, r.output == nil
	if r.stateKey != "" {
		e.Actions.StateDelta[r.stateKey] = r.output
	}
	return e
}

func (r *run) newEvent() *session.Event {
	e := session.NewEvent(r.invocation, r.invocation.InvocationID())
	e.Author, e.Branch = r.agent, r.invocation.Branch()
	return e
}

// said is an event of one part that role says.
func (r *run) said(role genai.Role, p *genai.Part) *session.Event {
	e := r.newEvent()
	e.Content = &genai.Content{Role: string(role), Parts: []*genai.Part{p}}
	return e
}

// Output sets what the agent of ctx has come to. Its last event holds it, and the
// session's state has it under key, unless that is empty. v must survive JSON.
func Output(ctx context.Context, key string, v any) {
	r := running(ctx)
	r.output, r.stateKey = v, key
}

// EmitUsage says what a model call took that the agent of ctx has made. It must be
// called by the goroutine that runs the agent.
func EmitUsage(ctx context.Context, u Usage) {
	r := running(ctx)
	if r.stopped {
		return
	}
	e := r.newEvent()
	e.ModelVersion = u.Model
	e.UsageMetadata = &genai.GenerateContentResponseUsageMetadata{
		PromptTokenCount: int32(u.InputTokens), CandidatesTokenCount: int32(u.OutputTokens), TotalTokenCount: int32(u.TotalTokens),
	}
	e.CustomMetadata = map[string]any{usdKey: u.USD}
	r.emit(e)
}
