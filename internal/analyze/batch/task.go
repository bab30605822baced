package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/topic"
)

// A Message is a task as Pub/Sub brings it.
type Message struct {
	Data      []byte
	Published time.Time
	Dead      bool // its own subscription gave it up
}

// FromMessage reads a task from the source and the data of a messagePublished
// event.
func FromMessage(source string, data []byte) (Message, error) {
	m, err := topic.FromEvent(source, data)
	if err != nil {
		return Message{}, fmt.Errorf("batch: the event is no task: %w", err)
	}
	return Message{Data: m.Data, Dead: m.Dead}, nil
}

// A task is what is to be done for a batch.
type task struct {
	Kind   string  `json:"task"`
	Batch  string  `json:"batch"`
	Photos []photo `json:"photos,omitempty"`
}

// The kinds of tasks.
const (
	expand = "expand" // publish the photos of the manifest, as tasks to hand over
	hand   = "hand"   // publish a task for each of Photos
	look   = "look"   // analyse the one of Photos
)

// Task does one task. An error asks for it to be delivered again; what is no task,
// or of no batch, is dropped.
func (b *Batches) Task(ctx context.Context, m Message) error {
	var t task
	if err := json.Unmarshal(m.Data, &t); err != nil {
		slog.WarnContext(ctx, "task dropped", "error", err)
		return nil
	}
	switch {
	case t.Kind == expand && t.Batch != "":
		return b.expand(ctx, t.Batch, m)
	case t.Kind == hand:
		return b.hand(ctx, t)
	case t.Kind == look && t.Batch != "" && len(t.Photos) == 1:
		return b.look(ctx, t.Batch, t.Photos[0])
	}
	slog.WarnContext(ctx, "task dropped", "task", t.Kind, "batch", t.Batch, "photos", len(t.Photos))
	return nil
}

// The first task may come before the document of its batch, which is waited for a
// moment. One that is still missing an hour later is not going to come.
const (
	documentWaits = 3
	documentWait  = 100 * time.Millisecond
	documentLate  = time.Hour
)

// expand hands out the photos of a batch. Delivered again it does so again, which
// costs some messages and changes nothing. A dead letter is the last try.
func (b *Batches) expand(ctx context.Context, id string, m Message) error {
	d, err := b.document(ctx, id)
	late := m.Dead || !m.Published.IsZero() && time.Since(m.Published) > documentLate
	if errors.Is(err, ErrNotFound) && !late {
		d, err = b.awaited(ctx, id)
	}
	switch {
	case errors.Is(err, ErrNotFound) && late:
		slog.WarnContext(ctx, "task dropped: its batch was never created", "batch", id)
		return nil
	case err != nil:
		return err
	case d.Handed || d.State.Over():
		return nil
	}
	err = b.handOut(ctx, d)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return b.fail(ctx, id, "its manifest was deleted before the photos were handed out: create the batch again")
	case err != nil && m.Dead:
		slog.WarnContext(ctx, "batch not handed out", "batch", id, "error", err)
		return b.fail(ctx, id, "its photos could not be handed out: see the log of Task, then create the batch again")
	case err != nil:
		return err
	}
	return b.change(ctx, id, func(d document) []firestore.Update {
		updates := []firestore.Update{{Path: "handed", Value: true}}
		switch {
		case d.Handed || d.State.Over():
			return nil
		case d.State == Expanding:
			updates = append(updates, firestore.Update{Path: "state", Value: Running})
		}
		return updates
	})
}

// awaited is the document of a batch that may be about to be created.
func (b *Batches) awaited(ctx context.Context, id string) (d document, err error) {
	for range documentWaits {
		select {
		case <-ctx.Done():
			return d, ctx.Err()
		case <-time.After(documentWait):
		}
		if d, err = b.document(ctx, id); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return d, err
}

// chunk is how many photos are handed over by one task: few enough for a message,
// and for a delivery.
const chunk = 500

// handOut publishes the photos of the manifest in chunks, each of which is a task
// of its own: 100,000 are 200 messages here, so that nobody is at it for long.
func (b *Batches) handOut(ctx context.Context, d document) error {
	at := d.manifest(b.Results)
	r, err := b.Objects.Open(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name})
	if err != nil {
		return err
	}
	defer r.Close()
	t := task{Kind: hand, Batch: d.id}
	for p, err := range readList[photo](r) {
		if err != nil {
			return fmt.Errorf("batch: manifest of %s: %w", d.id, err)
		}
		if t.Photos = append(t.Photos, p); len(t.Photos) < chunk {
			continue
		}
		if err := b.LongTasks.Publish(ctx, topic.Message{Data: t}); err != nil {
			return err
		}
		t.Photos = nil
	}
	if len(t.Photos) == 0 {
		return nil
	}
	return b.LongTasks.Publish(ctx, topic.Message{Data: t})
}

// hand publishes a task for each photo. A dead letter is done as well: nobody else
// would.
func (b *Batches) hand(ctx context.Context, t task) error {
	messages := make([]topic.Message, len(t.Photos))
	for i := range t.Photos {
		messages[i].Data = task{Kind: look, Batch: t.Batch, Photos: t.Photos[i : i+1]}
	}
	return b.Tasks.Publish(ctx, messages...)
}

// fail ends a batch whose photos are not handed out.
func (b *Batches) fail(ctx context.Context, id, reason string) error {
	slog.WarnContext(ctx, "batch failed", "batch", id, "reason", reason)
	return b.change(ctx, id, func(d document) []firestore.Update {
		if d.Handed || d.State.Over() {
			return nil
		}
		return []firestore.Update{
			{Path: "state", Value: Failed}, {Path: "reason", Value: reason}, {Path: "finished_at", Value: firestore.ServerTimestamp},
		}
	})
}
