package queue

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Received is a message as a push subscription delivers it.
type Received struct {
	Data       []byte
	Attributes map[string]string
	Dead       bool      // it comes from a dead-letter topic: its own subscription gave it up
	Published  time.Time // of a dead letter: when it was first published; else zero
}

// deadLetters is the suffix of the name of a dead-letter topic.
const deadLetters = "-dead-letter"

// FromEvent reads the message in the data of a messagePublished event:
// {"message": {"attributes": …, "data": base64}}. Attributes of Pub/Sub's own mark
// a dead letter (docs.cloud.google.com/pubsub/docs/dead-letter-topics). Any publisher
// can set them, so they are trusted only in an event whose source, such as
// //pubsub.googleapis.com/projects/P/topics/T, is a dead-letter topic.
func FromEvent(source string, data []byte) (Received, error) {
	var envelope struct {
		Message struct {
			Attributes map[string]string `json:"attributes"`
			Data       []byte            `json:"data"`
		} `json:"message"`
	}
	if err := json.Unmarshal(data, &envelope); err != nil {
		return Received{}, fmt.Errorf("queue: the event holds no message: %w", err)
	}
	m := envelope.Message
	r := Received{Data: m.Data, Attributes: m.Attributes}
	if isDeadLetterTopic(source) && m.Attributes["CloudPubSubDeadLetterSourceSubscription"] != "" {
		r.Dead = true
		r.Published, _ = time.Parse(time.RFC3339Nano, m.Attributes["CloudPubSubDeadLetterSourceTopicPublishTime"]) // zero if missing
	}
	return r, nil
}

// isDeadLetterTopic reports whether a source is a dead-letter topic. After a semicolon
// it may have the trace of the request that delivered the event.
func isDeadLetterTopic(source string) bool {
	name, _, _ := strings.Cut(source, ";")
	return strings.HasSuffix(name, deadLetters)
}
