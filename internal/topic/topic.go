// Package topic publishes JSON messages to a Pub/Sub topic.
//
//	value, attributes → Publish → accepted by Pub/Sub, or an error
//
// A message that was accepted is delivered at least once: whoever gets it must
// take it twice.
package topic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/pubsub/v2"
)

// A Topic is one topic. It is safe for concurrent use.
type Topic struct {
	publisher *pubsub.Publisher
}

// New returns the topic of that name: its ID, or projects/P/topics/ID.
func New(client *pubsub.Client, name string) *Topic {
	p := client.Publisher(name)
	// The client gathers messages for ten milliseconds; few come alone here, and
	// those have somebody waiting.
	p.PublishSettings.DelayThreshold = time.Millisecond
	return &Topic{publisher: p}
}

// A Message is one message.
type Message struct {
	Data       any // as JSON
	Attributes map[string]string
}

// Publish publishes the messages and returns once Pub/Sub has them all. After an
// error some may have been published and some not.
func (t *Topic) Publish(ctx context.Context, messages ...Message) error {
	results := make([]*pubsub.PublishResult, len(messages))
	for i, m := range messages {
		data, err := json.Marshal(m.Data)
		if err != nil {
			return fmt.Errorf("topic: encode a message for %s: %w", t.publisher.ID(), err)
		}
		results[i] = t.publisher.Publish(ctx, &pubsub.Message{Data: data, Attributes: m.Attributes})
	}
	var all error
	for _, r := range results {
		if _, err := r.Get(ctx); err != nil {
			all = errors.Join(all, err)
		}
	}
	if all != nil {
		return fmt.Errorf("topic: publish to %s: %w", t.publisher.ID(), all)
	}
	return nil
}
