package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

// A Topic is one topic. It is safe for concurrent use.
type Topic struct {
	client *pubsub.TopicAdminClient
	name   string
}

// NewTopic returns the topic projects/P/topics/T.
func NewTopic(client *pubsub.TopicAdminClient, name string) *Topic { return &Topic{client, name} }

// A Message is one message. A value of more than 1,024 bytes, such as the address of an object
// with a long name, is no attribute for Pub/Sub, which would refuse the message: it is left out.
type Message struct {
	Data       any // as JSON
	Attributes map[string]string
}

// Limits of a publish request, rounded down, and of an attribute (cloud.google.com/pubsub/quotas).
const (
	maxMessages = 1000
	maxBytes    = 9_000_000
	maxValue    = 1024
)

// Publish publishes the messages and returns once Pub/Sub has them all. After an
// error some may have been published and some not.
func (t *Topic) Publish(ctx context.Context, messages ...Message) error {
	var batch []*pubsubpb.PubsubMessage
	size := 0
	for _, m := range messages {
		data, err := json.Marshal(m.Data)
		if err != nil {
			return fmt.Errorf("queue: encode a message for %s: %w", t.name, err)
		}
		if len(batch) == maxMessages || len(batch) > 0 && size+len(data) > maxBytes {
			if err := t.send(ctx, batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
		attributes := maps.Clone(m.Attributes)
		maps.DeleteFunc(attributes, func(_, value string) bool { return len(value) > maxValue })
		batch, size = append(batch, &pubsubpb.PubsubMessage{Data: data, Attributes: attributes}), size+len(data)
	}
	return t.send(ctx, batch)
}

func (t *Topic) send(ctx context.Context, batch []*pubsubpb.PubsubMessage) error {
	if len(batch) == 0 {
		return nil
	}
	if _, err := t.client.Publish(ctx, &pubsubpb.PublishRequest{Topic: t.name, Messages: batch}); err != nil {
		return fmt.Errorf("queue: publish to %s: %w", t.name, err)
	}
	return nil
}
