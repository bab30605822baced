package function

import (
	"bytes"
	"cmp"
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
// and its request. The answer says what happens next:
//
//	200  acknowledged: the work is done, or there is known to be none
//	503  delivered again: the work cannot be done now
//	400  delivered again, and an error "event refused" in the log, which an alert finds:
//	     nobody here can read the event, and there may be a photo behind it
//
// Refused are CloudEvents whose data is no JSON (Eventarc can send protobuf), events of
// 1st-gen functions, notifications without payload, and types of events that Upload does
// not know. Delivery does not end that by itself, but cannot circulate either: Eventarc
// delivers an event for 24 hours; a queue makes it a dead letter after a hundred times, and
// the subscription of dead letters has no dead letters of its own. There Upload publishes
// the refused event to the topic of failures and acknowledges it (intake.GiveUpUnread), so
// that it is kept, once, where people and replay look for photos that were given up. Only
// without such a topic is a dead letter refused until Pub/Sub forgets it after 31 days.
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
	if r.Method != http.MethodPost { // a probe, which is no event that could be lost
		http.Error(w, "want the POST of an event", http.StatusMethodNotAllowed)
		return r.Context(), nil
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(eventTimeout)) // until the body's end
	e, ok := readEvent(w, r)
	if !ok {
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

// readEvent reads the event of a request, or answers that it cannot.
func readEvent(w http.ResponseWriter, r *http.Request) (e cloudevents.Event, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	if large := (*http.MaxBytesError)(nil); err != nil && !errors.As(err, &large) {
		again(r.Context(), w, err) // the sender broke off
		return e, false
	}
	if err == nil {
		e, err = eventOf(r, body)
	}
	if err != nil {
		refuse(r.Context(), w, err)
	}
	return e, err == nil
}

// errUnread marks an event that nobody here can read.
var errUnread = errors.New("the event cannot be read")

// end acknowledges the event, or after err asks for it again, or refuses it if it is unread.
func (e *event) end(ctx context.Context, err error) {
	e.done(err)
	switch {
	case errors.Is(err, errUnread):
		refuse(ctx, e.w, err)
	case err != nil:
		again(ctx, e.w, err)
	}
}

// refuse answers an event that cannot be read. The alert on refused events finds the line by
// its message.
func refuse(ctx context.Context, w http.ResponseWriter, err error) {
	slog.ErrorContext(ctx, "event refused", "error", err)
	http.Error(w, err.Error(), http.StatusBadRequest)
}

// again asks for an event again.
func again(ctx context.Context, w http.ResponseWriter, err error) {
	slog.InfoContext(ctx, "the event comes again", "error", err)
	http.Error(w, err.Error(), http.StatusServiceUnavailable)
}

// unread returns the error of an event whose data is in no form that is read here.
func unread(e cloudevents.Event, err error) error {
	return fmt.Errorf("%w (%s, %s): %w", errUnread, e.Type(), cmp.Or(e.DataMediaType(), "no content type"), err)
}

// eventOf reads the event of a request with that body.
func eventOf(r *http.Request, body []byte) (cloudevents.Event, error) {
	if r.Header.Get("Ce-Id") == "" && !strings.Contains(r.Header.Get("Content-Type"), "cloudevents") {
		return pushed(r, body)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e, err := cloudevents.NewEventFromHTTPRequest(r)
	if err != nil {
		return cloudevents.Event{}, fmt.Errorf("the request holds no CloudEvent: %w", err)
	}
	return *e, e.Validate()
}

// errNoMessage is the error for a request with neither kind of event.
var errNoMessage = errors.New(`want a CloudEvent, or {"message": {"data": base64, "attributes": …, "messageId": …}} as Pub/Sub pushes it, to /projects/PROJECT/topics/TOPIC; events of 1st-gen functions are not read: deploy with --gen2`)

// pushed returns a message that Pub/Sub pushes, as the CloudEvent that Eventarc would make of
// it. Its topic is the path, as push subscriptions here are made.
func pushed(r *http.Request, body []byte) (cloudevents.Event, error) {
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
