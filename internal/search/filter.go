package search

import (
	"fmt"
	"maps"
	"slices"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// A condition is what a product must be. One that is soft is given up where nothing
// meets it.
type condition struct {
	name  string
	facet string   // of a condition on a facet
	codes []string // any of which will do
	soft  bool
	holds func(catalog.Product) bool
}

// relaxOrder is in which order facets are given up, the first first; those of other
// vocabularies before them. Price, what is not wanted and what a person has chosen are
// never.
var relaxOrder = []string{"frameMaterial", "color", "gender", query.Brand, shapeFacet, categoryFacet}

const categoryFacet = "category"

// conditions are what the products of s must be, but for what was given up.
func (s *state) conditions() []condition {
	var all []condition
	for _, facet := range slices.Sorted(maps.Keys(s.Filters)) {
		c := onFacet(facet, []string{s.Filters[facet]})
		c.name, c.soft = "filters."+facet, false
		all = append(all, c)
	}
	for _, price := range []PriceRange{s.want.Price, s.asked} {
		if !price.Empty() {
			all = append(all, condition{name: "price", holds: func(p catalog.Product) bool { return holds(price, p) }})
		}
	}
	for _, not := range s.want.Not {
		all = append(all, condition{name: "not " + not.Facet + " " + not.Code, holds: func(p catalog.Product) bool {
			return p.Facets[not.Facet] != not.Code
		}})
	}
	for _, c := range s.soft() {
		if !slices.Contains(s.relaxed, c.name) {
			all = append(all, c)
		}
	}
	return all
}

// soft are the conditions that the query makes, in the order in which they are given up,
// and those of the face: shapes that go with it count where the query names none.
func (s *state) soft() (all []condition) {
	wanted := maps.Clone(s.want.Is)
	if len(wanted[shapeFacet]) == 0 && len(s.recommended) > 0 {
		wanted[shapeFacet] = s.recommended
	}
	for _, facet := range slices.SortedFunc(maps.Keys(wanted), func(a, b string) int {
		return slices.Index(relaxOrder, a) - slices.Index(relaxOrder, b)
	}) {
		all = append(all, onFacet(facet, wanted[facet]))
	}
	return all
}

func onFacet(facet string, codes []string) condition {
	return condition{name: facet, facet: facet, codes: codes, soft: true, holds: func(p catalog.Product) bool {
		return slices.Contains(codes, p.Facets[facet])
	}}
}

// holds reports that a product has a price within r.
func holds(r PriceRange, p catalog.Product) bool {
	return p.Price > 0 && (r.Currency == "" || r.Currency == p.Currency) && p.Price >= r.Min && (r.Max == 0 || p.Price <= r.Max)
}

// failed is the first condition that a product does not meet.
func failed(conditions []condition, p catalog.Product) (condition, bool) {
	i := slices.IndexFunc(conditions, func(c condition) bool { return !c.holds(p) })
	if i < 0 {
		return condition{}, false
	}
	return conditions[i], true
}

// category is the one that Firestore is asked for; "" where there is none, or a choice.
func category(conditions []condition) string {
	for _, c := range conditions {
		if c.facet == categoryFacet && len(c.codes) == 1 {
			return c.codes[0]
		}
	}
	return ""
}

// withoutForeignPrice gives up a price range of the query in a currency that no product
// has: there are no rates here.
func (s *state) withoutForeignPrice() {
	currency := s.want.Price.Currency
	if s.want.Price.Empty() || currency == "" || len(s.pool.all) == 0 {
		return
	}
	if !slices.ContainsFunc(s.pool.all, func(c candidate) bool { return c.Currency == currency }) {
		s.ignored = append(s.ignored, IgnoredFilter{"price", fmt.Sprintf("%v–%v %s", s.want.Price.Min, s.want.Price.Max, currency)})
		s.want.Price = PriceRange{}
	}
}
