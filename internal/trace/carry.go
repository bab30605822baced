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

// The headers that a trace comes in with. Cloud Run gives both of the first two.
const (
	header       = "Traceparent"
	googleHeader = "X-Cloud-Trace-Context" // TRACE/SPAN;o=SAMPLED, the span in decimal
	eventHeader  = "Ce-Traceparent"        // a CloudEvent's extension
)

// Of returns the traceparent of a request, "" without a valid one.
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

// behind separates a Pub/Sub topic and the traceparent behind it. Neither the name
// of a project nor that of a topic can hold it.
const behind = ";"

// Carry makes the trace of a request survive the functions framework, which hands
// functions of events neither headers nor a context: of a CloudEvent it keeps the
// extensions, of a push by Pub/Sub nothing but its topic, the path. OfEvent reads
// both. An extension of the event's own stays.
func Carry(r *http.Request) {
	p := Of(r.Header)
	if p == "" {
		return
	}
	r.Header.Set(header, p)
	switch {
	case r.Header.Get("Ce-Id") != "":
		if r.Header.Get(eventHeader) == "" {
			r.Header.Set(eventHeader, p)
		}
	case isTopic(r.URL.Path):
		r.URL.Path += behind + p
		r.URL.RawPath = ""
	}
}

// isTopic reports a path of the form /projects/P/topics/T.
func isTopic(path string) bool {
	part := strings.Split(path, "/")
	return len(part) == 5 && part[0] == "" && part[1] == "projects" && part[3] == "topics" && part[4] != ""
}

// OfEvent returns the traceparent of an event by its source, its extension of that
// name, nil without, and its data; "" when there is none. That of a message's own
// publisher comes before that of its delivery.
func OfEvent(source string, extension any, data []byte) string {
	if p, ok := extension.(string); ok && valid(p) {
		return p
	}
	if p := published(data); valid(p) {
		return p
	}
	if _, p, _ := strings.Cut(source, behind); valid(p) {
		return p
	}
	return ""
}

// publisher is the attribute where Pub/Sub's clients put the trace of who published a message.
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
