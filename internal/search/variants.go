package search

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
)

// Bounds of the variants of one product: what is read of them, and listed.
const (
	maxVariantsRead = 1000
	maxVariants     = 20
)

// Variants are what a product comes in: it and its variants, whatever the filters.
type Variants struct {
	Count int `json:"count"` // with the product itself
	// Values are the values by facet, of those facets in which variants differ.
	Values map[string][]string `json:"values"`
	Others []Variant           `json:"others"` // without the product itself, 20 at most
}

// A Variant is a variant of a product.
type Variant struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	SKU       string `json:"sku"`
	catalog.Price
	Availability catalog.Availability `json:"availability,omitempty"`
	Stock        *int                 `json:"stock,omitempty"`
	Values       map[string][]string  `json:"values"` // by facet, of those in which variants differ
}

// listsOnce reports whether of the variants of a product one is listed. Where the answer is about
// single articles, each is.
func (s *state) listsOnce() bool { return s.shop.variants && !s.route.named }

// misses returns how much a product lacks: 2 where it does not meet conditions, and 1 where it is
// sold out.
func (s *state) misses(conditions []condition, of catalog.Product) int {
	_, fails := failed(conditions, of)
	return map[bool]int{true: 2}[fails] + map[bool]int{true: 1}[of.Availability == catalog.OutOfStock && !s.pictured]
}

// addVariants sets what the products that are shown come in.
func (p *Pipeline) addVariants(ctx context.Context, s *state) error {
	if !s.listsOnce() {
		return nil
	}
	var ids []string
	for _, c := range s.results {
		ids = append(ids, c.ID)
	}
	read, err := s.shop.index.Variants(ctx, s.Shop, maxVariantsRead, ids...)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	variants := map[string][]catalog.Product{}
	for _, product := range read {
		key, _ := product.VariantKey()
		variants[key] = append(variants[key], product)
	}
	for i, c := range s.results {
		key, _ := c.VariantKey()
		s.results[i].variants = variantsOf(*c.Product, variants[key])
	}
	return nil
}

// variantsOf returns what a product comes in, of which all are the variants; nil if it is alone.
func variantsOf(product catalog.Product, all []catalog.Product) *Variants {
	others := slices.DeleteFunc(slices.Clone(all), func(p catalog.Product) bool { return p.ID == product.ID })
	if len(others) == 0 {
		return nil
	}
	slices.SortFunc(others, func(a, b catalog.Product) int { return strings.Compare(a.SKU+" "+a.ID, b.SKU+" "+b.ID) })
	v := &Variants{Count: len(others) + 1, Values: differing(append([]catalog.Product{product}, others...))}
	for _, other := range others[:min(len(others), maxVariants)] {
		values := other.Values()
		maps.DeleteFunc(values, func(facet string, _ []string) bool { return v.Values[facet] == nil })
		v.Others = append(v.Others, Variant{other.ID, other.ProductName, other.SKU, other.Price, other.Availability, other.Stock, values})
	}
	return v
}

// differing returns the values of products by facet, of those facets in which they differ.
func differing(products []catalog.Product) map[string][]string {
	values, with := map[string][]string{}, map[string]map[string]bool{}
	for _, p := range products {
		for facet, held := range p.Values() {
			if with[facet] == nil {
				with[facet] = map[string]bool{}
			}
			with[facet][strings.Join(held, "|")] = true
			for _, value := range held {
				if !slices.Contains(values[facet], value) {
					values[facet] = append(values[facet], value)
				}
			}
		}
	}
	maps.DeleteFunc(values, func(facet string, _ []string) bool {
		lacking := slices.ContainsFunc(products, func(p catalog.Product) bool { return len(p.ValuesOf(facet)) == 0 })
		return len(with[facet]) == 1 && !lacking
	})
	return values
}
