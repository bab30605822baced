package catalog

import (
	"slices"
	"sync"
	"time"

	"example.com/whatis/internal/textfold"
)

// largeBrands are the brands with more products than one look-up returns, as they were found.
// Without them each photo of such a brand would read as many documents again, and need a second
// query for its GTIN.
type largeBrands struct {
	mu    sync.Mutex
	found map[brandOf]sample
}

// A brandOf is a brand of a shop, folded.
type brandOf struct{ shop, key string }

// A sample is some of the products of a brand.
type sample struct {
	products []Product
	at       time.Time
}

// Bounds of what is remembered.
const (
	rememberBrand = 5 * time.Minute
	maxBrands     = 200
)

// of returns k without the brands that are remembered, and their products, which may be those
// that are remembered: they do not change.
func (l *largeBrands) of(k Keys) (rest Keys, products []Product) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest, rest.Brands = k, nil
	var seen []string
	for _, brand := range k.Brands {
		key := textfold.Name(brand)
		s, ok := l.found[brandOf{k.Shop, key}]
		switch {
		case !ok || time.Since(s.at) > rememberBrand:
			rest.Brands = append(rest.Brands, brand)
		case !slices.Contains(seen, key):
			seen, products = append(seen, key), joined(products, s.products)
		}
	}
	return rest, products
}

// joined returns the products of both, without room for more, as one of them may be remembered.
// A product is large: where one has none, nothing is copied.
func joined(a, b []Product) []Product {
	switch {
	case len(a) == 0:
		return slices.Clip(b)
	case len(b) == 0:
		return slices.Clip(a)
	}
	return slices.Concat(a, b)
}

// remember remembers those of k's brands that are in found, and reports whether there are any.
func (l *largeBrands) remember(k Keys, found []Product) (any bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range foldedKeys(k.Brands) {
		products := slices.DeleteFunc(slices.Clone(found), func(p Product) bool { return textfold.Name(p.Brand) != key })
		if len(products) == 0 {
			continue
		}
		if l.found == nil || len(l.found) >= maxBrands {
			l.found = map[brandOf]sample{}
		}
		any = true
		l.found[brandOf{k.Shop, key}] = sample{products, time.Now()}
	}
	return any
}
