package topic

import (
	"encoding/json"
	"fmt"
)

// A Received is a message as a push subscription brings it.
type Received struct {
	Data       []byte
	Attributes map[string]string
	Dead       bool // it was delivered too often and is not delivered again
}

// FromEvent reads the message in the data of a messagePublished event:
// {"message": {"attributes": …, "data": base64}}. An attribute of Pub/Sub's own
// marks a dead letter (docs.cloud.google.com/pubsub/docs/dead-letter-topics).
func FromEvent(data []byte) (Received, error) {
	var envelope struct {
		Message struct {
			Attributes map[string]string `json:"attributes"`
			Data       []byte            `json:"data"`
		} `json:"message"`
	}
	if err := json.Unmarshal(data, &envelope); err != nil {
		return Received{}, fmt.Errorf("topic: the event holds no message: %w", err)
	}
	m := envelope.Message
	return Received{m.Data, m.Attributes, m.Attributes["CloudPubSubDeadLetterSourceSubscription"] != ""}, nil
}
