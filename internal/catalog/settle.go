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

// Rejected marks a tombstone: a record that no look-up finds, and under whose ID
// nothing is learnt or imported. What it was before stands in its Base.
const Rejected Status = "rejected"

// A Word is what people who have looked at photos say of one product, all of them
// together. Who confirms it outranks who rejects it.
type Word struct {
	Shop      string
	Confirmed *Product // as the newest of those has it who confirm it; nil if nobody does
	Photos    []string // the SHA-256 of the photos that show it
	Rejected  bool     // somebody says that it was wrongly found
	Create    bool     // whoever asks says one of these, so that a record may be made
	Seen      string   // names all that was said: two words with the same are equal
}

// ErrChanged is the refusal of what rests on a record that is not there any more.
var ErrChanged = errors.New("catalog: the record was changed meanwhile")

// settleTries is how often Settle begins again when more is said meanwhile.
const settleTries = 20

// Settle makes the record called id what people say of it now. What it was before
// stays in its Base, and it becomes that again when nobody says anything any more.
// A record that an import or its owner vouches for cannot be rejected.
//
// Whoever has changed what is said calls it, after that. Then the last of any number
// of callers has seen all that was said: a write holds only if the record is still as
// it was read, and what is said is read again after each.
func (c *Catalog) Settle(ctx context.Context, id string, word func(context.Context) (Word, error)) error {
	for range settleTries {
		var w Word
		changes := false
		_, err := c.documents().Change(ctx, id, func(d *store.Doc[Product]) (err error) {
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

func (c *Catalog) documents() store.Collection[Product] {
	return store.In[Product](c.db.Collection(collection))
}

// read returns a record with all its fields; nil if there is none.
func (c *Catalog) read(ctx context.Context, id string) (store.Doc[Product], *Product, error) {
	d, err := c.documents().Get(ctx, id)
	if err != nil && !store.Gone(err) {
		return d, nil, fmt.Errorf("catalog: %w", err)
	}
	return d, inCatalog(d), nil
}

// inCatalog is a record with its ID; nil if there is none.
func inCatalog(d store.Doc[Product]) *Product {
	if !d.Exists {
		return nil
	}
	d.Value.ID = d.ID
	return &d.Value
}

// replace makes d the record after; nil deletes it.
func replace(d *store.Doc[Product], after *Product) {
	if d.Exists = after != nil; after != nil {
		d.Value = after.keyed()
	}
}

// settle is what w makes of a record; nil is none.
func (w Word) settle(before *Product) (after *Product, changes bool, err error) {
	base := before
	if before != nil && before.Reviewed {
		base = before.Base
	}
	switch {
	case w.Confirmed != nil:
		if before == nil && !w.Create {
			return nil, false, nil // whoever confirms it makes it
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

// confirmed is base as people confirm it. What they do not speak of, such as a price,
// stays as it is, and so does the vector of features that are as they were before.
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
	p.Status, p.Probability, p.ConfirmedBy = Confirmed, 1, c.ConfirmedBy
	p.Reviewed, p.Base, p.Photos = true, base, map[string]bool{}
	for _, sha := range w.Photos {
		p.Photos[sha] = true
	}
	return &p, nil
}
