package trace

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// ID names the trace of ctx, as log lines do (Handler), "" without one.
func ID(ctx context.Context) string {
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		return s.TraceID().String()
	}
	return ""
}
