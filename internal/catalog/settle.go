package catalog

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// Rejected marks a tombstone: a record that no look-up finds, that is not learnt again, and not
// imported by its name alone. Its Base is the record before.
const Rejected Status = "rejected"

// A Word is what all reviews say about one product. Confirming outranks rejecting.
type Word struct {
	Shop      string
	Confirmed *Product // by the newest review that confirms it; nil if none does
	Photos    []string // the SHA-256 of the photos that show it
	Rejected  bool     // a review says that the product is wrong
	Confirms  bool     // the current review confirms it: only this makes a record a confirmed one
	Rejects   bool     // the current review rejects it: a missing record then becomes a tombstone
	Seen      string   // identifies the reviews: words with equal Seen are equal
}

// An Embedder makes the vectors of key features, in a space.
type Embedder struct {
	Space VectorSpace
	Embed func(ctx context.Context, features []string) ([]float32, error)
}

// settleTries is how often Settle starts again because of new reviews.
const settleTries = 20

// Settle changes the record called id to what reviews say now. Its Base keeps what files and the
// web say of it, and is the record again when all reviews are withdrawn. A record from an import
// or its owner cannot be rejected. Where the key features are others, they are embedded.
//
// Callers must call it after they have changed a review. Then the last of several
// concurrent callers has seen all reviews: a write succeeds only if the record has not
// changed since it was read, and the reviews are read again after each write.
func (c *Catalog) Settle(ctx context.Context, id string, by Embedder, word func(context.Context) (Word, error)) error {
	for range settleTries {
		var w Word
		changes := false
		_, err := documentsOf(c).Change(ctx, id, func(d *store.Doc[document]) (err error) {
			if w, err = word(ctx); err != nil {
				return err
			}
			before := inCatalog(*d)
			var after *Product
			if after, changes = w.settle(before); !changes {
				return nil
			}
			if after != nil && after.Status != Rejected {
				err = after.embedAfter(ctx, before, by)
			}
			if err == nil && after == nil && before != nil {
				err = c.noteRemoval(ctx, before.Shop, id)
			}
			if err == nil {
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

// embedAfter gives p the vectors of the record before. If its features are others, they are embedded;
// the vectors of its text and picture stay until its next import, which the digests tell to look.
func (p *Product) embedAfter(ctx context.Context, before *Product, by Embedder) error {
	if before != nil {
		p.Vectors, p.SecondVectors = before.Vectors, before.SecondVectors
		if p.EmbeddedDigest = before.EmbeddedDigest; p.embeddedDigest() != before.EmbeddedDigest {
			p.RecordDigest, p.EmbeddedDigest = "", ""
		}
	}
	if before != nil && len(before.Embedders()) > 0 && slices.Equal(before.KeyFeatures, p.KeyFeatures) {
		return nil
	}
	v, err := by.Embed(ctx, p.KeyFeatures)
	p.setEmbedding(by.Space.ID(), v)
	return err
}

// documentsOf returns the records of c.
// A method would have each package that names a Catalog compile those of store.Collection again.
func documentsOf(c *Catalog) store.Collection[document] {
	return store.In[document](c.db.Collection(collection))
}

// read returns a record with all fields; nil if there is none.
func (c *Catalog) read(ctx context.Context, id string) (store.Doc[document], *Product, error) {
	d, err := documentsOf(c).Get(ctx, id)
	if err != nil && !store.Gone(err) {
		return d, nil, fmt.Errorf("catalog: %w", err)
	}
	return d, inCatalog(d), nil
}

// inCatalog returns a record with its ID set; nil if there is none.
func inCatalog(d store.Doc[document]) *Product {
	if !d.Exists {
		return nil
	}
	d.Value.ID = d.ID
	return &d.Value.Product
}

// replace sets d to the record after; nil deletes it.
func replace(d *store.Doc[document], after *Product) {
	if d.Exists = after != nil; after != nil {
		d.Value = document{Product: after.keyed()}
	}
}

// settle returns the record after applying w; nil means none.
func (w Word) settle(before *Product) (after *Product, changes bool) {
	base := before
	if before != nil && before.Reviewed {
		base = before.Base
	}
	switch {
	case w.Confirmed != nil:
		if !w.Confirms && (before == nil || !before.Reviewed || before.Status == Rejected) {
			return before.withoutPhotos(w) // a record that its owner has deleted or vouched for since stays so
		}
		said := *w.Confirmed
		said.Status, said.Probability, said.Reviewed, said.Photos = Confirmed, 1, true, map[string]bool{}
		for _, sha := range w.Photos {
			said.Photos[sha] = true
		}
		return said.over(base), true
	case w.Rejected && (base == nil && (before != nil || w.Rejects) || base != nil && base.Status == Unconfirmed):
		return &Product{Shop: w.Shop, Status: Rejected, Reviewed: true, Base: base.asBase()}, true
	case before == nil || !before.Reviewed:
		return before.withoutPhotos(w)
	}
	return base, true
}

// withoutPhotos returns p without the photos that no review assigns to it any more, and whether it had
// such.
func (p *Product) withoutPhotos(w Word) (*Product, bool) {
	if p == nil || len(p.Photos) == 0 {
		return p, false
	}
	left := *p
	left.Photos = maps.Clone(p.Photos)
	maps.DeleteFunc(left.Photos, func(sha string, _ bool) bool { return !slices.Contains(w.Photos, sha) })
	return &left, len(left.Photos) < len(p.Photos)
}

// over returns the record of a product of which people have said p, and files or the web base; nil if
// they say nothing. What the product is and how far it is trusted is as people say, what is offered
// is base's. A GTIN is base's unless people name one, or say that it has none.
func (p Product) over(base *Product) *Product {
	of := p
	if base != nil && base.Status != Rejected {
		of = *base
		of.ProductName, of.Brand, of.Category, of.KeyFeatures = p.ProductName, p.Brand, p.Category, p.KeyFeatures
		of.GTIN, of.NoGTIN = cmp.Or(p.GTIN, base.GTIN), p.NoGTIN
		of.Facets = facetsOf(base.Facets, of.Brand)
		said := slices.DeleteFunc(slices.Clone(p.Provenance), func(s string) bool { return slices.Contains(base.Provenance, s) })
		of.Provenance = slices.Concat(base.Provenance, said)
		of.Status, of.Probability, of.Reviewed, of.Photos = p.Status, p.Probability, p.Reviewed, p.Photos
		of.ConfirmedBy, of.ConfirmedVerified = p.ConfirmedBy, p.ConfirmedVerified
		if of.Identity == ByGTIN && (of.NoGTIN || of.GTIN != base.GTIN) {
			of.Identity = ByName
		}
	}
	if of.NoGTIN {
		of.GTIN = ""
	}
	of.Base = base.asBase()
	return &of
}

// facetsOf returns facets with that brand, if they have one.
func facetsOf(facets map[string]string, brand string) map[string]string {
	if facets[brandFacet] != "" {
		facets = maps.Clone(facets)
		facets[brandFacet] = textfold.Name(brand)
	}
	return facets
}

// asBase returns p as the record that people's words stand over; nil if there is none.
func (p *Product) asBase() *Product {
	if p == nil {
		return nil
	}
	base := *p
	base.Vectors, base.SecondVectors = Vectors{}, SecondVectors{}
	return &base
}
