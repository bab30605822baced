package catalog

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// valueSeparator is between the values of a facet that a product has several of.
const valueSeparator = "|"

// Values returns the values of p by facet, as p spells them: those of its facets, several
// between vertical bars, its brand and its category.
func (p Product) Values() map[string][]string {
	all := map[string][]string{}
	for facet := range p.Facets {
		all[facet] = p.ValuesOf(facet)
	}
	for _, facet := range []string{brandFacet, categoryFacet} {
		all[facet] = p.ValuesOf(facet)
	}
	maps.DeleteFunc(all, func(_ string, values []string) bool { return len(values) == 0 })
	return all
}

// ValuesOf returns the values of one facet.
func (p Product) ValuesOf(facet string) (values []string) {
	if facet == brandFacet {
		return slices.DeleteFunc([]string{p.Brand}, func(brand string) bool { return brand == "" })
	}
	for value := range strings.SplitSeq(p.Facets[facet], valueSeparator) {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	if len(values) == 0 && facet == categoryFacet && p.Category != "" {
		values = []string{p.Category}
	}
	return values
}

// A Key is a folded value of a facet.
type Key struct{ Facet, Value string }

// Facets of keys that are no property which people name.
const (
	priceFacet = "_price" // bands of prices
	stockFacet = "_stock"
	inStock    = "in"
	wordFacet  = "_word" // words of names
)

// maxWords is how many words of its names a record is found by.
const maxWords = 24

// words returns the folded words of p's SKU, as a whole and in parts, its name and its brand.
func (p Product) words() []string {
	all := append([]string{textfold.Name(p.SKU)}, textfold.NameWords(p.ProductName+" "+p.Brand+" "+p.SKU)...)
	all = foldedKeys(all)
	return all[:min(len(all), maxWords)]
}

// WordKeys returns the keys of products whose name, brand or SKU has one of these words, at
// most as many as a query takes.
func WordKeys(words []string) (keys []Key) {
	for _, word := range foldedKeys(words) {
		if len(keys) < maxCombinations {
			keys = append(keys, Key{wordFacet, word})
		}
	}
	return keys
}

// HasWord reports whether p's name, brand or SKU has a word of which this is the key.
func (p Product) HasWord(key Key) bool { return slices.Contains(p.words(), key.Value) }

// valueKeys returns the keys by which queries select p: equality filters on fields of one map
// combine without an index for each combination.
func (p Product) valueKeys() map[string]map[string]bool {
	if !p.sold() {
		return nil
	}
	keys := map[string]map[string]bool{}
	add := func(facet, key string) {
		if keys[facet] == nil {
			keys[facet] = map[string]bool{}
		}
		keys[facet][key] = true
	}
	for facet, held := range p.Values() {
		for _, value := range held {
			if key := textfold.Name(value); key != "" {
				add(facet, key)
			}
		}
	}
	if p.Price.Known() {
		for _, width := range bandWidths {
			add(priceFacet, band(p.Currency, p.Amount, width))
		}
	}
	for _, word := range p.words() {
		add(wordFacet, word)
	}
	if p.Availability == InStock {
		add(stockFacet, inStock)
	}
	if key, ok := p.VariantKey(); ok {
		add(key.Facet, key.Value)
	}
	return keys
}

// categoryKey returns the folded category of p, by which searches for vectors are narrowed.
func (p Product) categoryKey() string {
	if held := p.ValuesOf(categoryFacet); p.sold() && len(held) > 0 {
		return textfold.Name(held[0])
	}
	return ""
}

// severalCategories reports whether p has other categories than that of its categoryKey.
func (p Product) severalCategories() bool { return p.sold() && len(p.ValuesOf(categoryFacet)) > 1 }

// bandWidths are the widths of price bands, in quarters of a doubling: a price between two
// bounds is in one of few bands, of which only the outer ones have others too.
var bandWidths = []int{1, 4}

// step returns the number of the narrow band of a price.
func step(price float64) int { return int(math.Floor(4 * math.Log2(price))) }

// band returns the key of the band of a price: its currency, width and number.
func band(currency string, price float64, width int) string {
	return bandKey(currency, floorDiv(step(price), width), width)
}

func bandKey(currency string, n, width int) string {
	return currency + " " + strconv.Itoa(width) + " " + strconv.Itoa(n)
}

func floorDiv(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }

// A priceBand is prices from one bound to below another.
type priceBand struct {
	key         Key
	least, most float64
}

func (b priceBand) inside(r money.Range) bool { return b.least >= r.Min && b.most <= r.Max }

// bandsOf returns bands that hold all prices of r, none if it has none: narrow ones at both
// ends, which have other prices too.
func bandsOf(r money.Range) (all []priceBand) {
	if r.Min <= 0 || r.Min > r.Max {
		return nil
	}
	first, last := step(r.Min), step(r.Max)
	for n := first; n <= last; {
		width := 1
		if wide := bandWidths[1]; floorDiv(n, wide)*wide == n && n > first && n+wide <= last {
			width = wide
		}
		all = append(all, priceBand{Key{priceFacet, bandKey(r.Currency, floorDiv(n, width), width)}, bound(n), bound(n + width)})
		n += width
	}
	return all
}

// bound returns the lowest price of the narrow band with that number.
func bound(step int) float64 { return math.Exp2(float64(step) / 4) }
