package search

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
)

// format writes the answer: the products with reasons, what the intent needs, and a
// summary.
func (p *Pipeline) format(ctx context.Context, s *state) (err error) {
	s.narrow()
	r := Result{
		Products: []Hit{}, Query: s.Query, NormalizedQuery: s.normalizedQuery, Intent: s.intent, SearchType: s.searchType(),
		ExtractedAttributes: s.attributes(), RecommendedShapes: s.recommended, IgnoredFilters: append([]IgnoredFilter{}, s.ignored...),
		Advice: s.advice, Lang: cmp.Or(s.understanding.Lang, s.reading.Lang), AnswerLang: s.lang, Relaxed: append([]string{}, s.relaxed...), Exhausted: !s.cut, Total: s.total, Spelled: s.spelled, Next: s.next, Expected: s.rank, Shop: s.Shop,
	}
	for _, c := range s.results {
		r.Products = append(r.Products, p.found(s, c))
	}
	r.Count = len(r.Products)
	s.response = r
	for _, facet := range s.Request.Counts {
		counts, err := p.countBy(ctx, s, s.shop.vocabulary.Facet(facet))
		if err != nil {
			return err
		}
		s.response.Counts = append(s.response.Counts, counts)
	}
	if s.route.answer != nil {
		s.response.Result, err = s.route.answer(p, ctx, s)
	}
	if s.nearestCategory != "" {
		s.response.Result.Suggestions = []string{s.nearestCategory}
	}
	s.response.Total = s.total
	s.response.Summary = p.summary(s)
	return err
}

// narrow removes products that the route does not show: if it is about named products and
// these were found, only they remain. A comparison of one product with the nearest says so, if
// another was named.
func (s *state) narrow() {
	exact := s.exactly()
	switch {
	case !s.route.named:
	case len(exact) > 0 && (s.intent != CompareProducts || len(exact) > 1):
		if len(exact) < len(s.results) || len(s.exact) <= s.offset+s.limit { // further ones have other names
			s.next, s.total = "", s.offset+len(exact)
		}
		s.results = exact
	case len(s.results) > 0 && len(s.understanding.Products) > 0 && (len(exact) == 0 || s.namesUnknown()):
		s.warn(WarnNotExact)
	}
	if n := s.route.most; n > 0 {
		s.results, s.next = s.results[:min(len(s.results), n)], ""
		s.total = len(s.results)
	}
}

// exactly returns the results that the request names: of variants with one name those that meet
// all conditions, if any does.
func (s *state) exactly() []candidate {
	exact := slices.DeleteFunc(slices.Clone(s.results), func(c candidate) bool { return c.exact == 0 })
	if len(s.these) > 0 {
		return exact
	}
	conditions, meeting := s.conditions(), map[string]bool{}
	for _, c := range exact {
		if key, ok := c.VariantKey(); ok && s.misses(conditions, *c.Product) < 2 {
			meeting[key] = true
		}
	}
	return slices.DeleteFunc(exact, func(c candidate) bool {
		key, _ := c.VariantKey()
		return meeting[key] && s.misses(conditions, *c.Product) >= 2
	})
}

// hit returns a product in the form of answers.
func (p *Pipeline) hit(of catalog.Product) (Hit, catalog.Product) {
	h := Hit{
		ProductID: of.ID, Name: of.ProductName, Brand: of.Brand, Price: of.Price, Description: of.Description, Availability: of.Availability, Stock: of.Stock,
		Category:   cmp.Or(of.Facets[categoryFacet], of.Category),
		FrameColor: of.Facets["color"], Gender: of.Facets["gender"], Why: []string{},
	}
	switch {
	case strings.HasPrefix(of.ImageURI, "https://"):
		h.ImageURL = of.ImageURI
	case of.ImageURI != "" && (p.Shows == nil || p.Shows(of.ImageURI)):
		h.ImageURL = p.imageURL(of.Shop, of.ID)
	}
	return h, of
}

// found returns a product with its scores and reasons.
func (p *Pipeline) found(s *state, c candidate) Hit {
	h, _ := p.hit(*c.Product)
	h.Score, h.Text, h.Image = rounded(s.weights.score(c.scores)), known(c.scores[0]), known(c.scores[1])
	h.Why, h.Variants = p.why(s, c), c.variants
	return h
}

// known returns a score, nil for a missing one.
func known(score float64) *float64 {
	if math.IsNaN(score) {
		return nil
	}
	return &score
}

// imageURL returns the API's URL of a product's picture.
func (p *Pipeline) imageURL(shop, id string) string {
	path := "/products/" + id + "/image"
	if shop != p.Shop {
		path += "?shop=" + url.QueryEscape(shop)
	}
	return path
}

// detail returns the full record of a product.
func (p *Pipeline) detail(h Hit, of catalog.Product) Detail {
	return Detail{Hit: h, SKU: of.SKU, GTIN: of.GTIN, KeyFeatures: of.KeyFeatures, Facets: of.Facets, Status: of.Status}
}

// foundIDs returns the IDs of the products found, for the session.
func (s *state) foundIDs() any {
	ids := []string{}
	for _, c := range s.results {
		ids = append(ids, c.ID)
	}
	return map[string]any{"products": ids, "relaxed": append([]string{}, s.relaxed...), "exhausted": !s.cut}
}
