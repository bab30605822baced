package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// A shop is what is known of a shop: its vocabulary, and how the model is asked with it. It is
// made anew only when the values of the shop's products have changed.
type shop struct {
	updated    time.Time // of its values
	vocabulary *Vocabulary
	prices     map[string]PriceRange // by currency
	currencies []string              // of prices, that of most products first
	counted    bool                  // its values are counted
	variants   bool                  // some products come in variants
	several    bool                  // some products have several categories
	facets     string                // as described to the model
	known      []Fact
	prompt     *agent.Prompt[Understanding]
	labels     atomic.Pointer[labels]
	filters    *Filters
}

// A checkedShop is a shop that was the same as in the catalogue at that time.
type checkedShop struct {
	*shop
	at time.Time
}

// knownShop returns the shop with that name; one without products does not exist.
func (p *Pipeline) knownShop(ctx context.Context, name string) (*shop, error) {
	before, ok := p.shops.GetIfPresent(name)
	if ok && time.Since(before.at) < shopFor {
		return before.shop, nil
	}
	known, err := p.Catalog.KnownShop(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if !known {
		return nil, wrong("shop", "there is no product of a shop %.40q: import its catalogue, or send the name of another", name)
	}
	values, err := p.Catalog.ShopValues(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	currencies, err := p.currencies(ctx, name, values)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	s := before.shop
	if s == nil || !s.updated.Equal(values.Updated) || !slices.Equal(s.currencies, currencies) {
		s = p.newShop(name, values, currencies)
	}
	p.shops.Set(name, checkedShop{s, time.Now()})
	return s, nil
}

// newShop returns a shop whose products have these values.
func (p *Pipeline) newShop(name string, values catalog.ShopValues, currencies []string) *shop {
	v := p.Vocabulary.Of(held(values))
	s := &shop{
		updated: values.Updated, vocabulary: v, prices: values.Prices, currencies: currencies, counted: !values.CountedAt.IsZero(), variants: values.Variants, several: values.Several,
		facets: facetLines(v),
	}
	if p.ownFacts || v.Domain == p.Vocabulary.Domain { // those of the program are of its domain
		s.known = p.Facts
	}
	s.prompt = p.intents.Narrowed(func(schema *jsonschema.Schema) { narrowed(schema, v, s.known) })
	s.filters = s.newFilters(name)
	return s
}

// currencies returns the currencies of a shop's prices, that of most products first.
func (p *Pipeline) currencies(ctx context.Context, name string, of catalog.ShopValues) ([]string, error) {
	all := sortedKeys(of.Prices)
	if len(all) < 2 {
		return all, nil
	}
	n := map[string]int64{}
	for _, currency := range all {
		var err error
		if n[currency], err = p.Catalog.CountPriced(ctx, name, p.Space.ID(), currency); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(n[b], n[a]) })
	return all, nil
}

// held returns the values of a shop.
func held(of catalog.ShopValues) map[string][]query.Held {
	all := map[string][]query.Held{}
	for facet, values := range of.Values {
		for _, v := range values {
			all[facet] = append(all[facet], query.Held{Name: v.Name, Count: v.Count})
		}
	}
	return all
}

// Filters returns the filters for a shop's products, with how many have each value; "" means
// the configured shop. Values that no product has are left out, if the shop was counted. The
// filters are the same until the shop's values change, and must not be changed.
func (p *Pipeline) Filters(ctx context.Context, name string) (*Filters, error) {
	of, err := p.knownShop(ctx, cmp.Or(name, p.Shop))
	if err != nil {
		return nil, err
	}
	return of.filters, nil
}

func (of *shop) newFilters(name string) *Filters {
	f := &Filters{Shop: name, Facets: []FacetFilter{}, Prices: []PriceRange{}}
	for _, has := range of.vocabulary.Facets {
		one := FacetFilter{Facet: has.Name, En: has.Title("en"), Vi: has.Title("vi"), Ko: has.Title("ko"), Unit: has.Unit, Values: []FilterValue{}}
		for _, v := range has.Values {
			if len(v.Keys) > 0 || !of.counted {
				one.Values = append(one.Values, FilterValue{v.Code, v.En, v.Name("vi"), v.Name("ko"), v.Count})
			}
		}
		f.Facets = append(f.Facets, one)
	}
	for _, currency := range sortedKeys(of.prices) {
		f.Prices = append(f.Prices, of.prices[currency])
	}
	return f
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
