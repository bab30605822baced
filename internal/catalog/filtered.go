package catalog

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/money"
)

// maxCombinations is how many combinations of alternatives a Firestore query takes.
const maxCombinations = 30

// A FilterQuery selects products of a shop by their values, of any number of products. All
// its filters are equalities, which Firestore's indexes of single fields serve together.
type FilterQuery struct {
	Shop, Space string
	Any         [][]Key // of each list, a product has one key
	Priced      bool
	Prices      []money.Range // if Priced, a product's price is in one; each has a currency and both bounds
	InStock     bool

	After string // the ID of the last product that was read; "" begins
	Limit int
	// Vectors are read too: SearchVector, ImageVector, or none. Score compares with them.
	Vectors []string
	// Compared, unless it is nil, limits the fields of the products to those that it names.
	Compared *Compared
}

// Selects reports whether q has a filter beside the shop.
func (q FilterQuery) Selects() bool { return len(q.Any) > 0 || q.Priced || q.InStock }

// Filtered returns products of q, ordered by ID, with the fields that filters compare. Those
// whose price is outside q's by less than a fifth may be among them, and those whose
// alternatives are too many for Firestore: the caller compares. Fewer than q.Limit are all
// there are.
func (c *Catalog) Filtered(ctx context.Context, q FilterQuery) ([]Product, error) {
	of, possible := c.filtered(q)
	if !possible {
		return nil, nil
	}
	fields := pathsOf(briefFields)
	if q.Compared != nil {
		fields = q.Compared.paths()
	}
	for _, vector := range q.Vectors {
		fields = append(fields, firestore.FieldPath{fieldIn(q.Space, bytesOf[vector])})
	}
	of = of.OrderBy(firestore.DocumentID, firestore.Asc).SelectPaths(fields...).Limit(q.Limit)
	if q.After != "" {
		of = of.StartAfter(q.After)
	}
	return c.query(ctx, of)
}

// Countable reports whether Firestore can count what q selects: not if its alternatives are
// more than it takes.
func (q FilterQuery) Countable() bool { return len(fitting(q.lists())) == len(q.lists()) }

// CountFiltered returns how many products a Countable q selects. Firestore counts, no product
// is read: of q's prices, the bands that are within them; Edges has the others.
func (c *Catalog) CountFiltered(ctx context.Context, q FilterQuery) (int64, error) {
	if q.Priced {
		inner, _ := q.bands()
		if q.Any, q.Priced = append(slices.Clone(q.Any), inner), false; len(inner) == 0 {
			return 0, nil
		}
	}
	return c.counted(ctx, c.selected(q))
}

// Edges returns the products of q in the price bands at the ends of q's prices, with the fields
// that filters compare: the caller compares. There are none if q is not Priced. Reading ends at
// more than q.Limit, unless that is 0.
func (c *Catalog) Edges(ctx context.Context, q FilterQuery) (all []Product, err error) {
	_, outer := q.bands()
	if len(outer) == 0 {
		return nil, nil
	}
	q.Any, q.Priced = append(slices.Clone(q.Any), outer), false
	for of := c.selected(q).OrderBy(firestore.DocumentID, firestore.Asc).Select(briefFields...).Limit(pageOfAll); ; {
		page, err := c.query(ctx, of)
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) < pageOfAll || q.Limit > 0 && len(all) > q.Limit {
			return all, nil
		}
		of = of.StartAfter(page[len(page)-1].ID)
	}
}

// bands returns the keys of the price bands that are within q's prices, and of those that
// have others too.
func (q FilterQuery) bands() (inner, outer []Key) {
	for _, r := range q.Prices {
		for _, b := range bandsOf(r) {
			if b.inside(r) {
				inner = append(inner, b.key)
			} else {
				outer = append(outer, b.key)
			}
		}
	}
	return inner, outer
}

// lists returns the alternatives of q.
func (q FilterQuery) lists() [][]Key {
	lists := slices.Clone(q.Any)
	if q.Priced {
		var keys []Key
		for _, r := range q.Prices {
			for _, b := range bandsOf(r) {
				keys = append(keys, b.key)
			}
		}
		lists = append(lists, keys)
	}
	if q.InStock {
		lists = append(lists, []Key{{stockFacet, inStock}})
	}
	return lists
}

// filtered returns the query for q; it is not possible if it has no price to be in.
func (c *Catalog) filtered(q FilterQuery) (of firestore.Query, possible bool) {
	return c.selected(q), !q.Priced || slices.ContainsFunc(q.Prices, func(r money.Range) bool { return len(bandsOf(r)) > 0 })
}

// selected returns the query for the lists of q that Firestore takes.
func (c *Catalog) selected(q FilterQuery) firestore.Query {
	of := c.in(q.Shop, q.Space)
	for _, keys := range fitting(q.lists()) {
		of = of.WhereEntity(either(keys))
	}
	return of
}

// either returns the filter for products that have one of keys.
func either(keys []Key) firestore.EntityFilter {
	var all []firestore.EntityFilter
	for _, key := range keys {
		all = append(all, firestore.PropertyPathFilter{Path: firestore.FieldPath{"has", key.Facet, key.Value}, Operator: "==", Value: true})
	}
	if len(all) == 1 {
		return all[0]
	}
	return firestore.OrFilter{Filters: all}
}

// fitting returns the lists of alternatives whose combinations a Firestore query takes,
// short ones first.
func fitting(lists [][]Key) (fit [][]Key) {
	combinations := 1
	for n := 1; n <= maxCombinations; n++ {
		for _, keys := range lists {
			if len(keys) == n && combinations*n <= maxCombinations {
				fit, combinations = append(fit, keys), combinations*n
			}
		}
	}
	return fit
}
