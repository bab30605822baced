package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/store"
)

// scanChunk is how many photos one scan task reads barcodes on. One of 12 megapixels takes a
// tenth of a second, so that even a hundred of the largest stay within a delivery.
const scanChunk = 100

// scanners is how many photos of a scan task are read at the same time. Memory for their
// pixels is reserved by package intake.
const scanners = 4

// codesKept is how long the codes of a batch are kept that could not be deleted.
const codesKept = 30 * 24 * time.Hour

// A chunkCodes is the document batches/{id}/codes/{chunk}: what was read on the photos of
// one scan task. It is created once.
type chunkCodes struct {
	GTINs     []string  `firestore:"gtins"` // of each photo, in listing order; "" has none, or several
	ExpiresAt time.Time `firestore:"expires_at"`
}

func (b *Batches) codes(id string) *firestore.CollectionRef { return b.batch(id).Collection("codes") }

// scanning reports whether the photos of d are still to be grouped by their barcodes.
func (d document) scanning() bool { return d.Group == intake.ByBarcode && !d.Grouped }

// scan reads the codes of a chunk of photos, unless that is done, and groups all photos of
// the batch if it was the last chunk. A repeated delivery does what is missing: the task that
// wrote the last codes may have died before it grouped, or before it published what follows.
func (b *Batches) scan(ctx context.Context, t payload, m queue.Meta) error {
	d, err := b.wholeDocument(ctx, t.Batch)
	switch {
	case errors.Is(err, ErrNotFound):
		slog.InfoContext(ctx, "task dropped: its batch does not exist", "batch", t.Batch)
		return nil
	case err != nil:
		return err
	case d.Handed || d.State.Over():
		return nil
	}
	if !d.Grouped {
		if err := b.scanPhotos(ctx, d, t.Photos, m.Dead); err != nil {
			return err
		}
		n, err := store.Count(ctx, b.codes(d.id).Query)
		if err != nil {
			return fmt.Errorf("batch: codes of %s: %w", d.id, err)
		}
		if n < (d.Photos+scanChunk-1)/scanChunk {
			return nil
		}
		if err := b.groupByCode(ctx, d); err != nil {
			return err
		}
	}
	if err := b.dropCodes(ctx, d); err != nil {
		return err
	}
	return b.Tasks.PublishLong(ctx, payload{Batch: d.id}.of(expandKind))
}

// scanPhotos stores the codes of a chunk of photos, unless they are stored. While the batch
// is being cancelled no photo is read: each gets an item of its own, which is cancelled.
func (b *Batches) scanPhotos(ctx context.Context, d document, photos []photo, dead bool) error {
	docs, id := store.In[chunkCodes](b.codes(d.id)), itemID(photos[0].Index/scanChunk)
	if _, err := docs.Get(ctx, id); err == nil || !store.Gone(err) {
		return err
	}
	c := chunkCodes{GTINs: make([]string, len(photos)), ExpiresAt: d.CreatedAt.Add(codesKept)}
	if d.State != jobs.Cancelling {
		if err := b.readCodes(ctx, d, photos, c.GTINs, dead); err != nil {
			return err
		}
	}
	if _, err := docs.Create(ctx, id, c); err != nil && !store.Exists(err) {
		return fmt.Errorf("batch: codes of %s: %w", d.id, err)
	}
	return nil
}

// readCodes sets the GTINs of photos. A photo that a dead letter cannot read stands alone, so
// that the batch goes on: its own analysis says what is wrong.
func (b *Batches) readCodes(ctx context.Context, d document, photos []photo, gtins []string, dead bool) error {
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(scanners)
	for i, p := range photos {
		reading.Go(func() (err error) {
			o := intake.Object{ObjectRef: blob.ObjectRef{Bucket: d.Bucket, Name: p.Name, Generation: p.Generation}, Size: p.Size}
			gtins[i], err = b.Intake.GTIN(ctx, o)
			if err != nil && dead {
				slog.WarnContext(ctx, "no code read", "object", o.URI(), "error", err)
				err = nil
			}
			return err
		})
	}
	return reading.Wait()
}

