package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// Correct replaces results in all batches that have them, derives those of their near duplicates
// anew, which it returns, and writes the files of those batches. Called again it writes the
// files again. The error is ErrSummarised while the summary of one is being written, and ErrNoItem
// while one of the results has no item yet.
func (b *Batches) Correct(ctx context.Context, results []intake.Listed) (derived []intake.Listed, err error) {
	batches := map[string]document{}
	for i := 0; i < len(results); i++ { // which grows by what is derived
		near, err := b.correct(ctx, results[i], batches)
		if err != nil {
			return nil, err
		}
		derived, results = append(derived, near...), append(results, near...)
	}
	for _, d := range batches {
		if err := b.correctFiles(ctx, d); err != nil {
			return nil, err
		}
	}
	return derived, nil
}

// ErrNoItem refuses to correct a photo that has just been analysed.
var ErrNoItem = usererror.New("batch", "its photo has just been analysed, and is not yet in its batch: try again in a moment")

// correct replaces a result in all batches that have it, adds these to batches, and returns the
// results that are derived from it.
func (b *Batches) correct(ctx context.Context, l intake.Listed, batches map[string]document) (derived []intake.Listed, err error) {
	found, err := b.itemsOf(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	own, index := l.BatchItem()
	if _, ok := found[own]; own != "" && !ok {
		switch d, item, err := b.itemEnded(ctx, own, index); {
		case err != nil:
			return nil, err
		case d.id != "" && !d.State.Over() && item == nil:
			return nil, ErrNoItem
		}
	}
	for id, indexes := range found {
		d, err := b.document(ctx, id)
		if errors.Is(err, ErrNotFound) {
			continue // it has expired
		}
		if err != nil {
			return nil, err
		}
		batches[id] = d
		for _, index := range indexes {
			if err := b.correctItem(ctx, d, index, l.Result); err != nil {
				return nil, err
			}
		}
		if !d.Dedupe {
			continue
		}
		near, err := store.List[stored](ctx, b.items(id).Where("near", "==", l.ID).Select("id"))
		if err != nil {
			return nil, fmt.Errorf("batch: near duplicates of %s: %w", l.ID, err)
		}
		for _, s := range near {
			one, _, err := b.Intake.Follow(ctx, s.Value.ID, l.Public)
			switch {
			case err != nil:
				return nil, err
			case len(one.Result) > 0: // it is not forgotten
				derived = append(derived, one)
			}
		}
	}
	return derived, nil
}

// followSource derives the result of the item at index anew if it is a near duplicate's, and that
// one was corrected before the photo had an item.
func (b *Batches) followSource(ctx context.Context, d document, index int, item stored) error {
	if item.Near == "" {
		return nil
	}
	source, err := b.Intake.Result(ctx, item.Near)
	if errors.Is(err, jobs.ErrNotFound) || err == nil && len(source.Result) == 0 {
		return nil // it is forgotten: nobody corrects it
	}
	if err != nil {
		return err
	}
	now, changed, err := b.Intake.Follow(ctx, item.ID, source.Public)
	if err != nil || !changed {
		return err
	}
	return b.correctItem(ctx, d, index, now.Result)
}

// correctItem replaces the result of an item, and what is derived from it.
func (b *Batches) correctItem(ctx context.Context, d document, index int, result json.RawMessage) error {
	_, err := store.In[stored](b.items(d.id)).InPart().Update(ctx, itemID(index), func(s *store.Doc[stored]) error {
		s.Value.ProductName, s.Value.Brand, s.Value.Reason = "", "", ""
		cost := s.Value.CostUSD
		s.Value.setResult(jobs.Outcome{Result: result}, d.Dedupe)
		s.Value.CostUSD = cost
		return nil
	})
	if err != nil {
		return fmt.Errorf("batch: correct item %d of %s: %w", index, d.id, err)
	}
	return nil
}

// correctFiles writes the files of a batch anew, and counts its outcomes again if it has
// ended.
func (b *Batches) correctFiles(ctx context.Context, d document) error {
	if err := b.checkSummary(ctx, d); err != nil {
		return err
	}
	if err := b.rewriteResults(ctx, d); err != nil || !d.State.Over() {
		return err
	}
	t, err := b.tally(ctx, d.id)
	if err != nil {
		return err
	}
	return b.change(ctx, d.id, func(d *document) { d.Counts = t.counts })
}
