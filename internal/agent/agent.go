// Package agent runs agents over a session and streams what they do.
//
//	Session → Agent → Event, Event, … → the session holds the outputs
//
// An Agent does one job. A Step is an agent made from a function, a Sequence
// runs agents one after another, a Tool is a function whose calls show as
// events; each of them is a span of its caller's trace. The package knows no
// model; package llm makes a model call a step.
package agent

import (
	"context"
	"iter"
	"time"
)

// An Agent does one job over a session.
type Agent interface {
	// Name is the author of the agent's events.
	Name() string
	// Run does the job, yielding events as it goes. An error is the last thing
	// it yields, with a nil event. A caller that stops early cancels the job.
	Run(ctx context.Context, s *Session) iter.Seq2[*Event, error]
}

// Kind says what an event reports.
type Kind string

// The kinds of events, in the order in which a step can yield them.
const (
	Started    Kind = "started"     // the agent begins
	ToolCall   Kind = "tool_call"   // a tool is called; Data holds its arguments
	ToolResult Kind = "tool_result" // a tool has answered; Data holds its result, or Error why there is none
	ModelUsage Kind = "usage"       // a model call has ended; Usage says what it took
	Finished   Kind = "finished"    // the agent is done; Data holds its output, if it has one
)

// An Event is one thing that an agent did.
type Event struct {
	Author string    `json:"author"`
	Kind   Kind      `json:"kind"`
	Time   time.Time `json:"time"`
	Tool   string    `json:"tool,omitempty"`
	Data   any       `json:"data,omitempty"`
	Usage  *Usage    `json:"usage,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// Usage is what one model call took.
type Usage struct {
	Model        string  `json:"model"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	TotalTokens  int     `json:"total_tokens"`
	USD          float64 `json:"usd"`
}

// Run runs a to its end and hands each event to watch, which may be nil.
func Run(ctx context.Context, a Agent, s *Session, watch func(*Event)) error {
	for e, err := range a.Run(ctx, s) {
		if err != nil {
			return err
		}
		if watch != nil {
			watch(e)
		}
	}
	return nil
}