// groupByCode writes the manifest of the groups, once, and says in the document that the
// photos are grouped.
func (b *Batches) groupByCode(ctx context.Context, d document) error {
	chunks, err := store.List[chunkCodes](ctx, b.codes(d.id).OrderBy(firestore.DocumentID, firestore.Asc))
	if err != nil {
		return fmt.Errorf("batch: codes of %s: %w", d.id, err)
	}
	var gtins []string
	for _, c := range chunks {
		gtins = append(gtins, c.Value.GTINs...)
	}
	groups, err := byCode(b.listed(ctx, d.photosPlace(b.Results)), gtins)
	if errors.Is(err, blob.ErrNotFound) || len(gtins) != d.Photos {
		return b.groupedMeanwhile(ctx, d)
	}
	if err != nil {
		return err
	}
	d.Grouped = true
	if _, err := b.Objects.Create(ctx, d.manifest(b.Results), writeManifest(groups)); err != nil {
		return fmt.Errorf("batch: write the groups: %w", err)
	}
	return b.change(ctx, d.id, func(d *document) {
		if d.Grouped || d.State.Over() {
			return
		}
		d.Grouped, d.Number = true, len(groups)
		d.estimate(b.Intake.Pipeline, cmp.Or(d.SecondLook, b.Intake.Defaults.SecondLook))
		if d.State == jobs.Scanning {
			d.State = jobs.Expanding
		}
	})
}

// groupedMeanwhile is called when the manifest or codes are gone, as they are once another
// task has grouped the photos. If none has, somebody deleted them, and the batch fails.
func (b *Batches) groupedMeanwhile(ctx context.Context, d document) error {
	now, err := b.wholeDocument(ctx, d.id)
	if err != nil || now.Grouped {
		return err
	}
	return b.failBatch(ctx, d.id, "its manifest or its codes were deleted before the photos were grouped: create the batch again")
}

// byCode returns the photos with the same code as one group, in the order of their first
// photos; those without one stand alone. After intake.MaxGroup photos of a code a further
// group of it begins.
func byCode(photos iter.Seq2[photo, error], gtins []string) (groups []photo, err error) {
	at := map[string]int{}
	n := 0
	for p, err := range photos {
		if err != nil {
			return nil, err
		}
		if n == len(gtins) {
			return groups, nil // the caller compares their numbers
		}
		gtin := gtins[n]
		n++
		if i, had := at[gtin]; gtin != "" && had && len(groups[i].More) < intake.MaxGroup-1 {
			p.Index = 0 // only a group has one
			groups[i].More = append(groups[i].More, p)
			continue
		}
		at[gtin], p.Index = len(groups), len(groups)
		groups = append(groups, p)
	}
	return groups, nil
}

// dropCodes deletes the list of single photos and their codes, which nothing reads once the
// photos are grouped.
func (b *Batches) dropCodes(ctx context.Context, d document) error {
	at := d.photosPlace(b.Results)
	if err := b.Objects.Delete(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name}); err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	chunks, err := store.List[chunkCodes](ctx, b.codes(d.id).Select())
	if err != nil {
		return fmt.Errorf("batch: codes of %s: %w", d.id, err)
	}
	for _, c := range chunks {
		if _, err := b.codes(d.id).Doc(c.ID).Delete(ctx); err != nil && !store.Gone(err) {
			return fmt.Errorf("batch: codes of %s: %w", d.id, err)
		}
	}
	return nil
}

// listed iterates over the photos in a manifest.
func (b *Batches) listed(ctx context.Context, at blob.Place) iter.Seq2[photo, error] {
	return func(yield func(photo, error) bool) {
		r, err := b.Objects.Open(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name})
		if err != nil {
			yield(photo{}, err)
			return
		}
		defer r.Close()
		for p, err := range readList[photo](r) {
			if err != nil {
				err = fmt.Errorf("batch: read %s: %w", at.Name, err)
			}
			if !yield(p, err) {
				return
			}
		}
	}
}
