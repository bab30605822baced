package batch

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
)

// group is how many items Firestore counts for the price of one read.
const group = 1000

// finishIfLast finishes the batch if the photo at index, which has ended, was the last.
// It counts the photo's group first, and all items only if the group is complete, so
// that a photo of a large batch costs no more than one of a small batch.
func (b *Batches) finishIfLast(ctx context.Context, d document, index int) error {
	first := index / group * group
	last := min(first+group, d.Number) - 1
	within := b.items(d.id).Where(firestore.DocumentID, ">=", b.item(d.id, first)).Where(firestore.DocumentID, "<=", b.item(d.id, last))
	n, err := store.Count(ctx, within)
	if err != nil || n <= last-first {
		return err
	}
	if d.Number > group {
		n, err = store.Count(ctx, b.items(d.id).Query)
		if err != nil || n < d.Number {
			return err
		}
	}
	return b.writeSummary(ctx, d)
}

// writeSummary writes the summary of a batch whose photos have all ended, and then
// ends the batch. Another task may do the same: only the first summary is kept.
func (b *Batches) writeSummary(ctx context.Context, d document) error {
	for _, csv := range []bool{false, true} {
		_, err := b.Objects.Create(ctx, d.summary(b.Results, csv), func(w io.Writer) error { return b.writeItems(ctx, d.id, csv, w) })
		if err != nil {
			return fmt.Errorf("batch: summary of %s: %w", d.id, err)
		}
	}
	t, err := b.tally(ctx, d.id)
	if err != nil {
		return err
	}
	return b.change(ctx, d.id, func(d *document) {
		if d.State.Over() {
			return
		}
		end := jobs.Done
		if d.State == jobs.Cancelling {
			end = jobs.Cancelled
		}
		slog.InfoContext(ctx, "batch ended", "batch", d.id, "state", end, "counts", t.counts, "cost_usd", t.usd)
		d.State, d.Counts, d.CostUSD, d.FinishedAt = end, t.counts, t.usd, d.read
	})
}

// tenth reports whether a tenth of the listing ends with the photo at index, except
// the last, which gets the summary.
func (d document) tenth(index int) bool {
	return index+1 < d.Number && (index+1)*10/d.Number > index*10/d.Number
}

// partialTime bounds the writing of partial results.
const partialTime = time.Minute

// writePartial writes the results so far; errors are only logged. If another writer
// came first, it does not write, so that the file never loses results.
func (b *Batches) writePartial(ctx context.Context, d document) {
	ctx, cancel := context.WithTimeout(ctx, partialTime)
	defer cancel()
	_, err := b.Objects.Replace(ctx, d.partial(b.Results), func(w io.Writer) error { return b.writeItems(ctx, d.id, false, w) })
	if err != nil {
		slog.WarnContext(ctx, "partial results not written", "batch", d.id, "error", err)
	}
}

// summary returns the place of the results once the batch has ended.
func (d document) summary(bucket string, csv bool) blob.Place {
	p := blob.Place{Bucket: bucket, Name: blob.Batches + d.id + "/" + d.Result + ".json", ContentType: "application/json"}
	if csv {
		p.Name, p.ContentType = "batches/"+d.id+"/"+d.Result+".csv", "text/csv; charset=utf-8"
	}
	return p
}

// partial returns the place of the results so far.
func (d document) partial(bucket string) blob.Place {
	return blob.Place{Bucket: bucket, Name: blob.Batches + d.id + "/partial.json", ContentType: "application/json"}
}
