package catalog

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"example.com/whatis/internal/store"
)

// Identify returns the ID of p as a review names it: by its code if that identifies it, else by
// its name. The SKU of a record says nothing of a photo.
func (p Product) Identify() string {
	if p.Identity == BySKU {
		p.Identity = ByName
	}
	return p.id()
}

// Confirm marks a record as confirmed by the catalogue's owner: it may decide by its code
// alone, and undoing a review does not revert it. Verified says that by is known, not taken
// at their word. A missing record gives ErrNotFound.
func (c *Catalog) Confirm(ctx context.Context, shop, id, by string, verified bool) (Product, error) {
	var confirmed Product
	err := c.change(ctx, shop, id, func(p Product) (*Product, bool) {
		done := p.Status == Confirmed && !p.Reviewed && p.ConfirmedBy == by && p.ConfirmedVerified == verified
		p.Status, p.Probability, p.ConfirmedBy, p.ConfirmedVerified = Confirmed, 1, by, verified
		p.Reviewed, p.Base = false, nil
		confirmed = p
		return &p, !done
	})
	return confirmed, err
}

// An Edit is what a record's owner changes of it; nil leaves a field as it is.
type Edit struct {
	ProductName, Brand, Category, GTIN *string
	Hidden                             *bool

	Aliases, BrandAliases []string // are added
}

// Edit changes a record. What the product is is then confirmed by its owner, so that imports keep it; a
// product that is hidden is found by no search, whatever a file says. A record whose text changes is embedded
// again by the next import. A missing record gives ErrNotFound.
func (c *Catalog) Edit(ctx context.Context, shop, id string, e Edit, by string, verified bool) (Product, error) {
	var edited Product
	err := c.change(ctx, shop, id, func(p Product) (*Product, bool) {
		before := p
		for field, text := range map[*string]*string{&p.ProductName: e.ProductName, &p.Brand: e.Brand, &p.Category: e.Category, &p.GTIN: e.GTIN} {
			if text != nil {
				*field = *text
			}
		}
		p.Aliases, p.BrandAliases = union(p.Aliases, e.Aliases), union(p.BrandAliases, e.BrandAliases)
		if p.ProductName != before.ProductName || p.Brand != before.Brand || p.Category != before.Category || p.GTIN != before.GTIN {
			p.Status, p.Probability, p.ConfirmedBy, p.ConfirmedVerified = Confirmed, 1, by, verified
			p.Reviewed, p.Base = false, nil
		}
		if e.Hidden != nil && p.Hidden != *e.Hidden {
			p.Hidden, p.NotForSale = *e.Hidden, *e.Hidden
		}
		changes := !reflect.DeepEqual(p, before)
		if changes {
			p.RecordDigest, p.EmbeddedDigest = "", ""
		}
		edited = p
		return &p, changes
	})
	return edited, err
}

// union returns all texts of a and b once, without empty ones.
func union(a, b []string) []string {
	for _, text := range b {
		if text != "" && !slices.Contains(a, text) {
			a = append(slices.Clip(a), text)
		}
	}
	return a
}

// A Deletion is what the removal of a record did.
type Deletion struct {
	Tombstone bool   `json:"tombstone"`           // it had been learnt, and will not be learnt again
	Overrules string `json:"overrules,omitempty"` // who had confirmed it
	Photos    int    `json:"photos,omitempty"`    // how many photos show it according to reviews, which still say so
}

// Delete removes a record, whatever was said of it. A learnt record leaves a tombstone without
// content, because the next search would learn it again; a record of the owner or of an import
// leaves nothing. A missing record gives ErrNotFound.
func (c *Catalog) Delete(ctx context.Context, shop, id string) (done Deletion, err error) {
	err = c.change(ctx, shop, id, func(p Product) (*Product, bool) {
		done = Deletion{Overrules: p.ConfirmedBy, Photos: len(p.Photos)}
		origin := &p
		if p.Reviewed && p.Base != nil {
			origin = p.Base
		}
		if done.Tombstone = origin.Source == learnt; done.Tombstone {
			return &Product{Shop: p.Shop, Status: Rejected}, true
		}
		return nil, true
	})
	return done, err
}

// learnt is the source of records found with Google Search.
const learnt = "google_search"

// change writes the record that decide returns if it reports a change. If another writer
// was first, it starts again.
func (c *Catalog) change(ctx context.Context, shop, id string, decide func(Product) (after *Product, changes bool)) error {
	if !idForm.MatchString(id) {
		return ErrNotFound
	}
	_, err := documentsOf(c).Change(ctx, id, func(d *store.Doc[document]) error {
		before := inCatalog(*d)
		if before == nil || before.Shop != shop || before.Status == Rejected {
			return ErrNotFound
		}
		after, changes := decide(*before)
		if !changes {
			return nil
		}
		if after == nil {
			if err := c.noteRemoval(ctx, shop, id); err != nil {
				return err
			}
		}
		replace(d, after)
		return nil
	})
	if err != nil {
		return fmt.Errorf("catalog: change %s: %w", id, err)
	}
	return nil
}

// Gone is the status of a missing record.
const Gone Status = "gone"

// StatusOf returns the status of a record or tombstone, Gone if there is none.
func (c *Catalog) StatusOf(ctx context.Context, id string) (Status, error) {
	_, p, err := c.read(ctx, id)
	switch {
	case err != nil:
		return "", err
	case p == nil:
		return Gone, nil
	}
	return p.Status, nil
}
