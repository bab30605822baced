// Package trace says what a request is doing, part by part, and joins its log
// lines to that.
//
//	header, event → traceparent → Serve → Start, Start, … → exported, if there is an exporter
//	                                ↘ Handler: each log line names the trace
//
// A span is a part with a beginning and an end, a trace all spans of one cause.
// The package only names spans: without an exporter (package otlp) Start does
// nothing at all, and the log lines still name the trace that came in. No span
// holds a prompt, a photo or a key.
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

// tracer makes the spans, nil none.
var tracer trace.Tracer

// Use makes p the provider of all spans, those of Google's clients too. It is
// called before there are requests.
func Use(p trace.TracerProvider) {
	otel.SetTracerProvider(provider{p})
	tracer = p.Tracer("example.com/whatis")
}

// provider is the provider of all spans but those that ADK makes of its agents:
// ours have a span by their own name already.
type provider struct{ trace.TracerProvider }

// adk names the spans of ADK for Go, and how those of its agents begin.
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

// agentless makes no spans of agents.
type agentless struct{ trace.Tracer }

func (t agentless) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if strings.HasPrefix(name, invokeAgent) {
		return ctx, noop.Span{}
	}
	return t.Tracer.Start(ctx, name, options...)
}

// Serve begins the span of a request or an event that belongs to the trace of
// traceparent (w3.org/TR/trace-context), "" for one of its own. The returned
// function ends it, with the error that it came to.
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

// Start begins a span within that of ctx, if that one is recorded. The returned
// function ends it, with the error that it came to.
func Start(ctx context.Context, name string) (context.Context, func(error)) {
	if tracer == nil || !Recorded(ctx) {
		return ctx, unseen
	}
	ctx, span := tracer.Start(ctx, name)
	return ctx, func(err error) { endSpan(span, err) }
}

// Recorded reports that what ctx is about is recorded: Note is of use.
func Recorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Note adds an attribute to the span of ctx. Values are strings, ints and
// float64s.
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

// FirstLine is the first line of an error's text, which may have a stack behind it,
// of at most 200 characters: what a span says of it.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return usererror.Short(strings.ToValidUTF8(s, ""), 200)
}
