package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/adk/v2/platform"
	"google.golang.org/genai"

	"example.com/whatis/internal/trace"
)

// A Tool is a Go function that an agent written by hand calls by name, as a model
// calls its tools. In and Out must be encodable as JSON: they are the arguments and
// the response of the call's two events.
type Tool[In, Out any] struct {
	Name string
	Do   func(context.Context, In) (Out, error)
}

// Call runs the tool for the agent of ctx and yields its call and its response. A
// panic in the tool becomes an error. It must be called by the goroutine that runs
// the agent.
func (tool Tool[In, Out]) Call(ctx context.Context, in In) (out Out, err error) {
	r := running(ctx)
	id := r.called(tool.Name, in)
	ctx, end := trace.Start(ctx, tool.Name)
	defer func() {
		if r.yielding {
			return
		}
		if p := recover(); p != nil {
			err = panicked(p)
		}
		end(err)
		if err != nil {
			err = fmt.Errorf("%s: %w", tool.Name, err)
		}
		r.answered(id, tool.Name, out, err)
	}()
	return tool.Do(ctx, in)
}

// called yields the event of a tool call, and returns its ID.
func (r *run) called(tool string, in any) (id string) {
	if !r.closed {
		id = platform.NewUUID(r.ctx)
		r.emitPart(genai.RoleModel, &genai.Part{FunctionCall: &genai.FunctionCall{ID: id, Name: tool, Args: object(in, "value")}})
	}
	return id
}

// errorKey is the key of the error in a tool's response, as in ADK's own tools.
const errorKey = "error"

// answered yields the event of a tool's response.
func (r *run) answered(id, tool string, out any, err error) {
	if r.closed {
		return
	}
	response := map[string]any{}
	if err != nil {
		response[errorKey] = err.Error()
	} else {
		response = object(out, "result")
	}
	r.emitPart(genai.RoleUser, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: id, Name: tool, Response: response}})
}

// object returns v as a JSON object, as arguments and responses must be; any other value
// becomes the field name of one.
func object(v any, name string) map[string]any {
	var m map[string]any
	if data, err := json.Marshal(v); err != nil || json.Unmarshal(data, &m) != nil || m == nil {
		return map[string]any{name: v}
	}
	return m
}
