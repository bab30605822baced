// Package queue publishes tasks to Pub/Sub topics, and gives those that are delivered
// to their handlers.
//
//	Task{agent, kind, payload} → Publisher → Topic: tasks, or long tasks → push subscription
//	      → Delivery → Dispatcher → the handler of {agent, kind}
//
// A task is delivered at least once, and again after an error: its handler must take it
// twice. A task that cannot be read, or that no handler knows, would not be better the
// next time: it is logged and dropped.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Task is something to be done by the agent, of a kind that the agent knows.
type Task struct {
	Agent   string `json:"agent"`
	Kind    string `json:"kind"`
	Payload any    `json:"payload"` // as JSON
}

// A Publisher hands tasks on. It is safe for concurrent use.
type Publisher struct {
	Tasks *Topic
	Long  *Topic // of tasks that hand out others, or take long, so that they need not wait behind many; nil is Tasks
}

// Publish hands on the tasks and returns once all are taken. After an error some may
// have been and some not.
func (p *Publisher) Publish(ctx context.Context, tasks ...Task) error {
	return publish(ctx, p.Tasks, tasks)
}

// PublishLong is Publish, for tasks which hand out others, or take long.
func (p *Publisher) PublishLong(ctx context.Context, tasks ...Task) error {
	if p.Long == nil {
		return publish(ctx, p.Tasks, tasks)
	}
	return publish(ctx, p.Long, tasks)
}

func publish(ctx context.Context, to *Topic, tasks []Task) error {
	messages := make([]Message, len(tasks))
	for i, t := range tasks {
		messages[i].Data = t
	}
	return to.Publish(ctx, messages...)
}

// A Message is a task as Pub/Sub brings it.
type Delivery struct {
	Data []byte
	Meta
}

// Meta is what is known of a delivery.
type Meta struct {
	Published time.Time // zero if that is not known
	Dead      bool      // a dead letter: its own subscription gave it up, and this may be the last try
}

// FromEvent reads a task from the source, the data and the time of a
// messagePublished event.
func TaskFromEvent(source string, data []byte, published time.Time) (Delivery, error) {
	m, err := FromEvent(source, data)
	if err != nil {
		return Delivery{}, fmt.Errorf("queue: the event is no task: %w", err)
	}
	if !m.Published.IsZero() { // of a dead letter, the event's is when it died
		published = m.Published
	}
	return Delivery{m.Data, Meta{published, m.Dead}}, nil
}

// An envelope is a Task as it comes in. Name is that of the form before there were
// agents: {"task": "look", …}, with what is now the payload beside it.
type envelope struct {
	Agent   string          `json:"agent"`
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	Name    string          `json:"task"`
}
