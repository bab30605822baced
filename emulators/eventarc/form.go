package eventarc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.com/whatis/emulators/pubsub"
)

// Form is how a message is written into a request.
type Form int

const (
	// PushForm is the JSON envelope of a Pub/Sub push subscription:
	// {"message":{data, attributes, messageId, publishTime},"subscription","deliveryAttempt"}
	// https://cloud.google.com/pubsub/docs/push#receive_push
	PushForm Form = iota

	// CloudEventForm is the CloudEvent that an Eventarc trigger sends in
	// binary mode: google.cloud.storage.object.v1.finalized with the object
	// as its body for a bucket's notification, else
	// google.cloud.pubsub.topic.v1.messagePublished with the envelope.
	// https://cloud.google.com/eventarc/docs/cloudevents
	CloudEventForm
)

// envelope is the body of a push. Pub/Sub writes the ID and the time under two
// names each.
type envelope struct {
	Message         message `json:"message"`
	Subscription    string  `json:"subscription"`
	DeliveryAttempt int     `json:"deliveryAttempt,omitempty"` // only with a dead letter policy
}

type message struct {
	Attributes   map[string]string `json:"attributes,omitempty"`
	Data         []byte            `json:"data"`
	MessageID    string            `json:"messageId"`
	MessageID2   string            `json:"message_id"`
	PublishTime  string            `json:"publishTime"`
	PublishTime2 string            `json:"publish_time"`
}

// request writes one delivery of m in the route's form.
func (s *subscription) request(ctx context.Context, m pubsub.Message, attempt int) (*http.Request, error) {
	finalized := s.Form == CloudEventForm && m.Attributes["eventType"] == "OBJECT_FINALIZE"
	body := m.Data
	if !finalized {
		var err error
		if body, err = json.Marshal(s.envelope(m, attempt)); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "CloudPubSub-Google")
	if s.Form == CloudEventForm {
		s.setCloudEvent(r.Header, m, finalized)
	}
	return r, nil
}

func (s *subscription) envelope(m pubsub.Message, attempt int) envelope {
	published := m.PublishTime.UTC().Format(time.RFC3339Nano)
	e := envelope{
		Message:      message{m.Attributes, m.Data, m.ID, m.ID, published, published},
		Subscription: s.name,
	}
	if s.MaxDeliveries > 0 {
		e.DeliveryAttempt = attempt
	}
	return e
}

// setCloudEvent writes the CloudEvent's attributes.
func (s *subscription) setCloudEvent(h http.Header, m pubsub.Message, finalized bool) {
	attributes := map[string]string{
		"specversion": "1.0",
		"id":          m.ID,
		"time":        m.PublishTime.UTC().Format(time.RFC3339Nano),
		"type":        "google.cloud.pubsub.topic.v1.messagePublished",
		"source":      "//pubsub.googleapis.com/" + s.topic,
	}
	if finalized {
		bucket := m.Attributes["bucketId"]
		attributes["type"] = "google.cloud.storage.object.v1.finalized"
		attributes["source"] = "//storage.googleapis.com/projects/_/buckets/" + bucket
		attributes["subject"] = "objects/" + m.Attributes["objectId"]
		attributes["bucket"] = bucket
	}
	for name, value := range attributes {
		h.Set("ce-"+name, percentEncode(value))
	}
}

// percentEncode makes a value fit for a header: everything but printable
// ASCII, and space, double quote and percent, is encoded.
// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#3132-http-header-values
func percentEncode(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		if c <= ' ' || c > '~' || c == '"' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
