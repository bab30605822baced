package search

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/textfold"
)

// A condition is what a product must be. Soft conditions are dropped if no product meets
// them.
type condition struct {
	name  string
	facet string   // if it is about a facet
	codes []string // any of which is accepted
	keys  []string // the folded values that they stand for
	soft  bool
	holds func(catalog.Product) bool
	where index.Filter // the same for the index
}

// relaxOrder is the order in which conditions on facets are dropped; those of other
// vocabularies come first. The price, unwanted attributes and chosen filters are never
// dropped.
var relaxOrder = []string{"frameMaterial", "color", "gender", query.Brand, shapeFacet, categoryFacet}

const categoryFacet = "category"

// conditions returns the conditions for products, without those that were dropped.
func (s *state) conditions() []condition {
	var all []condition
	for _, facet := range sortedKeys(s.want.chosen.facets) {
		c := s.onFacet(facet, s.want.chosen.facets[facet])
		c.name, c.soft = "filters."+facet, false
		all = append(all, c)
	}
	for _, prices := range s.priced() {
		all = append(all, condition{name: "price", where: index.Filter{Prices: [][]PriceRange{prices}}, holds: func(p catalog.Product) bool {
			return slices.ContainsFunc(prices, func(r PriceRange) bool { return r.Holds(p.Price) })
		}})
	}
	for _, r := range s.want.ranges {
		of, keys := s.shop.vocabulary.Facet(r.Facet), []string{}
		for _, v := range s.shop.held[r.Facet] { // all, also those that are not listed
			if of.Between(v.Name, r.Min, r.Max) {
				keys = append(keys, textfold.Name(v.Name))
			}
		}
		c := onKeys(r.Facet, keys)
		c.soft = false
		all = append(all, c)
	}
	for _, not := range s.want.not {
		is := s.onFacet(not.Facet, []string{not.Code})
		all = append(all, condition{name: "not " + not.Facet + " " + not.Code, where: index.Filter{None: is.where.Any}, holds: func(p catalog.Product) bool { return !is.holds(p) }})
	}
	if s.want.inStock {
		all = append(all, condition{name: "in_stock", where: index.Filter{InStock: true}, holds: func(p catalog.Product) bool { return p.Availability == catalog.InStock }})
	}
	for _, c := range s.soft() {
		if !slices.Contains(s.relaxed, c.name) {
			all = append(all, c)
		}
	}
	return all
}

// priced returns the ranges of the query, and those of the request's own field: a price is in one of
// each.
func (s *state) priced() (all [][]PriceRange) {
	if len(s.want.prices) > 0 {
		all = append(all, s.want.prices)
	}
	if !s.want.chosen.price.Empty() {
		all = append(all, []PriceRange{s.want.chosen.price})
	}
	return all
}

// soft returns the soft conditions, in the order in which they are dropped: those of the
// query, and the shapes recommended for a face if the query names none.
func (s *state) soft() (all []condition) {
	wanted := maps.Clone(s.want.is)
	if wanted == nil {
		wanted = map[string][]string{}
	}
	if len(wanted[shapeFacet]) == 0 && len(s.want.chosen.facets[shapeFacet]) == 0 && len(s.recommended) > 0 {
		wanted[shapeFacet] = s.recommended
	}
	for _, facet := range slices.SortedFunc(maps.Keys(wanted), func(a, b string) int {
		return cmp.Or(slices.Index(relaxOrder, a)-slices.Index(relaxOrder, b), strings.Compare(a, b))
	}) {
		all = append(all, s.onFacet(facet, wanted[facet]))
	}
	return all
}

func (s *state) onFacet(facet string, codes []string) condition {
	c := onKeys(facet, s.keys(facet, codes))
	c.codes = codes
	return c
}

// onKeys returns the condition that a product has one of some folded values.
func onKeys(facet string, keys []string) condition {
	return condition{name: facet, facet: facet, keys: keys, soft: true, where: index.Filter{Any: []index.Values{{Facet: facet, Keys: keys}}}, holds: func(p catalog.Product) bool {
		return slices.ContainsFunc(p.ValuesOf(facet), func(value string) bool { return slices.Contains(keys, textfold.Name(value)) })
	}}
}

// keys returns the folded values of products that codes stand for.
func (s *state) keys(facet string, codes []string) (keys []string) {
	for _, code := range codes {
		value, _ := s.shop.vocabulary.Value(facet, code)
		for _, key := range append([]string{textfold.Name(code)}, value.Keys...) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// failed returns the first condition that a product does not meet.
func failed(conditions []condition, p catalog.Product) (condition, bool) {
	i := slices.IndexFunc(conditions, func(c condition) bool { return !c.holds(p) })
	if i < 0 {
		return condition{}, false
	}
	return conditions[i], true
}

// filter returns the index's filter for what meets conditions.
func (s *state) filter(conditions []condition) index.Filter {
	f := index.Filter{Except: s.except}
	for _, c := range conditions {
		f = f.And(c.where)
	}
	return f
}

// withoutForeignPrice drops price ranges of the query in a currency that no product of the
// shop has, because there are no exchange rates here.
func (s *state) withoutForeignPrice() {
	s.want.prices = slices.DeleteFunc(slices.Clone(s.want.prices), func(r PriceRange) bool {
		if s.foreign(r) {
			s.ignore(priceFacet, rangeText(r.Min, r.Max, r.Currency))
		}
		return s.foreign(r)
	})
}

// Other currencies that are written with $: those called dollars, and pesos.
var (
	dollars = strings.Fields("AUD BBD BMD BND BSD BZD CAD FJD HKD JMD NZD SGD TTD TWD XCD")
	pesos   = strings.Fields("ARS CLP COP MXN UYU")
)

// ofUS matches what says that dollars are those of the United States.
var ofUS = regexp.MustCompile(`(?i)\bu\.?s\.?(?:d\b|\s?\$|\s?dollar)|mỹ|미국`)

// inDollars returns r, or if that is in US dollars, of which the shop has no price and the query
// says only $ or dollars, in the one currency of the shop that this may mean.
func (s *state) inDollars(r PriceRange) PriceRange {
	if r.Currency != "USD" || !s.foreign(r) || ofUS.MatchString(s.query) {
		return r
	}
	meant := slices.DeleteFunc(slices.Clone(s.shop.currencies), func(currency string) bool {
		return !slices.Contains(dollars, currency) && !(slices.Contains(pesos, currency) && strings.Contains(s.query, "$"))
	})
	if len(meant) == 1 {
		r.Currency = meant[0]
	}
	return r
}

// foreign reports whether a price range is in a currency that no product of the shop has.
func (s *state) foreign(r PriceRange) bool {
	return !r.Empty() && r.Currency != "" && len(s.shop.currencies) > 0 && !slices.Contains(s.shop.currencies, r.Currency)
}

func rangeText(low, high float64, unit string) string {
	amount := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	return strings.TrimSpace(amount(low) + "–" + amount(high) + " " + unit)
}
