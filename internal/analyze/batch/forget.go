package batch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// ErrSummarised refuses to forget a photo while the summary of its batch is being
// written.
var ErrSummarised = usererror.New("batch", "the summary of its batch is being written: try again in a moment")

// Forget removes a photo's result from a batch and rewrites the batch's files without
// it. The file name stays in the manifest, and the outcome is still counted. If the
// photo has no item yet, an empty one is created, so that no task creates it later. A
// missing batch is not an error.
func (b *Batches) Forget(ctx context.Context, id string, index int, file, result string) error {
	d, err := b.document(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := b.forgetItem(ctx, d, index, file, result); err != nil {
		return err
	}
	if !d.State.Over() {
		all, err := store.Count(ctx, b.items(id).Query)
		switch {
		case err != nil:
			return err
		case all == d.Number:
			return ErrSummarised
		}
	}
	for _, at := range []blob.Place{d.partial(b.Results), d.summary(b.Results, false), d.summary(b.Results, true)} {
		if err := b.rewrite(ctx, d, at); err != nil {
			return err
		}
	}
	return nil
}

// forgetItem empties the item of a photo, or creates it empty.
func (b *Batches) forgetItem(ctx context.Context, d document, index int, file, result string) error {
	empty := stored{Index: index, File: file, Outcome: ItemFailed, Reason: forgotten, Result: unanalysed("forgotten", forgotten), ExpiresAt: d.CreatedAt.Add(b.Retain)}
	if created, err := b.create(ctx, d, empty); err != nil || created {
		return err
	}
	_, err := store.In[stored](b.items(d.id)).Change(ctx, itemID(index), func(s *store.Doc[stored]) error {
		if s.Value.ID == result { // otherwise it is empty already
			s.Value.ID, s.Value.ProductName, s.Value.Brand, s.Value.PHash = "", "", "", nil
			s.Value.Reason, s.Value.Result = forgotten, empty.Result
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("batch: forget item %d of %s: %w", index, d.id, err)
	}
	return nil
}

// forgotten replaces the result of a forgotten photo.
const forgotten = "its result was forgotten"

// rewrites is how often rewrite tries while others write the same file.
const rewrites = 5

// rewrite rewrites a file of a batch if it exists.
func (b *Batches) rewrite(ctx context.Context, d document, at blob.Place) error {
	for range rewrites {
		_, err := b.Objects.Size(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name})
		if errors.Is(err, blob.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		csv := at == d.summary(b.Results, true)
		wrote, err := b.Objects.Replace(ctx, at, func(w io.Writer) error { return b.writeItems(ctx, d.id, csv, w) })
		if err != nil || wrote {
			return err
		}
	}
	return fmt.Errorf("batch: write %s: others came first %d times", at.Name, rewrites)
}
