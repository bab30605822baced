package trace

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// ID returns the trace ID of ctx, as in log lines (Handler), or "".
func ID(ctx context.Context) string {
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		return s.TraceID().String()
	}
	return ""
}
