package search

import (
	"fmt"
	"maps"
	"slices"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// A condition is what a product must be. Soft conditions are dropped if no product meets
// them.
type condition struct {
	name  string
	facet string   // if it is about a facet
	codes []string // any of which is accepted
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

// soft returns the soft conditions, in the order in which they are dropped: those of the
// query, and the shapes recommended for a face if the query names none.
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

// holds reports whether the product has a price within r.
func holds(r PriceRange, p catalog.Product) bool {
	return p.Price > 0 && (r.Currency == "" || r.Currency == p.Currency) && p.Price >= r.Min && (r.Max == 0 || p.Price <= r.Max)
}

// failed returns the first condition that a product does not meet.
func failed(conditions []condition, p catalog.Product) (condition, bool) {
	i := slices.IndexFunc(conditions, func(c condition) bool { return !c.holds(p) })
	if i < 0 {
		return condition{}, false
	}
	return conditions[i], true
}

// category returns the category to filter by in Firestore, "" if there is none or more than
// one.
func category(conditions []condition) string {
	for _, c := range conditions {
		if c.facet == categoryFacet && len(c.codes) == 1 {
			return c.codes[0]
		}
	}
	return ""
}

// withoutForeignPrice drops a price range of the query in a currency that no product has,
// because there are no exchange rates here.
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
