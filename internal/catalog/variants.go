package catalog

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// variantFacet is the facet of VariantKey.
const variantFacet = "_variant"

// VariantKey returns the key that variants of one product have in common: those with the same
// variant_of, and those with a SKU, brand and name of which only the SKU differs. Others have
// none.
func (p Product) VariantKey() (key Key, ok bool) {
	switch {
	case p.VariantOf != "":
		return Key{variantFacet, store.HashID("variant_of", textfold.Caseless(p.VariantOf))}, true
	case p.SKU != "" && textfold.Name(p.ProductName) != "":
		return Key{variantFacet, store.HashID("name", textfold.Name(p.Brand), textfold.Name(p.ProductName))}, true
	}
	return Key{}, false
}

// Variants returns the products with one of some variant keys, with the fields that filters
// compare, and at most as many as the limit.
func (c *Catalog) Variants(ctx context.Context, shop, space string, keys []Key, limit int) (all []Product, err error) {
	for some := range slices.Chunk(keys, maxCombinations) {
		found, err := c.Filtered(ctx, FilterQuery{Shop: shop, Space: space, Any: [][]Key{some}, Limit: limit - len(all)})
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) >= limit {
			break
		}
	}
	return all, nil
}

// haveVariants reports whether the shop has variants of products, which are stored and no variants
// of each other. Firestore counts: more products with their keys than they are.
func (c *Catalog) haveVariants(ctx context.Context, shop, space string, products []Product) (bool, error) {
	var keys []Key
	for _, p := range products {
		if key, ok := p.VariantKey(); ok {
			keys = append(keys, key)
		}
	}
	var have atomic.Bool
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importLookups)
	for some := range slices.Chunk(keys, maxCombinations) {
		group.Go(func() error {
			n, err := c.CountFiltered(ctx, FilterQuery{Shop: shop, Space: space, Any: [][]Key{some}})
			if n > int64(len(some)) {
				have.Store(true)
			}
			return err
		})
	}
	err := group.Wait()
	return have.Load(), err
}

// groups are the variant keys of products, by keyOf.
type groups struct {
	seen    map[uint64]bool
	several bool // two products have the same, or one says what it is a variant of
}

func (g *groups) add(p Product) {
	if key, ok := p.VariantKey(); ok {
		of := keyOf(key.Value)
		g.several = g.several || g.seen[of] || p.VariantOf != ""
		g.seen[of] = true
	}
}
