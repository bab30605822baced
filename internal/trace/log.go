package trace

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Handler is h whose lines name the trace of their context, in the way of Cloud
// Logging (cloud.google.com/logging/docs/structured-logging), which shows them
// with the request and in the trace. Without a project it is the bare ID.
func Handler(h slog.Handler, project string) slog.Handler {
	prefix := ""
	if project != "" {
		prefix = "projects/" + project + "/traces/"
	}
	return &handler{h, prefix}
}

type handler struct {
	slog.Handler
	prefix string
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		r = r.Clone()
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
