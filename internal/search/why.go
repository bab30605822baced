package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/textfold"
)

// why returns, in words, which parts of the request a product meets.
func (p *Pipeline) why(s *state, c candidate) []string {
	why := []string{}
	add := func(holds bool, key string, args ...any) {
		if holds {
			why = append(why, s.text(key, args...))
		}
	}
	say := func(holds bool, text string) {
		if holds && text != "" {
			why = append(why, text)
		}
	}
	add(c.exact > 0 && len(s.these) == 0, "named_exactly")
	add(s.prefers(*c.Product), "preferred")
	for _, soft := range s.soft() {
		name := s.valuesOf(c, soft)
		face := soft.facet == shapeFacet && len(s.want.is[shapeFacet]) == 0
		say(soft.holds(*c.Product) && !face, name)
		add(soft.holds(*c.Product) && face, "suits", name)
	}
	for _, facet := range sortedKeys(s.want.chosen.facets) {
		say(true, s.valuesOf(c, s.onFacet(facet, s.want.chosen.facets[facet])))
	}
	for _, r := range s.want.ranges {
		say(true, strings.Join(c.ValuesOf(r.Facet), ", "))
	}
	add(len(s.priced()) > 0 || s.want.sort == PriceUp || s.want.sort == PriceDown, "price", c.Price.Text(printer(s.lang)))
	for _, not := range s.want.not {
		add(!s.onFacet(not.Facet, []string{not.Code}).holds(*c.Product), "not", s.label(not.Facet, not.Code))
	}
	add(s.want.inStock && c.Availability == catalog.InStock, "in_stock")
	add(!math.IsNaN(c.scores[1]) && s.picture != nil && !slices.Contains(s.warnings, WarnIrrelevantImage), "like_picture", percent(c.scores[1]))
	add(!math.IsNaN(c.scores[0]) && s.query != "" && !s.likeBefore, "like_words", percent(c.scores[0])) // else like the product's
	add(s.like != nil && slices.Contains(s.except, s.like.ID), "like_chosen")                           // not where it stands for a picture
	return slices.Compact(why)
}

// valuesOf returns the names of a product's values that meet a condition.
func (s *state) valuesOf(c candidate, of condition) string {
	var names []string
	for _, value := range c.ValuesOf(of.facet) {
		if slices.Contains(of.keys, textfold.Name(value)) {
			names = append(names, s.shop.name(of.facet, value, s.lang))
		}
	}
	return strings.Join(names, ", ")
}

func percent(score float64) float64 { return math.Round(max(0, score) * 100) }

// stock returns how many pieces there are, else whether there are any, in a language; "" if nobody
// knows.
func (l *language) stock(available catalog.Availability, pieces *int) string {
	switch {
	case pieces != nil && available == catalog.InStock:
		return strconv.Itoa(*pieces)
	case available == catalog.Unknown:
		return ""
	}
	return l.Texts[string(available)]
}

