package catalog

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
)

// A Move gives every record of a shop vectors in another space:
//
//	records with vectors of From, 800 at a time → embed those that have none of the other → write
//
// Searches in either space find all products, until Drop removes the old vectors. A Move may be
// interrupted and repeated: what has both vectors is neither embedded nor written again. A record
// whose texts change meanwhile has new vectors in the space of whoever changed it, and none in the
// other until the Move is repeated.
type Move struct {
	Import // into the new space
	From   VectorSpace
}

// Run embeds the records. It returns how many it has embedded (New), and how many were embedded
// before (Known).
func (m Move) Run(ctx context.Context) (done Imports, err error) {
	from, to := m.From.ID(), m.Space.ID()
	if suffixOf(from) == suffixOf(to) {
		return done, fmt.Errorf("catalog: a record has no room for vectors of both %s and %s", m.From.Model, m.Space.Model)
	}
	chunk := make([]Product, 0, importChunk)
	for p, err := range m.Catalog.All(ctx, m.Shop, from) {
		if err != nil {
			return done, err
		}
		if p.in(to).Embedder == to {
			done.Known++
			continue
		}
		if chunk = append(chunk, p); len(chunk) == importChunk {
			if err := m.embedChunk(ctx, chunk, &done); err != nil {
				return done, err
			}
			chunk = chunk[:0]
		}
	}
	return done, m.embedChunk(ctx, chunk, &done)
}

// embedChunk embeds records in the new space. One that another writer changes meanwhile is left.
func (m Move) embedChunk(ctx context.Context, chunk []Product, done *Imports) error {
	for i := range chunk {
		p := &chunk[i]
		p.pictured = p.Vectors.ImageHash+p.SecondVectors.ImageHash != ""
		p.Vectors, p.SecondVectors = Vectors{Embedder: m.Space.ID()}, SecondVectors{}
	}
	err := m.embed(ctx, chunk, nil)
	if err == nil {
		var n int
		n, err = m.update(ctx, chunk, func(p Product) []firestore.Update { return p.keyed().vectorUpdates(suffixOf(m.Space.ID())) })
		done.New += n
	}
	if m.Progress != nil {
		m.Progress(*done)
	}
	return err
}

// Drop removes the vectors of the old space from the records that have those of the new one. It returns
// how many records that were, and how many it left because they have none.
func (m Move) Drop(ctx context.Context) (dropped, left int, err error) {
	var both []Product
	for p, err := range m.Catalog.All(ctx, m.Shop, m.From.ID()) {
		if err != nil {
			return 0, 0, err
		}
		if p.in(m.Space.ID()).Embedder == m.Space.ID() {
			both = append(both, Product{ID: p.ID, updated: p.updated})
		} else {
			left++
		}
	}
	dropped, err = m.update(ctx, both, func(Product) []firestore.Update { return Product{}.vectorUpdates(suffixOf(m.From.ID())) })
	return dropped, left + len(both) - dropped, err
}

// update writes fields of records, unless another writer has changed them since they were read, and
// returns of how many.
func (m Move) update(ctx context.Context, records []Product, updates func(Product) []firestore.Update) (n int, err error) {
	changes := make([]change, len(records))
	for i, p := range records {
		changes[i] = change{p.ID, updates(p), []firestore.Precondition{firestore.LastUpdateTime(p.updated)}}
	}
	return m.Catalog.changeAll(ctx, changes)
}
