// Package queue publishes tasks to Pub/Sub topics, and passes delivered tasks to their
// handlers.
//
//	Task{agent, kind, payload} → Publisher → Topic: tasks, or long tasks → push subscription
//	      → Delivery → Dispatcher → the handler of {agent, kind}
//
// A task is delivered at least once, and again after an error: its handler must be
// idempotent. A task that cannot be read, or that has no handler, is logged and dropped.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/whatis/internal/admission"
)

// A Task asks an agent for work of one of the agent's kinds.
type Task struct {
	Agent   string `json:"agent"`
	Kind    string `json:"kind"`
	Payload any    `json:"payload"` // as JSON
}

// A sent task is a task as it is published.
type sent struct {
	Task
	Caller string `json:"caller,omitempty"` // whose model calls those of the task are; "" is nobody's
}

// A Publisher publishes tasks. It is safe for concurrent use.
type Publisher struct {
	Tasks *Topic
	Long  *Topic // for tasks that publish others, or take long, so that they do not queue behind many short ones; nil is Tasks
}

// Publish publishes the tasks and returns once Pub/Sub has them all. After an error some
// may have been published and some not.
func (p *Publisher) Publish(ctx context.Context, tasks ...Task) error {
	return publish(ctx, p.Tasks, tasks)
}

// PublishLong is Publish for tasks that publish others, or take long.
func (p *Publisher) PublishLong(ctx context.Context, tasks ...Task) error {
	if p.Long == nil {
		return publish(ctx, p.Tasks, tasks)
	}
	return publish(ctx, p.Long, tasks)
}

func publish(ctx context.Context, to *Topic, tasks []Task) error {
	messages := make([]Message, len(tasks))
	for i, t := range tasks {
		messages[i].Data = sent{t, admission.CallerOf(ctx)}
	}
	return to.Publish(ctx, messages...)
}

// A Delivery is a task as Pub/Sub delivers it.
type Delivery struct {
	Data []byte
	Meta
}

// Meta is the metadata of a delivery.
type Meta struct {
	Published time.Time // zero if unknown
	Dead      bool      // a dead letter: its own subscription gave it up, and this may be the last try
}

// TaskFromEvent reads a task from the source, the data and the time of a
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

// An envelope is a Task as received.
type envelope struct {
	Agent   string          `json:"agent"`
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	Caller  string          `json:"caller"`
}
