package trace

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Handler wraps h so that each line names the trace of its context, in the form of Cloud
// Logging (cloud.google.com/logging/docs/structured-logging), which shows lines with the
// request and in the trace. Without a project the line has only the trace's ID. Lines of an
// event also name the event.
func Handler(h slog.Handler, project string) slog.Handler {
	prefix := ""
	if project != "" {
		prefix = "projects/" + project + "/traces/"
	}
	return &handler{h, prefix}
}

// WithEvent returns a context whose log lines name the event with that ID, because a
// message without a trace has no other identification.
func WithEvent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, eventKey{}, id)
}

type eventKey struct{}

type handler struct {
	slog.Handler
	prefix string
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	r = r.Clone()
	if id, ok := ctx.Value(eventKey{}).(string); ok {
		r.AddAttrs(slog.String("event", id))
	}
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		r.AddAttrs(
			slog.String("logging.googleapis.com/trace", h.prefix+s.TraceID().String()),
			slog.String("logging.googleapis.com/spanId", s.SpanID().String()),
			slog.Bool("logging.googleapis.com/trace_sampled", s.IsSampled()),
		)
	}
	return h.Handler.Handle(ctx, r)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(attrs), h.prefix}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.prefix}
}
