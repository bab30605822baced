package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/textfold"
)

// A shop is cached data about a shop.
type shop struct {
	brands map[string]string // the spelling of each brand, by code
	words  query.Phrases     // phrases for the brands
}

// firstWord is the smallest length, in letters, of a brand's first word that identifies it
// alone.
const firstWord = 5

// knownShop returns the shop with that name; one without products does not exist.
func (p *Pipeline) knownShop(ctx context.Context, name string) (shop, error) {
	if s, ok := p.shops.GetIfPresent(name); ok {
		return s, nil
	}
	known, err := p.Catalog.KnownShop(ctx, name)
	if err != nil {
		return shop{}, fmt.Errorf("search: %w", err)
	}
	if !known {
		return shop{}, wrong("shop", "there is no product of a shop %.40q: import its catalogue, or send the name of another", name)
	}
	brands, err := p.Catalog.Brands(ctx, name)
	if err != nil {
		return shop{}, fmt.Errorf("search: %w", err)
	}
	s := newShop(brands)
	p.shops.Set(name, s)
	return s, nil
}

func newShop(brands map[string]string) shop {
	s := shop{brands: brands, words: query.Phrases{}}
	for code, label := range brands {
		s.words.Add(label, query.Code{Facet: query.Brand, Code: code})
		if first := textfold.Words(label); len(first) > 1 && len(first[0]) >= firstWord {
			s.words.Add(first[0], query.Code{Facet: query.Brand, Code: code})
		}
	}
	return s
}

// Filters returns the filters for a shop's products; "" means the configured shop.
func (p *Pipeline) Filters(ctx context.Context, name string) (Filters, error) {
	name = cmp.Or(name, p.Shop)
	of, err := p.knownShop(ctx, name)
	if err != nil {
		return Filters{}, err
	}
	f := Filters{Shop: name}
	for _, has := range p.Vocabulary.Facets {
		one := FacetFilter{Facet: has.Name}
		for _, v := range has.Values {
			one.Values = append(one.Values, FilterValue{v.Code, v.En, v.Vi})
		}
		f.Facets = append(f.Facets, one)
	}
	if len(of.brands) > 0 {
		one := FacetFilter{Facet: query.Brand}
		for _, code := range slices.SortedFunc(maps.Keys(of.brands), func(a, b string) int { return strings.Compare(of.brands[a], of.brands[b]) }) {
			one.Values = append(one.Values, FilterValue{code, of.brands[code], of.brands[code]})
		}
		f.Facets = append(f.Facets, one)
	}
	return f, nil
}

// Product returns the full record of a product; an empty shop means the configured one. An
// ID that the shop does not have gives ErrNoProduct.
func (p *Pipeline) Product(ctx context.Context, shop, id string) (Detail, error) {
	found, err := p.product(ctx, shop, id)
	if err != nil {
		return Detail{}, err
	}
	return p.detail(p.hit(found)), nil
}

// Picture returns the address of a product's picture, gs://bucket/object; "" if it has
// none. Errors are those of Product.
func (p *Pipeline) Picture(ctx context.Context, shop, id string) (uri string, err error) {
	found, err := p.product(ctx, shop, id)
	return found.ImageURI, err
}

func (p *Pipeline) product(ctx context.Context, shop, id string) (catalog.Product, error) {
	found, err := p.Catalog.ByID(ctx, cmp.Or(shop, p.Shop), id)
	if errors.Is(err, catalog.ErrNotFound) {
		return found, ErrNoProduct
	}
	return found, err
}
