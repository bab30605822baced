// Package mcp offers every skill as a tool of the Model Context Protocol, over HTTP without
// sessions.
//
//	tools/call → the skill's Run, whose events are progress → content and structured content
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
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		hosted.ServeHTTP(&errorWriter{ResponseWriter: w, id: idOf(body)}, r)
	}
}

func newServer(c Config) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: c.Name, Version: c.Version}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for _, of := range c.Skills {
		name := cmp.Or(of.Tool, of.ID)
		if of.Long == nil {
			s.AddTool(tool(name, of, of.Input, of.Output), c.run(of))
			continue
		}
		start, get, cancel := name, name+"_status", name+"_cancel"
		if of.Noun != "" {
			start, get, cancel = "start_"+of.Noun, "get_"+of.Noun, "cancel_"+of.Noun
		}
		status := statusSchema(of)
		begins := of
		begins.Description += " It takes minutes: this begins it, " + get + " says how far it is and has what it came to."
		s.AddTool(tool(start, begins, of.Input, status), c.long(func(ctx context.Context, input []byte) (agent.Status, error) { return of.Long.Start(ctx, input) }))
		s.AddTool(tool(get, about(of, "Says what has become of a run: "), runSchema, status), c.long(ofRun(of.Long.Status)))
		s.AddTool(tool(cancel, about(of, "Cancels a run: "), runSchema, status), c.long(ofRun(of.Long.Cancel)))
	}
	return s
}

// tool describes a skill as a tool.
func tool(name string, of agent.Skill, in, out *jsonschema.Schema) *sdk.Tool {
	t := &sdk.Tool{Name: name, Title: of.Name, Description: of.Description, InputSchema: in}
	if out.Type == "object" { // the protocol allows no other output schema
		t.OutputSchema = out
	}
	return t
}

func about(of agent.Skill, what string) agent.Skill {
	of.Description = what + of.Name
	return of
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
		out, err := of.Run(ctx, arguments(r), progress(ctx, r))
		if err != nil {
			return c.failed(err), nil
		}
		return answer(of.Output, out)
	}
}

// long returns a handler that calls a function of a long-running skill, which returns at
// once.
func (c Config) long(do func(context.Context, []byte) (agent.Status, error)) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := web.WorkContext(ctx)
		defer cancel()
		status, err := do(ctx, arguments(r))
		if err != nil {
			return c.failed(err), nil
		}
		out, err := json.Marshal(status)
		if err != nil {
			return nil, fmt.Errorf("mcp: %w", err)
		}
		return answer(nil, out)
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
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a client that has left
			ProgressToken: token, Progress: float64(n.Add(1)), Message: strings.TrimSpace(e.Author + ": " + string(e.Kind) + " " + e.Tool),
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

// answer returns the result of a tool: the output as text and as structured content. Fields
// whose schema declares an image are sent as images and left out of the text.
func answer(s *jsonschema.Schema, out json.RawMessage) (*sdk.CallToolResult, error) {
	r := &sdk.CallToolResult{StructuredContent: out}
	var fields map[string]json.RawMessage
	if json.Unmarshal(out, &fields) != nil {
		r.StructuredContent = nil // only objects may be structured content
	}
	images, err := images(s, fields)
	if err != nil {
		return nil, err
	}
	text := string(out)
	if len(images) > 0 {
		rest, err := json.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("mcp: %w", err)
		}
		text = string(rest)
	}
	r.Content = append([]sdk.Content{&sdk.TextContent{Text: text}}, images...)
	return r, nil
}

// images removes the image fields from an output and returns them.
func images(s *jsonschema.Schema, fields map[string]json.RawMessage) (all []sdk.Content, err error) {
	if s == nil {
		return nil, nil
	}
	for name, of := range s.Properties {
		if fields[name] == nil || !strings.HasPrefix(of.ContentMediaType, "image/") {
			continue
		}
		image := &sdk.ImageContent{MIMEType: of.ContentMediaType}
		if err := json.Unmarshal(fields[name], &image.Data); err != nil {
			return nil, fmt.Errorf("mcp: the image %s: %w", name, err)
		}
		delete(fields, name)
		if len(image.Data) > 0 {
			all = append(all, image)
		}
	}
	return all, nil
}
