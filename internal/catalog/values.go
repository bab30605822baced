package catalog

import (
	"maps"
	"slices"
	"strings"
)

// The facets of the brand and of the category.
const (
	brandFacet    = "brand"
	categoryFacet = "category"
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
