package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// Rejected marks a tombstone: a record that no look-up finds and that is not learnt or
// imported again. Its Base is the record before.
const Rejected Status = "rejected"

// A Word is what all reviews say about one product. Confirming outranks rejecting.
type Word struct {
	Shop      string
	Confirmed *Product // by the newest review that confirms it; nil if none does
	Photos    []string // the SHA-256 of the photos that show it
	Rejected  bool     // a review says that the product is wrong
	Create    bool     // the current review confirms or rejects it, so a record may be created
	Seen      string   // identifies the reviews: words with equal Seen are equal
}

// ErrChanged is the error for a change based on a record that no longer exists.
var ErrChanged = errors.New("catalog: the record was changed meanwhile")

// settleTries is how often Settle starts again because of new reviews.
const settleTries = 20

// Settle changes the record called id to what reviews say now. Its Base keeps the state
// before reviews, and is restored when all reviews are withdrawn. A record from an import
// or its owner cannot be rejected.
//
// Callers must call it after they have changed a review. Then the last of several
// concurrent callers has seen all reviews: a write succeeds only if the record has not
// changed since it was read, and the reviews are read again after each write.
func (c *Catalog) Settle(ctx context.Context, id string, word func(context.Context) (Word, error)) error {
	for range settleTries {
		var w Word
		changes := false
		_, err := documentsOf(c).Change(ctx, id, func(d *store.Doc[Product]) (err error) {
			if w, err = word(ctx); err != nil {
				return err
			}
			var after *Product
			after, changes, err = w.settle(inCatalog(*d))
			if err == nil && changes {
				replace(d, after)
			}
			return err
		})
		if err != nil || !changes {
			return err
		}
		if again, err := word(ctx); err != nil || again.Seen == w.Seen {
			return err
		}
	}
	return fmt.Errorf("catalog: settle %s: more was said %d times meanwhile", id, settleTries)
}

// documentsOf returns the records of c.
// A method would have each package that names a Catalog compile those of store.Collection again.
func documentsOf(c *Catalog) store.Collection[Product] {
	return store.In[Product](c.db.Collection(collection))
}

// read returns a record with all fields; nil if there is none.
func (c *Catalog) read(ctx context.Context, id string) (store.Doc[Product], *Product, error) {
	d, err := documentsOf(c).Get(ctx, id)
	if err != nil && !store.Gone(err) {
		return d, nil, fmt.Errorf("catalog: %w", err)
	}
	return d, inCatalog(d), nil
}

// inCatalog returns a record with its ID set; nil if there is none.
func inCatalog(d store.Doc[Product]) *Product {
	if !d.Exists {
		return nil
	}
	d.Value.ID = d.ID
	return &d.Value
}

// replace sets d to the record after; nil deletes it.
func replace(d *store.Doc[Product], after *Product) {
	if d.Exists = after != nil; after != nil {
		d.Value = after.keyed()
	}
}

// settle returns the record after applying w; nil means none.
func (w Word) settle(before *Product) (after *Product, changes bool, err error) {
	base := before
	if before != nil && before.Reviewed {
		base = before.Base
	}
	switch {
	case w.Confirmed != nil:
		if before == nil && !w.Create {
			return nil, false, nil // the review that confirms it will create it
		}
		after, err = w.confirmed(base, before)
		return after, err == nil, err
	case w.Rejected && (base == nil || base.Status == Unconfirmed):
		if before == nil && !w.Create {
			return nil, false, nil
		}
		return &Product{Shop: w.Shop, Status: Rejected, Reviewed: true, Base: base}, true, nil
	case before == nil || !before.Reviewed:
		return before, false, nil
	}
	return base, true, nil
}

// confirmed returns base with the data that reviews confirm. Other fields, such as the
// price, are kept, and so is the vector if the features are equal.
func (w Word) confirmed(base, before *Product) (*Product, error) {
	c := *w.Confirmed
	p := c
	if base != nil {
		p = *base
		p.ProductName, p.Brand, p.Category, p.KeyFeatures = c.ProductName, c.Brand, c.Category, c.KeyFeatures
		if c.GTIN != "" {
			p.GTIN = c.GTIN
		}
		if p.Facets[brandFacet] != "" {
			p.Facets = maps.Clone(p.Facets)
			p.Facets[brandFacet] = textfold.String(p.Brand)
		}
		said := slices.DeleteFunc(slices.Clone(c.Provenance), func(s string) bool { return slices.Contains(base.Provenance, s) })
		p.Provenance = slices.Concat(base.Provenance, said)
	}
	switch {
	case len(c.Embedding) > 0:
		p.Embedding = c.Embedding
	case before != nil && slices.Equal(before.KeyFeatures, c.KeyFeatures) && len(before.Embedding) > 0:
		p.Embedding = before.Embedding
	case base == nil || !slices.Equal(base.KeyFeatures, c.KeyFeatures):
		return nil, ErrChanged
	}
	p.Status, p.Probability, p.ConfirmedBy, p.ConfirmedVerified = Confirmed, 1, c.ConfirmedBy, c.ConfirmedVerified
	p.Reviewed, p.Base, p.Photos = true, base, map[string]bool{}
	for _, sha := range w.Photos {
		p.Photos[sha] = true
	}
	return &p, nil
}
