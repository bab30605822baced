package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
)

// A shop is what is known of a shop: its index, its vocabulary, and how the model is asked with it. It is
// made anew only when the index has changed.
type shop struct {
	index      *index.Index
	version    int64 // of the index
	vocabulary *Vocabulary
	held       map[string][]index.Value // all values that products have, by facet
	prices     []PriceRange             // the lowest and highest by currency, that of most products first
	currencies []string                 // of prices, in this order
	variants   bool                     // some products come in variants
	facets     string                   // as described to the model
	known      []Fact
	prompt     *agent.Prompt[Understanding]
	labels     atomic.Pointer[labels]
	filters    *Filters
}

// maxValues is how many values of a facet are listed, and read in queries, those of most products first;
// maxListed is the length of a value that is a text, and nothing that people choose.
const (
	maxValues = 1000
	maxListed = 100
)

// A Filling is the error of a search in a shop whose first import is under way.
type Filling struct {
	Shop          string
	Stored, Total int64 // products; Total is 0 if nobody has counted them
}

func (e *Filling) Error() string { return "search: " + e.Public() }

// Public returns the text for callers (package usererror).
func (e *Filling) Public() string {
	if e.Total == 0 {
		return fmt.Sprintf("the shop %.40q is being filled: %d products so far", e.Shop, e.Stored)
	}
	return fmt.Sprintf("the shop %.40q is being filled: %d of %d products", e.Shop, e.Stored, e.Total)
}

// knownShop returns the shop with that name; one without products does not exist. That its first import
// is under way is looked up until it has been read once.
func (p *Pipeline) knownShop(ctx context.Context, name string) (*shop, error) {
	if _, ok := p.shops.GetIfPresent(name); !ok {
		f, err := p.Catalog.FillingOf(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if f != nil {
			return nil, &Filling{name, f.Stored, max(f.Total, 0)}
		}
	}
	x, err := p.Indexes.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	before, ok := p.shops.GetIfPresent(name)
	version := x.Version()
	if ok && before.index == x && before.version == version {
		return before, nil
	}
	s := &shop{index: x, version: version}
	if err := p.learn(ctx, name, s); err != nil {
		return nil, err
	}
	p.shops.Set(name, s)
	return s, nil
}

// learn sets what is known of a shop from its index.
func (p *Pipeline) learn(ctx context.Context, name string, s *shop) (err error) {
	is, err := s.index.Nature(ctx)
	if err == nil && is.Size == 0 {
		known, err := p.Catalog.KnownShop(ctx, name)
		switch {
		case err != nil:
			return fmt.Errorf("search: %w", err)
		case known:
			return wrong("shop", "no product of the shop %.40q is for sale: import a sku, description, price, availability, stock, image_uri or facet of each, as docs/catalogue.md says", name)
		}
		return wrong("shop", "there is no product of a shop %.40q: import its catalogue, or send the name of another", name)
	}
	if err == nil {
		s.held, err = s.index.Held(ctx)
	}
	if err == nil {
		s.prices, err = s.index.Prices(ctx)
	}
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	for _, r := range s.prices {
		s.currencies = append(s.currencies, r.Currency)
	}
	v := p.Vocabulary.Of(s.listed())
	s.vocabulary, s.variants, s.facets = v, is.Variants, facetLines(v)
	if p.ownFacts || v.Domain == p.Vocabulary.Domain { // those of the program are of its domain
		s.known = p.Facts
	}
	s.prompt = p.intents.Narrowed(func(schema *jsonschema.Schema) { narrowed(schema, v, s.known) })
	s.filters = s.newFilters(name)
	return nil
}

// listed returns the values of a shop that people choose.
func (of *shop) listed() map[string][]query.Held {
	all := map[string][]query.Held{}
	for facet, values := range of.held {
		for _, v := range values {
			if len(all[facet]) < maxValues && utf8.RuneCountInString(v.Name) <= maxListed {
				all[facet] = append(all[facet], query.Held{Name: v.Name, Count: int64(v.Count)})
			}
		}
	}
	return all
}

// Filters returns the filters for a shop's products, with how many have each value; "" means
// the configured shop. The filters are the same until the shop's values change, and must not be changed.
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
		one := FacetFilter{Facet: has.Name, En: has.Title("en"), Vi: has.Title("vi"), Ko: has.Title("ko"), Unit: has.Unit, Odd: has.Odd, Values: []FilterValue{}}
		for _, v := range has.Values {
			if len(v.Keys) > 0 {
				one.Values = append(one.Values, FilterValue{v.Code, v.En, v.Name("vi"), v.Name("ko"), v.Count})
			}
		}
		f.Facets = append(f.Facets, one)
	}
	f.Prices = append(f.Prices, of.prices...)
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
