package catalog

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/textfold"
)

// trusted are the statuses of records that may decide: by their GTIN alone, and about what
// is a brand.
var trusted = []Status{Confirmed, Imported}

// Keys are what was read on a product, to look up trusted records. Empty ones are ignored.
type Keys struct {
	Shop    string
	GTIN    string   // GTIN-14
	Country string   // records of this country rank before others with the GTIN, but after confirmed ones
	Brands  []string // compared folded
	Names   []string // compared folded
	Photo   string   // the SHA-256 of a photo that reviews may have assigned to a product
}

// Known are the trusted records found for Keys, with the fields that decide about a photo.
type Known struct {
	Record  *Product  // with the GTIN; nil if none
	Rival   *Product  // another one with the GTIN of Record, of another name; nil if none
	Shown   *Product  // the product assigned to the photo by reviews; nil if none
	Bearers []Product // with one of the brands or names; they do not change
}

// knownFields are the fields of the products of a look-up: what its own order and whoever
// decides about a photo compare, and what an answer has. The rest is most of a product for
// sale: facets, description and features.
var knownFields = []string{
	"product_name", "brand", "category", "gtin", "country", "lang", "status", "source", "provenance", "probability",
	"created_at", "imported_at", "aliases", "brand_aliases",
}

// maxKnown is the largest number of products returned by one look-up.
const maxKnown = 20

// Known looks up k among the trusted records in one query. Of a brand with more products than that
// returns, Bearers has some, which are remembered for five minutes; the first look-up of such a
// brand takes a second query, so that nothing else is lost.
func (c *Catalog) Known(ctx context.Context, k Keys) (Known, error) {
	rest, bearers := c.large.of(k)
	found, err := c.bearing(ctx, rest)
	for err == nil && len(found) == maxKnown && c.large.remember(rest, found) {
		rest, bearers = c.large.of(k)
		found, err = c.bearing(ctx, rest)
	}
	if err != nil {
		return Known{}, err
	}
	known := Known{Record: recordOf(found, k)}
	known.Rival = rivalOf(found, known.Record)
	known.Shown = shownIn(found, k)
	if k.Photo != "" && len(found) == maxKnown && known.Shown == nil {
		if known.Shown, err = c.shown(ctx, k); err != nil {
			return Known{}, err
		}
	}
	if k.GTIN != "" && len(found) == maxKnown {
		if known.Record, known.Rival, err = c.record(ctx, k); err != nil {
			return Known{}, err
		}
	}
	brands, names := foldedKeys(rest.Brands), foldedKeys(k.Names)
	known.Bearers = joined(slices.DeleteFunc(found, func(p Product) bool {
		return !slices.Contains(brands, textfold.Name(p.Brand)) && !slices.Contains(names, textfold.Name(p.ProductName))
	}), bearers)
	return known, nil
}

// bearing returns the first trusted products that have one of the keys.
func (c *Catalog) bearing(ctx context.Context, k Keys) ([]Product, error) {
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
		return nil, nil
	}
	return c.query(ctx, c.known(k).WhereEntity(firestore.OrFilter{Filters: either}).Limit(maxKnown))
}

// known returns the query for the trusted products of a shop, including whether each is
// assigned to k's photo.
func (c *Catalog) known(k Keys) firestore.Query {
	q := c.trusted(k.Shop)
	if k.Photo == "" {
		return q
	}
	return q.Select(append(slices.Clone(knownFields), "photos."+k.Photo)...)
}

// record queries only the trusted record of k's GTIN, and its rival.
func (c *Catalog) record(ctx context.Context, k Keys) (record, rival *Product, err error) {
	found, err := c.query(ctx, c.trusted(k.Shop).Where("gtin", "==", k.GTIN).Limit(lookups))
	record = recordOf(found, k)
	return record, rivalOf(found, record), err
}

// shown queries only the product of k's photo.
func (c *Catalog) shown(ctx context.Context, k Keys) (*Product, error) {
	found, err := c.query(ctx, c.known(k).Where("photos."+k.Photo, "==", true).Limit(lookups))
	return shownIn(found, k), err
}

// shownIn returns the first product in found that reviews assigned to k's photo.
func shownIn(found []Product, k Keys) *Product {
	for _, p := range found {
		if p.Photos[k.Photo] {
			return &p
		}
	}
	return nil
}

// recordOf returns the record of k's GTIN in found: confirmed ones first, then those of k's
// country, then what was imported last.
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
		if p.GTIN == k.GTIN && k.GTIN != "" && (record == nil || rank(&p) > rank(record) || rank(&p) == rank(record) && p.written().After(record.written())) {
			record = &p
		}
	}
	return record
}

// written returns when an import last wrote p, else when it was made.
func (p Product) written() time.Time {
	if p.ImportedAt.IsZero() {
		return p.CreatedAt
	}
	return p.ImportedAt
}

// rivalOf returns another record in found with the GTIN of record that names another product, and
// is not for another country; nil if there is none.
func rivalOf(found []Product, record *Product) *Product {
	for _, p := range found {
		if record == nil || p.Country != "" && record.Country != "" && p.Country != record.Country {
			continue
		}
		if p.ID != record.ID && p.GTIN == record.GTIN && textfold.Name(p.ProductName) != textfold.Name(record.ProductName) {
			return &p
		}
	}
	return nil
}

// trusted returns the query for knownFields of the trusted products of a shop.
func (c *Catalog) trusted(shop string) firestore.Query {
	return c.products(shop).Where("status", "in", trusted).Select(knownFields...)
}

// foldedKeys returns the values folded, without empty ones and duplicates.
func foldedKeys(values []string) []string {
	var keys []string
	for _, v := range values {
		if key := textfold.Name(v); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
