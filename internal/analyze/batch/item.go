package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// A stored is an item as stored in Firestore.
type stored struct {
	Index       int       `firestore:"index"`
	File        string    `firestore:"file"`
	ID          string    `firestore:"id,omitempty"`
	Outcome     string    `firestore:"outcome"`
	ProductName string    `firestore:"product_name,omitempty"`
	Brand       string    `firestore:"brand,omitempty"`
	CostUSD     float64   `firestore:"cost_usd"`
	Reason      string    `firestore:"reason,omitempty"`
	Result      string    `firestore:"result,omitempty"`
	EndedAt     time.Time `firestore:"ended_at,serverTimestamp"`
	ExpiresAt   time.Time `firestore:"expires_at"`

	PHash firestore.Vector32 `firestore:"phash,omitempty"` // set if the item may be a candidate for near duplicates
	Near  string             `firestore:"near,omitempty"`  // the ID of the result whose product this one has, as a near duplicate
}

// listedFields are the fields of an Item, without the long result.
var listedFields = []string{"index", "file", "id", "outcome", "product_name", "brand", "cost_usd", "reason", "ended_at"}

func (s stored) item() Item {
	return Item{
		Index: s.Index, File: s.File, ID: s.ID, Outcome: s.Outcome, ProductName: s.ProductName, Brand: s.Brand,
		CostUSD: s.CostUSD, Reason: s.Reason, Ended: s.EndedAt,
	}
}

// analyzeItem analyses a photo and creates its item, unless there is one; then it
// checks whether the photo was the last. It also checks if the item exists already:
// the task that created it may have died before.
func (b *Batches) analyzeItem(ctx context.Context, t payload, _ queue.Meta) error {
	id, p := t.Batch, t.Photos[0]
	d, there, err := b.itemEnded(ctx, id, p.Index)
	switch {
	case err != nil:
		return err
	case d.id == "" || d.State.Over():
		slog.InfoContext(ctx, "task dropped: its batch has ended", "batch", id, "photo", p.Name)
		return nil
	case there != nil:
		return b.finishItem(ctx, d, p.Index, *there)
	}
	item, err := b.analyzePhoto(ctx, d, p)
	if err != nil {
		return err
	}
	created, err := b.create(ctx, d, item)
	if err != nil {
		return err
	}
	if created && d.tenth(p.Index) {
		b.writePartial(ctx, d)
	}
	return b.finishItem(ctx, d, p.Index, item)
}

// finishItem does what is to be done once a photo has its item.
func (b *Batches) finishItem(ctx context.Context, d document, index int, item stored) error {
	if err := b.followSource(ctx, d, index, item); err != nil {
		return err
	}
	return b.finishIfLast(ctx, d, index)
}

// itemEnded returns a batch and what this version can read of the item at index, nil if the photo has
// not ended. A batch that does not exist has no ID.
func (b *Batches) itemEnded(ctx context.Context, id string, index int) (d document, item *stored, err error) {
	snaps, err := b.DB.GetAll(ctx, []*firestore.DocumentRef{b.batch(id), b.item(id, index)})
	if err != nil {
		return document{}, nil, fmt.Errorf("batch: read %s: %w", id, err)
	}
	at, err := store.Parse[document](snaps[0])
	if err != nil || !at.Exists {
		return document{}, nil, err
	}
	if snaps[1].Exists() {
		item = new(stored)
		store.Readable(snaps[1], item)
	}
	return known(at), item, nil
}

// analyzePhoto analyses a photo and returns its item. While the batch is being
// cancelled, only a photo that was begun is analysed: it may have been paid for.
func (b *Batches) analyzePhoto(ctx context.Context, d document, p photo) (stored, error) {
	delivery := intake.Delivery{
		Object:  intake.Object{ObjectRef: blob.ObjectRef{Bucket: d.Bucket, Name: p.Name, Generation: p.Generation}, Size: p.Size},
		Batch:   d.id,
		Item:    p.Index,
		Options: intake.Options{Country: d.Country, Lang: d.Lang, Policy: d.Policy, SecondLook: d.SecondLook},
		Tier:    d.Tier,
	}
	for _, m := range p.More {
		delivery.More = append(delivery.More, intake.Object{ObjectRef: blob.ObjectRef{Bucket: d.Bucket, Name: m.Name, Generation: m.Generation}, Size: m.Size})
	}
	if d.Fresh {
		delivery.Since = d.CreatedAt
	}
	if d.Dedupe {
		delivery.Near = b.nearDuplicates(d.id)
	}
	item := stored{Index: p.Index, File: delivery.URI(), ExpiresAt: d.CreatedAt.Add(b.Retain)}
	if d.State == jobs.Cancelling {
		begun, err := b.Intake.Begun(ctx, delivery)
		if err != nil {
			return stored{}, err
		}
		if !begun {
			item.cancelled()
			return item, nil
		}
	}
	o, err := b.Intake.Run.Deliver(ctx, b.Intake.Job(ctx, delivery))
	if err != nil {
		return stored{}, err
	}
	item.setResult(o, d.Dedupe)
	return item, nil
}

// setResult sets the outcome of the photo, and its hash vector if looks is set.
func (s *stored) setResult(o jobs.Outcome, looks bool) {
	if len(o.Result) == 0 {
		s.setFailed("deleted, replaced or forgotten since the batch began")
		return
	}
	r, unreadable := jobs.Decode[analyze.Result](o.Result)
	if unreadable != nil {
		r = r.Failed(intake.Unreadable, false)
	}
	s.ID, s.CostUSD, s.Result = r.ID, r.CostUSD, string(o.Result)
	switch {
	case r.Error == analyze.AnalysisFailed:
		s.Outcome, s.Reason = ItemFailed, usererror.Short(r.Message, maxText)
	case r.Identification == nil:
		s.Outcome = NoProduct
	default:
		s.Outcome, s.ProductName, s.Brand = intake.SourceOf(r), usererror.Short(r.ProductName, maxText), usererror.Short(r.Brand, maxText)
	}
	if looks {
		s.PHash = nearDuplicateVector(r)
		if r.NearDuplicate != nil {
			s.Near = r.NearDuplicate.ID
		}
	}
}

// maxText bounds, in runes, a text in listings and in the document, which the result
// may nearly fill.
const maxText = 500

// setFailed turns s into the item of a photo that was not analysed.
func (s *stored) setFailed(reason string) {
	s.Outcome, s.Reason = ItemFailed, reason
	s.Result = unanalysed(analyze.AnalysisFailed, reason)
}

// cancelled turns s into the item of a cancelled photo.
func (s *stored) cancelled() {
	s.Outcome, s.Result = ItemCancelled, unanalysed("cancelled", "the batch was cancelled before this photo was begun with")
}

// unanalysed returns the result of a photo that was not analysed, as JSON.
func unanalysed(code, message string) string {
	data, _ := json.Marshal(analyze.Result{Error: code, Message: message, Retryable: new(bool)}) // strings and a bool: no error
	return string(data)
}

// create stores an item. It reports false if one exists: the first stays.
func (b *Batches) create(ctx context.Context, d document, s stored) (bool, error) {
	_, err := b.item(d.id, s.Index).Create(ctx, s)
	switch {
	case err == nil:
		return true, nil
	case store.Exists(err):
		return false, nil
	}
	return false, fmt.Errorf("batch: create the item of %s: %w", s.File, err)
}
