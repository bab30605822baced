package batch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// agentName is the agent that the tasks of batches belong to.
const agentName = "analyze"

// The kinds of tasks.
const (
	expandKind  = "expand"  // publish fan_out tasks for the photos of the manifest
	scanKind    = "scan"    // read the barcodes on Photos, before they are grouped
	fanOutKind  = "fan_out" // publish a task for each of Photos
	analyzeKind = "analyze" // analyse the only one of Photos
)

// A payload is the input of a task.
type payload struct {
	Batch  string  `json:"batch"`
	Photos []photo `json:"photos,omitempty"`
}

// of returns a task of the given kind with p.
func (p payload) of(kind string) queue.Task {
	return queue.Task{Agent: agentName, Kind: kind, Payload: p}
}

// Handle registers the tasks of batches at d; open is called for each task. Tasks
// without a batch are dropped.
func Handle(d *queue.Dispatcher, open func(context.Context) (*Batches, error)) {
	handle := func(kind string, do func(*Batches, context.Context, payload, queue.Meta) error) {
		d.Handle(agentName, kind, func(ctx context.Context, data queue.Payload, m queue.Meta) error {
			var p payload
			if err := data.Decode(&p); err != nil {
				return err
			}
			if p.Batch == "" || kind == analyzeKind && len(p.Photos) != 1 || kind == scanKind && len(p.Photos) == 0 {
				slog.WarnContext(ctx, "task dropped", "kind", kind, "batch", p.Batch, "photos", len(p.Photos))
				return nil
			}
			b, err := open(ctx)
			if err != nil {
				return err
			}
			return do(b, ctx, p, m)
		})
	}
	handle(expandKind, (*Batches).expand)
	handle(scanKind, (*Batches).scan)
	handle(fanOutKind, (*Batches).fanOut)
	handle(analyzeKind, (*Batches).analyzeItem)
}

// The first task may arrive before the document of its batch exists: expand waits for
// it. A document that is missing an hour later was never created.
const (
	documentWaits = 3
	documentWait  = 100 * time.Millisecond
	documentLate  = time.Hour
)

// expand publishes the tasks for the photos of a batch, or those that read their barcodes
// first. A repeated delivery may publish
// them again, which costs messages only. A dead letter is the last try.
func (b *Batches) expand(ctx context.Context, p payload, m queue.Meta) error {
	id := p.Batch
	d, err := b.wholeDocument(ctx, id)
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
	kind, size := fanOutKind, chunk
	if d.scanning() {
		kind, size = scanKind, scanChunk
	}
	err = b.handOut(ctx, d, kind, size)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return b.failBatch(ctx, id, "its manifest was deleted before the photos were handed out: create the batch again")
	case err != nil && m.Dead:
		slog.WarnContext(ctx, "batch not handed out", "batch", id, "error", err)
		return b.failBatch(ctx, id, "its photos could not be handed out: "+jobs.Cause(err)+". Create the batch again when that is mended")
	case err != nil || d.scanning():
		return err
	}
	return b.change(ctx, id, func(d *document) {
		if d.Handed || d.State.Over() {
			return
		}
		d.Handed = true
		if d.State == jobs.Expanding {
			d.State = jobs.Running
		}
	})
}

// awaited waits for the document of a batch that is just being created.
func (b *Batches) awaited(ctx context.Context, id string) (d document, err error) {
	for range documentWaits {
		select {
		case <-ctx.Done():
			return d, ctx.Err()
		case <-time.After(documentWait):
		}
		if d, err = b.wholeDocument(ctx, id); !errors.Is(err, ErrNotFound) {
			break
		}
	}
	return d, err
}

// chunk is how many photos one fan_out task has: few enough for a message, and for a
// delivery.
const chunk = 500

// handOut publishes the photos of the manifest in chunks of at least so many, one task of a
// kind each: 100,000 photos are only 200 messages, so that it ends soon. Photos that are not
// grouped make chunks of just so many.
func (b *Batches) handOut(ctx context.Context, d document, kind string, size int) error {
	t, n := payload{Batch: d.id}, 0
	for p, err := range b.listed(ctx, d.manifest(b.Results)) {
		if err != nil {
			return err
		}
		t.Photos = append(t.Photos, p)
		if n += 1 + len(p.More); n < size {
			continue
		}
		if err := b.Tasks.PublishLong(ctx, t.of(kind)); err != nil {
			return err
		}
		t.Photos, n = nil, 0
	}
	if len(t.Photos) == 0 {
		return nil
	}
	return b.Tasks.PublishLong(ctx, t.of(kind))
}

// fanOut publishes a task for each photo. It handles dead letters too, as nothing
// else does.
func (b *Batches) fanOut(ctx context.Context, p payload, _ queue.Meta) error {
	tasks := make([]queue.Task, len(p.Photos))
	for i := range p.Photos {
		tasks[i] = payload{Batch: p.Batch, Photos: p.Photos[i : i+1]}.of(analyzeKind)
	}
	return b.Tasks.Publish(ctx, tasks...)
}

// failBatch marks a batch as failed unless its photos were handed out.
func (b *Batches) failBatch(ctx context.Context, id, reason string) error {
	slog.WarnContext(ctx, "batch failed", "batch", id, "reason", reason)
	return b.change(ctx, id, func(d *document) {
		if !d.Handed && !d.State.Over() {
			d.State, d.Reason, d.FinishedAt = jobs.Failed, reason, d.read
		}
	})
}
