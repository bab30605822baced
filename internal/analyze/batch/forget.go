package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// ErrSummarised refuses to forget or correct a photo while the summary of its batch is being
// written.
var ErrSummarised = usererror.New("batch", "the summary of its batch is being written: try again in a moment")

// Forget removes a result and the name of its photo from all batches that have it, and
// rewrites their files without it. The outcome is still counted. The place of a photo, a
// batch and an index, is one of a photo whose item may not exist yet: an empty one is
// created, so that no task creates it later. Forget reports whether there was anything.
func (b *Batches) Forget(ctx context.Context, result, id string, index int) (bool, error) {
	found, err := b.itemsOf(ctx, result)
	if err != nil {
		return false, err
	}
	if id != "" {
		found[id] = append(found[id], index)
	}
	some := false
	for id, indexes := range found {
		d, err := b.document(ctx, id)
		if errors.Is(err, ErrNotFound) {
			continue // it has expired
		}
		if err == nil {
			some, err = true, b.forget(ctx, d, indexes)
		}
		if err != nil {
			return some, err
		}
	}
	return some, nil
}

// itemsOf returns the indexes of the items of a result, by their batches.
func (b *Batches) itemsOf(ctx context.Context, result string) (map[string][]int, error) {
	snaps, err := b.DB.CollectionGroup("items").Where("id", "==", result).Select().Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("batch: items of the result %s: %w", result, err)
	}
	found := map[string][]int{}
	for _, snap := range snaps {
		index, err := strconv.Atoi(snap.Ref.ID)
		if err != nil {
			continue // it is no item of a batch
		}
		id := snap.Ref.Parent.Parent.ID
		found[id] = append(found[id], index)
	}
	return found, nil
}

// forget empties the items of a batch at indexes, and takes them out of its files.
func (b *Batches) forget(ctx context.Context, d document, indexes []int) error {
	for _, index := range indexes {
		if err := b.forgetItem(ctx, d, index); err != nil {
			return err
		}
	}
	if err := b.checkSummary(ctx, d); err != nil {
		return err
	}
	return errors.Join(
		b.rewrite(ctx, d.manifest(b.Results), func(w io.Writer) error { return b.writeWithoutNames(ctx, d, indexes, w) }),
		b.rewriteResults(ctx, d),
	)
}

// checkSummary returns ErrSummarised while the summary of d is being written.
func (b *Batches) checkSummary(ctx context.Context, d document) error {
	if d.State.Over() {
		return nil
	}
	all, err := store.Count(ctx, b.items(d.id).Query)
	if err == nil && all == d.Number {
		err = ErrSummarised
	}
	return err
}

// rewriteResults writes the files with the results of d anew, where there are any.
func (b *Batches) rewriteResults(ctx context.Context, d document) error {
	items := func(csv bool) func(io.Writer) error {
		return func(w io.Writer) error { return b.writeItems(ctx, d.id, csv, w) }
	}
	return errors.Join(
		b.rewrite(ctx, d.partial(b.Results), items(false)),
		b.rewrite(ctx, d.summary(b.Results, false), items(false)),
		b.rewrite(ctx, d.summary(b.Results, true), items(true)),
	)
}

// forgetItem empties the item of a photo, or creates it empty.
func (b *Batches) forgetItem(ctx context.Context, d document, index int) error {
	empty := stored{Index: index, Outcome: ItemFailed, Reason: forgotten, Result: unanalysed("forgotten", forgotten), ExpiresAt: d.CreatedAt.Add(b.Retain)}
	if created, err := b.create(ctx, d, empty); err != nil || created {
		return err
	}
	item := b.item(d.id, index)
	snap, err := item.Get(ctx)
	if err == nil {
		var s stored
		store.Readable(snap, &s)
		empty.Outcome, empty.CostUSD, empty.EndedAt, empty.ExpiresAt = s.Outcome, s.CostUSD, s.EndedAt, s.ExpiresAt
		_, err = item.Set(ctx, empty) // fields that this version does not know are gone too
	}
	if err != nil {
		return fmt.Errorf("batch: forget item %d of %s: %w", index, d.id, err)
	}
	return nil
}

// writeWithoutNames writes the manifest of d without the names of the photos at indexes.
// Their items exist, so that a task without a name does nothing.
func (b *Batches) writeWithoutNames(ctx context.Context, d document, indexes []int, w io.Writer) error {
	l := newList(w)
	for p, err := range b.listed(ctx, d.manifest(b.Results)) {
		if err != nil {
			return err
		}
		if slices.Contains(indexes, p.Index) {
			p.Name, p.More = "", nil
		}
		if err := l.add(p); err != nil {
			return err
		}
	}
	return l.end()
}

// forgotten replaces the result of a forgotten photo.
const forgotten = "its result was forgotten"

// rewrites is how often rewrite tries while others write the same file.
const rewrites = 5

// rewrite writes a file of a batch anew if it exists.
func (b *Batches) rewrite(ctx context.Context, at blob.Place, write func(io.Writer) error) error {
	for range rewrites {
		_, err := b.Objects.Size(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name})
		if errors.Is(err, blob.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		wrote, err := b.Objects.Replace(ctx, at, write)
		if err != nil || wrote {
			return err
		}
	}
	return fmt.Errorf("batch: write %s: others came first %d times", at.Name, rewrites)
}
