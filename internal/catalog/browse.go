package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// living are the statuses of records that are no tombstones.
var living = []Status{Confirmed, Imported, Unconfirmed}

// MaxPage is how many records Page returns at most.
const MaxPage = 100

// A PageQuery asks for the records of a shop, those that were made last first.
type PageQuery struct {
	Shop   string
	Status Status // "" is any but Rejected
	After  string // the place behind an earlier page
	Limit  int    // 1 to MaxPage
}

// Page returns records without their vectors, and the place behind them; "" behind
// the last. A place that is none is ErrPlace.
func (c *Catalog) Page(ctx context.Context, q PageQuery) (page []Product, next string, err error) {
	statuses := living
	if q.Status != "" {
		statuses = []Status{q.Status}
	}
	of := c.products(q.Shop).Where("status", "in", statuses).Select(plainFields...)
	docs, next, err := store.Page[Product](ctx, of, "created_at", q.After, q.Limit)
	switch {
	case errors.Is(err, store.ErrCursor):
		return nil, "", ErrPlace
	case err != nil:
		return nil, "", fmt.Errorf("catalog: %w", err)
	}
	return identified(docs), next, nil
}

// ErrPlace marks a place among records that is none.
var ErrPlace = fmt.Errorf("catalog: no place among the records")

// behindAll sorts behind every text that begins as the one before it.
const behindAll = "\U0010ffff"

// Beginning returns at most limit records of a shop whose name or brand begins with
// text, letter case, spaces and punctuation aside, without their vectors.
func (c *Catalog) Beginning(ctx context.Context, shop, text string, limit int) ([]Product, error) {
	key := textfold.String(text)
	if key == "" {
		return nil, nil
	}
	found := make([][]Product, 2)
	group, ctx := errgroup.WithContext(ctx)
	for i, field := range []string{"name_key", "brand_key"} {
		group.Go(func() (err error) {
			found[i], err = c.query(ctx, c.products(shop).Where(field, ">=", key).Where(field, "<", key+behindAll).
				OrderBy(field, firestore.Asc).Select(plainFields...).Limit(limit))
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(found...), err
}

// Record returns a record for whoever looks after the catalogue, without its vectors
// but with what it was before reviews. ErrNotFound is the error for one that there is
// not, and for a tombstone.
func (c *Catalog) Record(ctx context.Context, shop, id string) (Product, error) {
	if !idForm.MatchString(id) {
		return Product{}, ErrNotFound
	}
	_, p, err := c.read(ctx, id)
	switch {
	case err != nil:
		return Product{}, err
	case p == nil || p.Shop != shop || p.Status == Rejected:
		return Product{}, ErrNotFound
	}
	p.Embedding, p.SearchEmbedding, p.ImageEmbedding = nil, nil, nil
	return *p, nil
}
