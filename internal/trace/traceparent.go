package trace

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// The headers that carry an incoming trace. Cloud Run sets both.
const (
	header       = "Traceparent"
	googleHeader = "X-Cloud-Trace-Context" // TRACE/SPAN;o=SAMPLED, the span in decimal
)

// Of returns the traceparent of a request, "" if there is no valid one.
func Of(h http.Header) string {
	if p := h.Get(header); valid(p) {
		return p
	}
	if g := h.Get(googleHeader); g != "" {
		return fromGoogle(g)
	}
	return ""
}

func valid(traceparent string) bool {
	if traceparent == "" {
		return false
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	return trace.SpanContextFromContext(ctx).IsValid()
}

func fromGoogle(value string) string {
	id, rest, _ := strings.Cut(value, "/")
	decimal, options, _ := strings.Cut(rest, ";")
	number, err := strconv.ParseUint(decimal, 10, 64)
	if err != nil {
		return ""
	}
	flags := "00"
	if options == "o=1" {
		flags = "01"
	}
	span := hex.EncodeToString(binary.BigEndian.AppendUint64(nil, number))
	if p := "00-" + strings.ToLower(id) + "-" + span + "-" + flags; valid(p) {
		return p
	}
	return ""
}

// OfEvent returns the traceparent of an event: its extension of that name, or that of the
// message in its data; "" if there is none. Extension may be nil.
func OfEvent(extension any, data []byte) string {
	if p, ok := extension.(string); ok && valid(p) {
		return p
	}
	if p := published(data); valid(p) {
		return p
	}
	return ""
}

// publisher is the message attribute in which Pub/Sub's clients put the publisher's trace.
const publisher = "googclient_traceparent"

func published(data []byte) string {
	if !bytes.Contains(data, []byte(publisher)) {
		return ""
	}
	var envelope struct {
		Message struct {
			Attributes map[string]string `json:"attributes"`
		} `json:"message"`
	}
	if json.Unmarshal(data, &envelope) != nil {
		return ""
	}
	return envelope.Message.Attributes[publisher]
}
