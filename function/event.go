package function

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"example.com/whatis/internal/trace"
)

// An event is a CloudEvent, as Eventarc sends it, or a message, as Pub/Sub pushes it,
// and its request. It is acknowledged by 200; after 503 it comes again.
//
// Upload and Task are HTTP functions, as the framework's own way of taking events loses
// some: the receiver of the CloudEvents SDK hands all events of a process over one
// channel, where one may wait for good, or get the context of another, when several come
// at once (github.com/cloudevents/sdk-go/issues/1224).
type event struct {
	cloudevents.Event
	w    http.ResponseWriter
	done func(error) // ends its span and time-out
}

// The limits of an event's request. Pub/Sub's messages have 10 MB, in base64.
const (
	maxEvent     = 16 << 20
	eventTimeout = time.Minute // for reading the body
)

// begin reads the event of a request, and starts its span and time-out. A request without
// an event, or for a foreign host, is answered with an error, and the event is nil.
//
// The work continues when the sender disconnects: calls in flight are paid, and the event
// would only be delivered again.
func begin(name string, w http.ResponseWriter, r *http.Request) (context.Context, *event) {
	if refused(w, r) {
		return r.Context(), nil
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(eventTimeout)) // until the body's end
	r.Body = http.MaxBytesReader(w, r.Body, maxEvent)
	e, err := eventOf(r)
	if err != nil {
		slog.WarnContext(r.Context(), "no event", "error", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return r.Context(), nil
	}
	ctx, cancel := withTimeout(context.WithoutCancel(r.Context()))
	ctx, end := trace.Serve(trace.WithEvent(ctx, e.ID()), name, trace.OfEvent(e.Extensions()["traceparent"], e.Data()))
	if trace.Recorded(ctx) {
		trace.Note(ctx, "cloudevents.event_id", e.ID())
		trace.Note(ctx, "cloudevents.event_type", e.Type())
	}
	return ctx, &event{e, w, func(err error) { end(err); cancel() }}
}

// end acknowledges the event, or asks for it again after err.
func (e *event) end(ctx context.Context, err error) {
	e.done(err)
	if err != nil {
		slog.InfoContext(ctx, "the event comes again", "error", err)
		http.Error(e.w, err.Error(), http.StatusServiceUnavailable)
	}
}

// eventOf reads the event of a request.
func eventOf(r *http.Request) (cloudevents.Event, error) {
	if r.Header.Get("Ce-Id") == "" && !strings.Contains(r.Header.Get("Content-Type"), "cloudevents") {
		return pushed(r)
	}
	e, err := cloudevents.NewEventFromHTTPRequest(r)
	if err != nil {
		return cloudevents.Event{}, fmt.Errorf("the request holds no CloudEvent: %w", err)
	}
	return *e, e.Validate()
}

// errNoMessage is the error for a request with neither kind of event.
var errNoMessage = errors.New(`want a CloudEvent, or {"message": {"data": base64, "attributes": …, "messageId": …}} as Pub/Sub pushes it, to /projects/PROJECT/topics/TOPIC`)

// pushed returns a message that Pub/Sub pushes, as the CloudEvent that Eventarc would make of
// it. Its topic is the path, as push subscriptions here are made.
func pushed(r *http.Request) (cloudevents.Event, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return cloudevents.Event{}, err
	}
	var push struct {
		Message *struct {
			ID        string    `json:"messageId"`
			Published time.Time `json:"publishTime"`
		} `json:"message"`
	}
	if err := json.Unmarshal(body, &push); err != nil {
		return cloudevents.Event{}, fmt.Errorf("%w: %w", errNoMessage, err)
	}
	if push.Message == nil {
		return cloudevents.Event{}, errNoMessage
	}
	e := cloudevents.NewEvent()
	e.SetType("google.cloud.pubsub.topic.v1.messagePublished")
	e.SetSource("//pubsub.googleapis.com" + r.URL.EscapedPath())
	e.SetID(push.Message.ID)
	e.SetTime(push.Message.Published)
	return e, e.SetData(cloudevents.ApplicationJSON, body)
}
