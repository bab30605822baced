package gemini

import (
	"context"

	"example.com/whatis/internal/trace"
)

// observe starts the span of one try, named by OpenTelemetry's conventions for generative
// models. The returned function ends it.
func (c *Client) observe(ctx context.Context, model string) (context.Context, func(*Error)) {
	ctx, end := trace.Start(ctx, "model "+baseName(model))
	if !trace.Recorded(ctx) {
		return ctx, unobserved
	}
	provider := "gcp.gemini"
	if c.vertex {
		provider = "gcp.vertex_ai"
	}
	trace.Note(ctx, "gen_ai.provider.name", provider)
	trace.Note(ctx, "gen_ai.request.model", model)
	return ctx, func(e *Error) {
		if e == nil {
			end(nil)
			return
		}
		trace.Note(ctx, "error.type", string(e.Kind))
		end(e)
	}
}

func unobserved(*Error) {}

// note adds the usage of an answer to the span of its try.
func note(ctx context.Context, entry Ledger) {
	if !trace.Recorded(ctx) {
		return
	}
	operation := "generate_content"
	if entry.Calls.Embed > 0 {
		operation = "embeddings"
	}
	trace.Note(ctx, "gen_ai.operation.name", operation)
	for _, version := range entry.Models { // only one
		trace.Note(ctx, "gen_ai.response.model", version)
	}
	trace.Note(ctx, "gen_ai.usage.input_tokens", entry.Usage.Input)
	trace.Note(ctx, "gen_ai.usage.output_tokens", entry.Usage.Output)
	trace.Note(ctx, "whatis.grounded_queries", entry.Calls.GroundedQueries)
	trace.Note(ctx, "whatis.cost_usd", entry.USD)
}
