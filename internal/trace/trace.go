// Package trace records the steps of a request as spans, and links log lines to them.
//
//	header, event → traceparent → Serve → Start, Start, … → exported, if there is an exporter
//	                                ↘ Handler: each log line names the trace
//
// A span is a step with a start and an end; a trace is all spans with one cause. Without an
// exporter (package otlp) Start does nothing, and log lines still name the incoming trace.
// No span contains a prompt, a photo or a key.
package trace

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/whatis/internal/usererror"
)

// tracer creates the spans; nil if there is no exporter.
var tracer trace.Tracer

// Use makes p the provider of all spans, including those of Google's clients. Call it
// before the first request.
func Use(p trace.TracerProvider) {
	otel.SetTracerProvider(provider{p})
	tracer = p.Tracer("example.com/whatis")
}

// provider is the provider of all spans except those that ADK creates for its agents: these
// already have a span with their own name.
type provider struct{ trace.TracerProvider }

// adk is the scope of ADK for Go; the other constant is the prefix of its agents' spans.
const (
	adk         = "gcp.vertex.agent"
	invokeAgent = "invoke_agent "
)

func (p provider) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	t := p.TracerProvider.Tracer(name, options...)
	if name == adk {
		return agentless{t}
	}
	return t
}

// agentless creates no spans for agents.
type agentless struct{ trace.Tracer }

func (t agentless) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if strings.HasPrefix(name, invokeAgent) {
		return ctx, noop.Span{}
	}
	return t.Tracer.Start(ctx, name, options...)
}

// Serve starts the span of a request or an event in the trace of traceparent
// (w3.org/TR/trace-context), or in a new trace if that is "". The returned function ends
// the span with the given error.
func Serve(ctx context.Context, name, traceparent string) (context.Context, func(error)) {
	if traceparent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
	}
	if tracer == nil {
		return ctx, unseen
	}
	ctx, span := tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(err error) { endSpan(span, err) }
}

// Start starts a span within that of ctx, if that is recorded. The returned function ends
// it with the given error.
func Start(ctx context.Context, name string) (context.Context, func(error)) {
	if tracer == nil || !Recorded(ctx) {
		return ctx, unseen
	}
	ctx, span := tracer.Start(ctx, name)
	return ctx, func(err error) { endSpan(span, err) }
}

// Recorded reports whether the span of ctx is recorded, so that Note has an effect.
func Recorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Note adds an attribute to the span of ctx. Values are strings, ints and float64s.
func Note(ctx context.Context, key string, value any) {
	span := trace.SpanFromContext(ctx)
	switch v := value.(type) {
	case string:
		span.SetAttributes(attribute.String(key, v))
	case int:
		span.SetAttributes(attribute.Int(key, v))
	case float64:
		span.SetAttributes(attribute.Float64(key, v))
	default:
		panic(fmt.Sprintf("trace: note %s: no attribute can be a %T", key, value))
	}
}

func unseen(error) {}

func endSpan(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, FirstLine(err.Error()))
	}
	span.End()
}

// FirstLine returns the first line of an error's text, which may be followed by a stack,
// cut to 200 characters.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return usererror.Short(strings.ToValidUTF8(s, ""), 200)
}