// summary returns the answer in one to three sentences.
func (p *Pipeline) summary(s *state) string {
	var said []string
	say := func(when bool, key string, args ...any) {
		if when {
			said = append(said, s.text(key, args...))
		}
	}
	r := s.response
	searched := s.route.searches
	say(s.intent == UnknownIntent, "only_products", s.shop.goods(s.lang))
	if stats := r.Result.Stats; stats != nil {
		by := s.shop.vocabulary.Facet(stats.Facet).Title(s.lang)
		required := s.required()
		for _, i := range s.ignored {
			if slices.Contains(s.want.missing, i.Facet) { // nothing is counted
				required = append(required, i.Value)
			}
		}
		about := strings.Join(required, ", ")
		say(about == "", "has_count", stats.Total, by)
		say(about != "", "has_count_of", stats.Total, about, by)
	}
	say(r.Result.FAQ != nil, "quoted")
	say(s.intent == MaterialQuestion && len(s.facts) == 0, "not_in_facts")
	for _, a := range s.advice {
		say(a.Of == query.Face && a.Why != "", "suits_face", s.suiting(a), a.Why)
	}
	switch {
	case !searched || r.Count == 0:
	case s.total > r.Count && s.offset > 0:
		say(true, "found_further", s.total, s.offset+1, s.offset+r.Count, s.about())
	case s.total > r.Count:
		say(true, "found_first", s.total, r.Count, s.about())
	default:
		say(true, "found", r.Count, s.about())
	}
	notSold := slices.Contains(s.warnings, WarnNotSold)
	say(notSold, "not_sold", s.query)
	say(notSold && s.nearestCategory != "", "nearest_goods", s.nearestCategory)
	say(searched && r.Count == 0 && !notSold, "nothing", s.about())
	if of := s.beyondPrice; of != nil && !notSold {
		say(true, map[Sort]string{PriceUp: "cheapest_is", PriceDown: "dearest_is"}[s.beyondOrder], of.ProductName, of.Price.Text(printer(s.lang)))
	}
	for _, one := range s.spelled {
		say(true, "spelled", one.Found, one.Word)
	}
	say(slices.Contains(s.warnings, WarnIrrelevantImage), "irrelevant_picture")
	say(slices.Contains(s.warnings, WarnNotExact), "not_exact")
	unmet := s.unmet(max(len(s.results), 1))
	say(len(unmet) > 0, "relaxed", s.facetNames(unmet))
	for _, i := range s.ignored {
		say(r.Result.Stats == nil || !slices.Contains(s.want.missing, i.Facet), "ignored", cmp.Or(i.Value, i.Facet))
	}
	return strings.Join(said, " ")
}

// suiting names what an advice recommends.
func (s *state) suiting(a Advised) string {
	var names []string
	for _, facet := range sortedKeys(a.Suits) {
		for _, code := range a.Suits[facet] {
			names = append(names, s.label(facet, code))
		}
	}
	return strings.Join(names, ", ")
}

// unmet returns the facets of wishes that were given up, or that at least so many of the results,
// which are named, do not meet.
func (s *state) unmet(least int) []string {
	facets := slices.Clone(s.relaxed)
	for _, wish := range s.soft() {
		lacking := slices.DeleteFunc(slices.Clone(s.results), func(c candidate) bool { return wish.holds(*c.Product) })
		if len(lacking) >= least && !slices.Contains(facets, wish.name) {
			facets = append(facets, wish.name)
		}
	}
	return facets
}

// about describes what was searched for, and if something was found, without what not all of it meets.
func (s *state) about() string {
	wanted, found, unmet := s.wanted(), len(s.results) > 0, s.unmet(1)
	switch {
	case len(s.these) > 0:
		var names []string
		for _, product := range s.these {
			names = append(names, product.ProductName)
		}
		return strings.Join(names, ", ")
	case found && len(unmet) > 0:
		of := *s
		of.want.is = maps.Clone(s.want.is)
		maps.DeleteFunc(of.want.is, func(facet string, _ []string) bool { return slices.Contains(unmet, facet) })
		return cmp.Or(strings.Join(of.required(), ", "), s.shop.goods(s.lang))
	case s.query != "":
		return cmp.Or(wanted, s.query)
	case s.like != nil:
		return cmp.Or(wanted, s.like.ProductName)
	case s.pictured && !(found && slices.Contains(s.warnings, WarnIrrelevantImage)):
		return cmp.Or(wanted, s.text("by_picture"))
	}
	return cmp.Or(strings.Join(s.required(), ", "), s.shop.goods(s.lang))
}

// required describes what products must be by choice and by words.
func (s *state) required() (said []string) {
	for _, facet := range sortedKeys(s.want.chosen.facets) {
		for _, code := range s.want.chosen.facets[facet] {
			said = append(said, s.label(facet, code))
		}
	}
	for _, price := range boundsOf(s.want.chosen.price) {
		said = append(said, s.boundsText(price))
	}
	if wanted := s.wanted(); wanted != "" {
		said = append(said, wanted)
	}
	return said
}

func (s *state) facetNames(facets []string) string {
	var names []string
	for _, facet := range facets {
		name := s.shop.vocabulary.Facet(facet).Title(s.lang)
		if name == "" {
			name = facet
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// prefers reports whether a product has a preferred value.
func (s *state) prefers(p catalog.Product) bool {
	return slices.ContainsFunc(s.want.preferred, func(e Exclusion) bool { return s.onFacet(e.Facet, []string{e.Code}).holds(p) })
}
