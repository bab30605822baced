package agent

import (
	"strings"
	"time"

	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// Keys of the custom metadata of an ADK event.
const (
	kindKey = "kind" // Started, Partial or Finished
	usdKey  = "usd"  // the cost of a model call
)

// Kind says what an event reports.
type Kind string

// The kinds of events, in the order in which an agent can yield them.
const (
	Started    Kind = "started"     // the agent begins
	ToolCall   Kind = "tool_call"   // a tool is called; Data holds its arguments
	ToolResult Kind = "tool_result" // a tool has answered; Data holds its result, or Error why there is none
	Partial    Kind = "partial"     // a model writes its answer; Data holds what is known of it so far
	ModelUsage Kind = "usage"       // a model call has ended; Usage has its tokens and cost
	Finished   Kind = "finished"    // the agent is done; Data holds its output, if it has one
)

// An Event is one thing that an agent did, as streams and the page show it: the public
// form of ADK's session.Event.
type Event struct {
	Author string    `json:"author"`
	Kind   Kind      `json:"kind"`
	Time   time.Time `json:"time"`
	Tool   string    `json:"tool,omitempty"`
	Data   any       `json:"data,omitempty"`
	Usage  *Usage    `json:"usage,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// Usage has the tokens and the cost of one model call.
type Usage struct {
	Model        string  `json:"model"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	TotalTokens  int     `json:"total_tokens"`
	USD          float64 `json:"usd"`
}

// Translate converts ADK's e to none, one or several events and passes them in order to
// watch, which may be nil.
func Translate(e *session.Event, watch func(*Event)) {
	if watch == nil {
		return
	}
	kind, _ := e.CustomMetadata[kindKey].(string)
	if kind == string(Started) {
		watch(&Event{Author: e.Author, Kind: Started, Time: e.Timestamp})
	}
	if kind == string(Partial) {
		watch(&Event{Author: e.Author, Kind: Partial, Time: e.Timestamp, Data: e.Output})
	}
	if e.UsageMetadata != nil {
		watch(&Event{Author: e.Author, Kind: ModelUsage, Time: e.Timestamp, Usage: usageOf(e)})
	}
	for _, t := range toolEvents(e) {
		t.Author, t.Time = e.Author, e.Timestamp
		watch(&t)
	}
	if kind == string(Finished) {
		watch(&Event{Author: e.Author, Kind: Finished, Time: e.Timestamp, Data: e.Output})
	}
}

// usageOf returns the usage in e.
func usageOf(e *session.Event) *Usage {
	u := e.UsageMetadata
	usd, _ := e.CustomMetadata[usdKey].(float64)
	return &Usage{
		Model: e.ModelVersion, InputTokens: int(u.PromptTokenCount),
		OutputTokens: int(u.CandidatesTokenCount + u.ThoughtsTokenCount), TotalTokens: int(u.TotalTokenCount), USD: usd,
	}
}

// toolEvents returns the tool calls and responses in e.
func toolEvents(e *session.Event) (all []Event) {
	if e.Content == nil {
		return nil
	}
	for _, p := range e.Content.Parts {
		if c := p.FunctionCall; c != nil {
			all = append(all, Event{Kind: ToolCall, Tool: c.Name, Data: c.Args})
		}
		if r := p.FunctionResponse; r != nil {
			all = append(all, toolResult(r.Name, r.Response))
		}
	}
	return all
}

// toolResult returns the event of a response.
func toolResult(tool string, response map[string]any) Event {
	if why, failed := response[errorKey].(string); failed {
		return Event{Kind: ToolResult, Tool: tool, Error: why}
	}
	return Event{Kind: ToolResult, Tool: tool, Data: response}
}

// Text returns the text of a complete event of an agent, without thoughts; "" for a
// partial one.
func Text(e *session.Event) string {
	if e.Content == nil || e.Partial || e.Author == genai.RoleUser {
		return ""
	}
	var b strings.Builder
	for _, p := range e.Content.Parts {
		if !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
