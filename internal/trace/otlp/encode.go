package otlp

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers are those of ExportTraceServiceRequest and the messages below it
// (github.com/open-telemetry/opentelemetry-proto). Events and links are left out:
// nobody here makes any but Google's clients, of errors that the status tells.

// encode writes spans, which are all of one resource, as a request.
func encode(spans []trace.ReadOnlySpan) []byte {
	type library struct{ name, version string }
	scopes := map[library][]byte{}
	for _, s := range spans {
		scope := library{s.InstrumentationScope().Name, s.InstrumentationScope().Version}
		scopes[scope] = appendMessage(scopes[scope], 2, span(s))
	}
	all := appendMessage(nil, 1, attributes(nil, 1, spans[0].Resource().Attributes()))
	for scope, body := range scopes {
		name := appendString(appendString(nil, 1, scope.name), 2, scope.version)
		all = appendMessage(all, 2, append(appendMessage(nil, 1, name), body...))
	}
	return appendMessage(nil, 1, all)
}

func span(s trace.ReadOnlySpan) []byte {
	c, parent := s.SpanContext(), s.Parent()
	id, spanID, parentID := c.TraceID(), c.SpanID(), parent.SpanID()
	b := appendMessage(nil, 1, id[:])
	b = appendMessage(b, 2, spanID[:])
	b = appendString(b, 3, c.TraceState().String())
	if parent.IsValid() {
		b = appendMessage(b, 4, parentID[:])
	}
	b = appendString(b, 5, s.Name())
	b = appendNumber(b, 6, uint64(s.SpanKind()))
	b = appendTime(b, 7, s.StartTime())
	b = appendTime(b, 8, s.EndTime())
	b = attributes(b, 9, s.Attributes())
	return appendMessage(b, 15, status(s.Status()))
}

func status(s trace.Status) []byte {
	b := appendString(nil, 2, s.Description)
	switch s.Code {
	case codes.Ok:
		return appendNumber(b, 3, 1)
	case codes.Error:
		return appendNumber(b, 3, 2)
	}
	return b
}

func attributes(b []byte, n protowire.Number, all []attribute.KeyValue) []byte {
	for _, a := range all {
		b = appendMessage(b, n, appendMessage(appendString(nil, 1, string(a.Key)), 2, value(a.Value)))
	}
	return b
}

// value writes one value. Lists are rare and become text.
func value(v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		return protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), uint64(v.AsInt64()))
	case attribute.FLOAT64:
		return protowire.AppendFixed64(protowire.AppendTag(nil, 4, protowire.Fixed64Type), math.Float64bits(v.AsFloat64()))
	}
	return appendMessage(nil, 1, []byte(v.String()))
}

func appendMessage(b []byte, n protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), body)
}

func appendString(b []byte, n protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
}

func appendNumber(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func appendTime(b []byte, n protowire.Number, t time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), uint64(t.UnixNano()))
}
