// Package mcp offers every skill as a tool of the Model Context Protocol, over HTTP without
// sessions.
//
//	tools/call → the skill's Run, whose events are progress → structured content, a text, links
//
// A long-running skill is offered as three tools, which start, query and cancel a run.
// Their names are name, name_status and name_cancel, or start_noun, get_noun and
// cancel_noun where the skill says what a run is called.
package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/web"
)

// Path is the path of the protocol's endpoint.
const Path = "/mcp"

// Config configures a handler.
type Config struct {
	Name    string
	Version string
	Skills  []agent.Skill
	Problem func(error) web.Problem // maps errors to what callers may read
	Times   web.Times
}

// Handler returns the function that answers the protocol's requests, whose body it is given.
// The MCP server is created at the first request.
func Handler(c Config) func(w http.ResponseWriter, r *http.Request, body []byte) {
	server := sync.OnceValue(func() *sdk.Server { return newServer(c) })
	streams := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, &sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: -1, // the body was read within the API's limits
	})
	hosted := web.Host(streams, c.Times)
	return func(w http.ResponseWriter, r *http.Request, body []byte) {
		if refuse(w, body) {
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), baseKey{}, web.BaseURL(r)))
		r.Body = io.NopCloser(bytes.NewReader(body))
		hosted.ServeHTTP(&errorWriter{ResponseWriter: w, id: idOf(body)}, r)
	}
}

// baseKey is the context key of the URL of the service, as the caller sees it.
type baseKey struct{}

func newServer(c Config) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: c.Name, Version: c.Version}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for _, of := range c.Skills {
		name := cmp.Or(of.Tool, of.ID)
		if of.Long == nil {
			s.AddTool(tool(name, of.Card, of.Input, of.Output), c.run(of))
			continue
		}
		start, get, cancel := name, name+"_status", name+"_cancel"
		if of.Noun != "" {
			start, get, cancel = "start_"+of.Noun, "get_"+of.Noun, "cancel_"+of.Noun
		}
		status := statusSchema(of)
		begins := of.Card
		begins.Description += " It takes minutes: this begins it, " + get + " says how far it is and has what it came to."
		s.AddTool(tool(start, begins, of.Input, status), c.long(of, of.Long.Start))
		s.AddTool(tool(get, about(of, "Status", "Says what has become of a run: ", agent.Effects{ReadOnly: true, Closed: true}), runSchema, status), c.long(of, ofRun(of.Long.Status)))
		canceling := tool(cancel, about(of, "Cancel", "Cancels a run: ", agent.Effects{Idempotent: true, Closed: true}), runSchema, status)
		canceling.Annotations.DestructiveHint = web.Ptr(true)
		s.AddTool(canceling, c.long(of, ofRun(of.Long.Cancel)))
	}
	return s
}

// tool describes a skill as a tool. A field that may be left out is not said to be null as well,
// though the skill accepts that where its own schema does.
func tool(name string, of agent.Card, in, out *jsonschema.Schema) *sdk.Tool {
	t := &sdk.Tool{Name: name, Title: of.Name, Description: of.Description, InputSchema: web.WithoutNull(in), Annotations: annotations(of)}
	if out.Type == "object" { // the protocol allows no other output schema
		t.OutputSchema = web.WithoutNull(out)
	}
	return t
}

// annotations returns what a client should know before it calls a tool.
func annotations(of agent.Card) *sdk.ToolAnnotations {
	a := &sdk.ToolAnnotations{Title: of.Name, ReadOnlyHint: of.Effects.ReadOnly, IdempotentHint: of.Effects.Idempotent, OpenWorldHint: web.Ptr(!of.Effects.Closed)}
	if of.Effects.Additive || of.Effects.ReadOnly {
		a.DestructiveHint = web.Ptr(false)
	}
	return a
}

// about returns the card of a tool for the runs of a skill.
func about(of agent.Skill, title, what string, effects agent.Effects) agent.Card {
	return agent.Card{Name: title + ": " + of.Name, Description: what + of.Name, Effects: effects}
}

// runSchema is the input that names a run.
var runSchema = &jsonschema.Schema{
	Type: "object", Required: []string{"id"},
	Properties: map[string]*jsonschema.Schema{"id": {Type: "string", Description: "the run, as it was started"}},
}

// statusSchema returns the schema of the status of a run of s.
func statusSchema(s agent.Skill) *jsonschema.Schema {
	states := web.Enum(string(jobs.Working), string(jobs.Done), string(jobs.Failed), string(jobs.Canceled))
	return &jsonschema.Schema{
		Type: "object", Required: []string{"id", "state"},
		Properties: map[string]*jsonschema.Schema{"id": {Type: "string"}, "state": &states, "output": s.Output, "message": {Type: "string", Description: "how far it is"}},
	}
}

