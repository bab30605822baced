package catalog

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/textfold"
)

// trusted are the statuses of records that may decide: by their GTIN alone, and
// on what is a brand.
var trusted = []Status{Confirmed, Imported}

// Keys are what was read of a product: trusted records are looked up by them.
// Empty ones ask for nothing.
type Keys struct {
	Shop    string
	GTIN    string   // GTIN-14
	Country string   // records of this country come before others of the GTIN, but for confirmed ones
	Brands  []string // compared folded
	Names   []string // compared folded
	Photo   string   // the SHA-256 of a photo that people may have said to show a product
}

// Known is what the trusted records know of Keys.
type Known struct {
	Record  *Product  // of the GTIN; nil without one
	Shown   *Product  // what people said that the photo shows; nil if nobody did
	Bearers []Product // that bear one of the brands or of the names
}

// maxKnown is how many products one look-up by Keys returns at most.
const maxKnown = 20

// Known looks k up among the trusted records in one query. Of a brand that has
// more products than that query returns, some bearers may be missing; the record
// of the GTIN never is: where the answer was cut, it is asked for by itself.
func (c *Catalog) Known(ctx context.Context, k Keys) (Known, error) {
	brands, names := foldedKeys(k.Brands), foldedKeys(k.Names)
	var either []firestore.EntityFilter
	if k.GTIN != "" {
		either = append(either, firestore.PropertyFilter{Path: "gtin", Operator: "==", Value: k.GTIN})
	}
	if len(brands) > 0 {
		either = append(either, firestore.PropertyFilter{Path: "brand_key", Operator: "in", Value: brands})
	}
	if len(names) > 0 {
		either = append(either, firestore.PropertyFilter{Path: "name_key", Operator: "in", Value: names})
	}
	if k.Photo != "" {
		either = append(either, firestore.PropertyFilter{Path: "photos." + k.Photo, Operator: "==", Value: true})
	}
	if len(either) == 0 {
		return Known{}, nil
	}
	found, err := c.query(ctx, c.known(k).WhereEntity(firestore.OrFilter{Filters: either}).Limit(maxKnown))
	if err != nil {
		return Known{}, err
	}
	known := Known{Record: recordOf(found, k)}
	known.Shown = shownIn(found, k)
	if k.Photo != "" && len(found) == maxKnown && known.Shown == nil {
		if known.Shown, err = c.shown(ctx, k); err != nil {
			return Known{}, err
		}
	}
	if k.GTIN != "" && len(either) > 1 && len(found) == maxKnown {
		if known.Record, err = c.record(ctx, k); err != nil {
			return Known{}, err
		}
	}
	known.Bearers = slices.DeleteFunc(found, func(p Product) bool {
		return !slices.Contains(brands, p.BrandKey) && !slices.Contains(names, p.NameKey)
	})
	return known, nil
}

// known are the trusted products of a shop, each with whether it is on k's photo.
func (c *Catalog) known(k Keys) firestore.Query {
	q := c.trusted(k.Shop)
	if k.Photo == "" {
		return q
	}
	return q.Select(append(slices.Clone(plainFields), "photos."+k.Photo)...)
}

// record asks for the trusted record of k's GTIN alone.
func (c *Catalog) record(ctx context.Context, k Keys) (*Product, error) {
	found, err := c.query(ctx, c.trusted(k.Shop).Where("gtin", "==", k.GTIN).Limit(lookups))
	return recordOf(found, k), err
}

// shown asks for what k's photo shows alone.
func (c *Catalog) shown(ctx context.Context, k Keys) (*Product, error) {
	found, err := c.query(ctx, c.known(k).Where("photos."+k.Photo, "==", true).Limit(lookups))
	return shownIn(found, k), err
}

// shownIn is the first of found that k's photo shows.
func shownIn(found []Product, k Keys) *Product {
	for _, p := range found {
		if p.Photos[k.Photo] {
			return &p
		}
	}
	return nil
}

// recordOf is the record of k's GTIN among found: one that a person has confirmed
// before others, and then one of k's country.
func recordOf(found []Product, k Keys) *Product {
	rank := func(p *Product) (n int) {
		if p.Status == Confirmed {
			n += 2
		}
		if p.Country == k.Country {
			n++
		}
		return n
	}
	var record *Product
	for _, p := range found {
		if p.GTIN == k.GTIN && k.GTIN != "" && (record == nil || rank(&p) > rank(record)) {
			record = &p
		}
	}
	return record
}

// trusted are the trusted products of a shop, without their vectors.
func (c *Catalog) trusted(shop string) firestore.Query {
	return c.products(shop).Where("status", "in", trusted).Select(plainFields...)
}

// foldedKeys are values as keys, without empty ones, once each.
func foldedKeys(values []string) []string {
	var keys []string
	for _, v := range values {
		if key := textfold.String(v); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
