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

// living are the statuses of records that are not tombstones.
var living = []Status{Confirmed, Imported, Unconfirmed}

// MaxPage is the largest number of records in a page.
const MaxPage = 100

// A PageQuery selects the records of a shop, the newest first.
type PageQuery struct {
	Shop   string
	Status Status // "" means all but Rejected
	Brand  string // in any spelling that folds alike; "" means any
	NoGTIN bool   // only those without
	After  string // the cursor of the page before
	Limit  int    // 1 to MaxPage
}

// Page returns records without their vectors, and the cursor after them, "" after the last.
// An invalid cursor gives ErrPlace.
func (c *Catalog) Page(ctx context.Context, q PageQuery) (page []Product, next string, err error) {
	statuses := living
	if q.Status != "" {
		statuses = []Status{q.Status}
	}
	of := c.products(q.Shop).Where("status", "in", statuses)
	if q.Brand != "" {
		of = of.Where("brand_key", "==", textfold.Name(q.Brand))
	}
	if q.NoGTIN {
		of = of.Where("gtin", "==", "")
	}
	of = of.Select(plainFields...)
	docs, next, err := store.Page[Product](ctx, of, "created_at", q.After, q.Limit)
	switch {
	case errors.Is(err, store.ErrCursor):
		return nil, "", ErrPlace
	case err != nil:
		return nil, "", fmt.Errorf("catalog: %w", err)
	}
	return identified(docs), next, nil
}

// ErrPlace is the error for an invalid cursor.
var ErrPlace = fmt.Errorf("catalog: no place among the records")

// behindAll, appended to a text, gives an upper bound of all texts with that prefix: it is
// the highest code point.
const behindAll = "\U0010ffff"

// Beginning returns at most limit records of a shop whose name or brand begins with text,
// ignoring case, spaces and punctuation, without their vectors.
func (c *Catalog) Beginning(ctx context.Context, shop, text string, limit int) ([]Product, error) {
	key := textfold.Name(text)
	if key == "" {
		return nil, nil
	}
	fields := []string{"name_key", "brand_key"}
	found := make([][]Product, len(fields))
	group, ctx := errgroup.WithContext(ctx)
	for i, field := range fields {
		group.Go(func() (err error) {
			found[i], err = c.query(ctx, c.products(shop).Where(field, ">=", key).Where(field, "<", key+behindAll).
				OrderBy(field, firestore.Asc).Select(plainFields...).Limit(limit))
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(found...), err
}

// Record returns a record for the catalogue's owner, without its vectors but with its state
// before reviews; shop "" means any, as IDs differ between shops. A missing record or a tombstone
// gives ErrNotFound.
func (c *Catalog) Record(ctx context.Context, shop, id string) (Product, error) {
	if !idForm.MatchString(id) {
		return Product{}, ErrNotFound
	}
	_, p, err := c.read(ctx, id)
	switch {
	case err != nil:
		return Product{}, err
	case p == nil || shop != "" && p.Shop != shop || p.Status == Rejected:
		return Product{}, ErrNotFound
	}
	return p.WithoutVectors(), nil
}
