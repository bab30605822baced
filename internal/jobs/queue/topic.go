package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/protobuf/proto"
)

// A Topic is one topic. It is safe for concurrent use.
type Topic struct {
	client *pubsub.TopicAdminClient
	name   string
}

// NewTopic returns the topic projects/P/topics/T.
func NewTopic(client *pubsub.TopicAdminClient, name string) *Topic { return &Topic{client, name} }

// A Message is one message. An attribute that is longer than Pub/Sub takes is left out, such as the
// address of an object of the longest name: the data has it.
type Message struct {
	Data       any // as JSON
	Attributes map[string]string
}

// Limits of a publish request, that of its bytes rounded down (cloud.google.com/pubsub/quotas).
const (
	maxMessages  = 1000
	maxBytes     = 9_000_000
	maxAttribute = 1024 // bytes
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
		next := &pubsubpb.PubsubMessage{Data: data, Attributes: maps.Clone(m.Attributes)}
		maps.DeleteFunc(next.Attributes, func(_, value string) bool { return len(value) > maxAttribute })
		n := proto.Size(next)
		if len(batch) == maxMessages || len(batch) > 0 && size+n > maxBytes {
			if err := t.send(ctx, batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
		batch, size = append(batch, next), size+n
	}
	return t.send(ctx, batch)
}

// Check returns an error if there is no such topic.
func (t *Topic) Check(ctx context.Context) error {
	if _, err := t.client.GetTopic(ctx, &pubsubpb.GetTopicRequest{Topic: t.name}); err != nil {
		return fmt.Errorf("queue: look for %s: %w", t.name, err)
	}
	return nil
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