// run returns a handler that runs a skill and sends its events as progress notifications.
func (c Config) run(of agent.Skill) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := web.WorkContext(ctx)
		defer cancel()
		follow := progress(ctx, r)
		if follow != nil {
			ctx = agent.WithEarly(ctx)
		}
		out, err := of.Run(ctx, arguments(r), follow)
		if err != nil {
			return c.failed(err), nil
		}
		return answer(ctx, of, out)
	}
}

// long returns a handler that calls a function of a long-running skill, which returns at
// once.
func (c Config) long(of agent.Skill, do func(context.Context, []byte) (agent.Status, error)) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := web.WorkContext(ctx)
		defer cancel()
		status, err := do(ctx, arguments(r))
		if err != nil {
			return c.failed(err), nil
		}
		return statusAnswer(ctx, of, status)
	}
}

// ofRun calls do with the run that the input names.
func ofRun(do func(context.Context, string) (agent.Status, error)) func(context.Context, []byte) (agent.Status, error) {
	return func(ctx context.Context, input []byte) (agent.Status, error) {
		var run struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(input, &run); err != nil || run.ID == "" {
			return agent.Status{}, fmt.Errorf("%w: send {id}, as the run was started", agent.ErrInput)
		}
		return do(ctx, run.ID)
	}
}

func arguments(r *sdk.CallToolRequest) []byte {
	if len(r.Params.Arguments) == 0 {
		return []byte("{}")
	}
	return r.Params.Arguments
}

// progress returns a function that sends events as progress notifications; nil if the
// caller did not ask for them.
func progress(ctx context.Context, r *sdk.CallToolRequest) func(*agent.Event) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var n atomic.Int64
	return func(e *agent.Event) {
		what := e.Tool
		if known, ok := e.Data.(fmt.Stringer); ok && e.Kind == agent.Partial {
			what = known.String()
		}
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a client that has left
			ProgressToken: token, Progress: float64(n.Add(1)), Message: strings.TrimSpace(e.Author + ": " + string(e.Kind) + " " + what),
		})
	}
}

// failed is the answer of a tool that could not do what it was asked, for the model to
// read.
func (c Config) failed(err error) *sdk.CallToolResult {
	p := c.Problem(err)
	text := p.Detail
	if p.RetryAfter > 0 {
		text = fmt.Sprintf("%s (try again in %d s)", text, p.RetryAfter)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: p.Code + ": " + text}}}
}

// answer returns the result of a tool: its output as structured content, one text for people,
// and a link to each thing that the text is about, such as the picture of a product.
//
// The protocol advises to repeat structured content as JSON in a text, for clients from before
// 2025-06-18. Here the text is in words: clients that show texts show it to people, those that
// give a model both would have it read everything twice, and a client that knows no structured
// content still gets what matters, IDs included. Only the output of a skill that does not
// render it is repeated as JSON.
func answer(ctx context.Context, of agent.Skill, out json.RawMessage) (*sdk.CallToolResult, error) {
	r := &sdk.CallToolResult{}
	if bytes.HasPrefix(out, []byte("{")) {
		r.StructuredContent = out // only objects may be structured content
	}
	shown, err := render(of, out)
	if err != nil {
		return nil, err
	}
	r.Content = contents(ctx, shown)
	return r, nil
}

// render returns an output for people.
func render(of agent.Skill, out json.RawMessage) (agent.Rendering, error) {
	if of.Render == nil {
		return agent.Rendering{Text: string(out)}, nil
	}
	return of.Render(out)
}

// contents returns a text and links as the contents of a result.
func contents(ctx context.Context, shown agent.Rendering) []sdk.Content {
	all := []sdk.Content{&sdk.TextContent{Text: shown.Text}}
	base, _ := ctx.Value(baseKey{}).(string)
	for _, l := range shown.Links {
		if strings.HasPrefix(l.URL, "/") {
			l.URL = base + l.URL
		}
		all = append(all, &sdk.ResourceLink{URI: l.URL, Name: l.Name, MIMEType: l.MediaType})
	}
	return all
}

// statusAnswer returns the result of a tool of a long-running skill.
func statusAnswer(ctx context.Context, of agent.Skill, s agent.Status) (*sdk.CallToolResult, error) {
	out, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	shown := agent.Rendering{Text: s.Message}
	if s.Output != nil {
		if shown, err = render(of, s.Output); err != nil {
			return nil, err
		}
	}
	shown.Text = strings.TrimSpace(fmt.Sprintf("The run %s is %s. %s", s.ID, s.State, shown.Text))
	return &sdk.CallToolResult{StructuredContent: json.RawMessage(out), Content: contents(ctx, shown)}, nil
}
