package search

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/catalog"
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
		all = append(all, condition{name: "price", holds: func(p catalog.Product) bool {
			return slices.ContainsFunc(prices, func(r PriceRange) bool { return r.Holds(p.Price) })
		}})
	}
	for _, r := range s.want.ranges {
		of := s.shop.vocabulary.Facet(r.Facet)
		c := s.onFacet(r.Facet, of.Within(r.Min, r.Max))
		c.name, c.soft = r.Facet, false
		c.holds = func(p catalog.Product) bool {
			return slices.ContainsFunc(p.ValuesOf(r.Facet), func(value string) bool { return of.Between(value, r.Min, r.Max) })
		}
		if len(of.Values) > catalog.MaxValues/2 { // others may not be listed, and so many are no filter of Firestore's
			c.keys = s.keys(r.Facet, s.shop.vocabulary.Codes(r.Facet))
		}
		all = append(all, c)
	}
	for _, not := range s.want.not {
		is := s.onFacet(not.Facet, []string{not.Code})
		all = append(all, condition{name: "not " + not.Facet + " " + not.Code, holds: func(p catalog.Product) bool { return !is.holds(p) }})
	}
	if s.want.inStock {
		all = append(all, condition{name: "in_stock", holds: func(p catalog.Product) bool { return p.Availability == catalog.InStock }})
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
	keys := s.keys(facet, codes)
	return condition{name: facet, facet: facet, codes: codes, keys: keys, soft: true, holds: func(p catalog.Product) bool {
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

// category returns the folded category by which Firestore narrows vectors, "" if there is none or
// more than one, or if some products have several: it compares the first of each alone.
func (s *state) category(conditions []condition) string {
	for _, c := range conditions {
		if c.facet == categoryFacet && len(c.keys) == 1 && !s.shop.several {
			return c.keys[0]
		}
	}
	return ""
}

// filterQuery returns the query that selects the products which meet conditions, as far as
// Firestore can; the rest is compared in code.
func (p *Pipeline) filterQuery(s *state, conditions []condition) catalog.FilterQuery {
	q := catalog.FilterQuery{Shop: s.Shop, Space: p.Space.ID(), InStock: s.want.inStock}
	for _, c := range conditions {
		var keys []catalog.Key
		for _, key := range c.keys {
			keys = append(keys, catalog.Key{Facet: c.facet, Value: key})
		}
		if len(keys) > 0 {
			q.Any = append(q.Any, keys)
		}
	}
	for _, not := range s.want.not {
		if keys := s.others(not.Facet); len(keys) > 0 {
			q.Any = append(q.Any, keys)
		}
	}
	if priced := s.priced(); len(priced) > 0 {
		q.Priced, q.Prices = true, s.spans()
	}
	return q
}

// others returns the keys of a facet's values besides those that are unwanted.
func (s *state) others(facet string) (keys []catalog.Key) {
	unwanted := []string{}
	for _, not := range s.want.not {
		if not.Facet == facet {
			unwanted = append(unwanted, not.Code)
		}
	}
	for _, v := range s.shop.vocabulary.Facet(facet).Values {
		if slices.Contains(unwanted, v.Code) {
			continue
		}
		for _, key := range v.Keys {
			keys = append(keys, catalog.Key{Facet: facet, Value: key})
		}
	}
	return keys
}

// spans returns the prices that are asked for, within the shop's, by currency, that of most products
// first.
func (s *state) spans() (spans []PriceRange) {
	for _, currency := range s.shop.currencies {
		within, ok := s.shop.prices[currency], true
		for _, prices := range s.priced() {
			i := slices.IndexFunc(prices, func(r PriceRange) bool { return r.Currency == "" || r.Currency == currency })
			if ok = ok && i >= 0; ok {
				within, ok = within.And(prices[i])
			}
		}
		if ok {
			spans = append(spans, within)
		}
	}
	return spans
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
	_, has := s.shop.prices[r.Currency]
	return !r.Empty() && r.Currency != "" && !has && len(s.shop.prices) > 0
}

func rangeText(low, high float64, unit string) string {
	amount := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	return strings.TrimSpace(amount(low) + "–" + amount(high) + " " + unit)
}
