package otlp

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"

	spans "example.com/whatis/internal/trace"
)

// Spans are visible to everybody who may read traces, who may not be allowed to see photos.
// So no span contains input or output: of ADK's attributes only those are exported that are
// known to be names, IDs and counts, because ADK also sets the arguments and results of
// every tool (gcp.vertex.agent.tool_call_args, .tool_response) and may rename these. Errors
// are cut to their first line, without a stack.

// adkScope is the instrumentation scope of ADK's spans.
const adkScope = "gcp.vertex.agent"

// fromADK are ADK's attributes that may be exported. A name that ends with a dot stands for
// all names with that prefix.
var fromADK = []string{
	"error.type", "gcp.vertex.agent.event_id", "gcp.vertex.agent.invocation_id", "gen_ai.agent.name", "gen_ai.conversation.id",
	"gen_ai.node.name", "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.finish_reasons",
	"gen_ai.response.id", "gen_ai.response.model", "gen_ai.system", "gen_ai.tool.call.id", "gen_ai.tool.name", "gen_ai.tool.type",
	"gen_ai.usage.", "gen_ai.workflow.name",
}

// withoutContent exports spans without input and output.
type withoutContent struct{ trace.SpanExporter }

func (e withoutContent) ExportSpans(ctx context.Context, all []trace.ReadOnlySpan) error {
	kept := make([]trace.ReadOnlySpan, len(all))
	for i, s := range all {
		kept[i] = outline{s}
	}
	return e.SpanExporter.ExportSpans(ctx, kept)
}

// An outline is a span without content attributes.
type outline struct{ trace.ReadOnlySpan }

func (s outline) Attributes() []attribute.KeyValue {
	all := s.ReadOnlySpan.Attributes()
	if s.InstrumentationScope().Name != adkScope {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(a attribute.KeyValue) bool { return !mayLeave(string(a.Key)) })
}

func mayLeave(key string) bool {
	return slices.ContainsFunc(fromADK, func(name string) bool {
		return key == name || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
	})
}

func (s outline) Events() []trace.Event {
	all := slices.Clone(s.ReadOnlySpan.Events())
	for i, e := range all {
		all[i].Attributes = make([]attribute.KeyValue, 0, len(e.Attributes))
		for _, a := range e.Attributes {
			switch a.Key {
			case "exception.stacktrace":
				continue
			case "exception.message":
				a.Value = attribute.StringValue(spans.FirstLine(a.Value.AsString()))
			}
			all[i].Attributes = append(all[i].Attributes, a)
		}
	}
	return all
}

func (s outline) Status() trace.Status {
	status := s.ReadOnlySpan.Status()
	status.Description = spans.FirstLine(status.Description)
	return status
}
