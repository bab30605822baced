package catalog

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"
)

// maxCombinations is how many combinations of alternatives a Firestore query takes.
const maxCombinations = 30

// A PriceSpan is prices in a currency, from Least to Most.
type PriceSpan struct {
	Currency    string
	Least, Most float64 // above 0
}

func (s PriceSpan) has(p Product) bool {
	return p.Currency == s.Currency && p.Price >= s.Least && p.Price <= s.Most
}

// A FilterQuery selects products of a shop by their values, of any number of products. All
// its filters are equalities, which Firestore's indexes of single fields serve together.
type FilterQuery struct {
	Shop, Space string
	Any         [][]Key // of each list, a product has one key
	Priced      bool
	Prices      []PriceSpan // if Priced, a product's price is in one
	InStock     bool

	After string // the ID of the last product that was read; "" begins
	Limit int
	// Field is the vector that is read too, SearchVector or ImageVector; "" is none.
	Field string
}

// Filtered returns products of q, ordered by ID, with the fields that filters compare. Those
// whose price is outside q's by less than a fifth may be among them, and those whose
// alternatives are too many for Firestore: the caller compares. Fewer than q.Limit are all
// there are.
func (c *Catalog) Filtered(ctx context.Context, q FilterQuery) ([]Product, error) {
	fields := briefFields
	if q.Field != "" {
		fields = append([]string{q.Field}, briefFields...)
	}
	of, possible := c.filtered(q)
	if !possible {
		return nil, nil
	}
	of = of.OrderBy(firestore.DocumentID, firestore.Asc).Select(fields...).Limit(q.Limit)
	if q.After != "" {
		of = of.StartAfter(q.After)
	}
	return c.query(ctx, of)
}

// CountFiltered returns how many products q selects, and whether that is exact: not if its
// alternatives are more than Firestore takes. Firestore counts; of products with prices near
// the ends of q's prices, the prices are read.
func (c *Catalog) CountFiltered(ctx context.Context, q FilterQuery) (n int64, exact bool, err error) {
	exact = len(fitting(q.lists())) == len(q.lists())
	if !q.Priced {
		of, _ := c.filtered(q)
		n, err = c.counted(ctx, of)
		return n, exact, err
	}
	var inner, outer []Key
	for _, s := range q.Prices {
		for _, b := range s.bands() {
			if b.inside(s) {
				inner = append(inner, b.key)
			} else {
				outer = append(outer, b.key)
			}
		}
	}
	if len(inner) > 0 {
		of := c.selected(FilterQuery{Shop: q.Shop, Space: q.Space, Any: append(slices.Clone(q.Any), inner), InStock: q.InStock})
		if n, err = c.counted(ctx, of); err != nil {
			return 0, false, err
		}
	}
	edge, err := c.countEdges(ctx, q, outer)
	return n + edge, exact, err
}

// countEdges returns how many products in the outer price bands of q have a price of q.
func (c *Catalog) countEdges(ctx context.Context, q FilterQuery, outer []Key) (n int64, err error) {
	if len(outer) == 0 {
		return 0, nil
	}
	of := c.selected(FilterQuery{Shop: q.Shop, Space: q.Space, Any: append(slices.Clone(q.Any), outer), InStock: q.InStock}).
		OrderBy(firestore.DocumentID, firestore.Asc).Select("price", "currency").Limit(pageOfAll)
	for page := of; ; {
		found, err := c.query(ctx, page)
		if err != nil {
			return 0, err
		}
		for _, p := range found {
			if slices.ContainsFunc(q.Prices, func(s PriceSpan) bool { return s.has(p) }) {
				n++
			}
		}
		if len(found) < pageOfAll {
			return n, nil
		}
		page = of.StartAfter(found[len(found)-1].ID)
	}
}

// lists returns the alternatives of q.
func (q FilterQuery) lists() [][]Key {
	lists := slices.Clone(q.Any)
	if q.Priced {
		var keys []Key
		for _, s := range q.Prices {
			for _, b := range s.bands() {
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
	return c.selected(q), !q.Priced || slices.ContainsFunc(q.Prices, func(s PriceSpan) bool { return len(s.bands()) > 0 })
}

// selected returns the query for the lists of q that Firestore takes.
func (c *Catalog) selected(q FilterQuery) firestore.Query {
	of := c.products(q.Shop).Where("embedder", "==", q.Space)
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
