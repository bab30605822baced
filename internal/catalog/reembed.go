package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"
)

// A Move copies every record of a shop from one vector space to another:
//
//	records of From, 800 at a time → which have a copy? → embed the others → create
//
// The copies are stored beside the records, so that searches in either space find all
// products, until Drop deletes the old ones. A Move may be interrupted and repeated:
// existing copies are neither embedded nor written again, unless an import has changed
// their record since.
type Move struct {
	Import // into the new space
	From   VectorSpace
}

// Run copies the records. It returns how many copies were new, changed, and already there.
func (m Move) Run(ctx context.Context) (done Imports, err error) {
	if m.From.ID() == m.Space.ID() {
		return done, errors.New("catalog: the records are to be moved to the space that they are in")
	}
	m.exact = true
	err = m.all(ctx, m.Catalog.All(ctx, m.Shop, m.From.ID()), m.moved, &done)
	return done, err
}

// moved returns p as a record of the new space.
func (m Move) moved(p Product) Product {
	p.Embedder = m.Space.ID()
	return p
}

// Drop deletes the records of the old space that have a copy in the new one. It returns how
// many it deleted, and how many it left because they have none.
func (m Move) Drop(ctx context.Context) (dropped, left int, err error) {
	var ids, copies []string
	for p, err := range m.Catalog.All(ctx, m.Shop, m.From.ID()) {
		if err != nil {
			return 0, 0, err
		}
		ids, copies = append(ids, p.ID), append(copies, m.moved(p).id())
	}
	for i := 0; i < len(ids); i += pageOfAll {
		end := min(i+pageOfAll, len(ids))
		there, err := m.Catalog.ByIDs(ctx, copies[i:end])
		if err != nil {
			return dropped, left, err
		}
		n, err := m.Catalog.deleteAll(ctx, slices.DeleteFunc(slices.Clone(ids[i:end]), func(id string) bool {
			_, copied := there[copies[i+slices.Index(ids[i:end], id)]]
			return !copied
		}))
		dropped, left = dropped+n, left+end-i-n
		if err != nil {
			return dropped, left, err
		}
	}
	return dropped, left, nil
}

// deleteAll deletes records by their IDs and returns how many.
func (c *Catalog) deleteAll(ctx context.Context, ids []string) (n int, err error) {
	writer := c.db.BulkWriter(ctx)
	jobs := make([]*firestore.BulkWriterJob, len(ids))
	for i, id := range ids {
		if jobs[i], err = writer.Delete(c.db.Collection(collection).Doc(id)); err != nil {
			return 0, fmt.Errorf("catalog: delete %s: %w", id, err)
		}
	}
	writer.End()
	for i, job := range jobs {
		if _, failed := job.Results(); failed != nil {
			err = fmt.Errorf("catalog: delete %s: %w", ids[i], failed)
			continue
		}
		n++
	}
	return n, err
}
