package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
)

// Correct replaces results, by their IDs, in all batches that have them, and writes the files
// of those batches anew. Called again it writes the files again. The error is ErrSummarised
// while the summary of one is being written.
func (b *Batches) Correct(ctx context.Context, results map[string]json.RawMessage) error {
	batches := map[string]document{}
	for id, result := range results {
		found, err := b.itemsOf(ctx, id)
		if err != nil {
			return err
		}
		for batch, indexes := range found {
			d, err := b.document(ctx, batch)
			if errors.Is(err, ErrNotFound) {
				continue // it has expired
			}
			if err != nil {
				return err
			}
			for _, index := range indexes {
				if err := b.correctItem(ctx, d, index, result); err != nil {
					return err
				}
			}
			batches[batch] = d
		}
	}
	for _, d := range batches {
		if err := b.correctFiles(ctx, d); err != nil {
			return err
		}
	}
	return nil
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
