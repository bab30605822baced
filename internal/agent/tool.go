package agent

import (
	"context"
	"fmt"
	"runtime/debug"

	"example.com/whatis/internal/trace"
)

// A Tool is a Go function that an agent calls by name. In and Out must be
// encodable as JSON: they are the data of the call's two events.
type Tool[In, Out any] struct {
	Name string
	Do   func(context.Context, In) (Out, error)
}

// Call runs the tool in t, yielding a ToolCall and a ToolResult. A panic in the
// tool becomes an error.
func (tool Tool[In, Out]) Call(ctx context.Context, t *Turn, in In) (Out, error) {
	t.Emit(Event{Kind: ToolCall, Tool: tool.Name, Data: in})
	ctx, end := trace.Start(ctx, tool.Name)
	out, err := tool.guarded(ctx, t, in)
	end(err)
	if err != nil {
		err = fmt.Errorf("%s: %w", tool.Name, err)
		t.Emit(Event{Kind: ToolResult, Tool: tool.Name, Error: err.Error()})
		return out, err
	}
	t.Emit(Event{Kind: ToolResult, Tool: tool.Name, Data: out})
	return out, nil
}

// guarded calls the tool and turns its panics into errors, but lets through those
// of the caller's own loop body, which run inside a tool's emits.
func (tool Tool[In, Out]) guarded(ctx context.Context, t *Turn, in In) (out Out, err error) {
	defer func() {
		if t.yielding {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return tool.Do(ctx, in)
}
