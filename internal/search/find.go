package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/textfold"
)

// How many products are found by their likeness.
const (
	nearest      = 200 // the nearest at first
	nearestEnd   = 100 // is the last place on a page for which these are enough
	mostCompared = 100_000
	preferredOf  = 150 // of the nearest: preferred ones of these come first
	sortedOf     = 60  // of the nearest are sorted by something else: what is cheapest would hardly be meant
	maxWorded    = 60  // with the words in their names are compared
)

// A candidate is a product with its scores by text and by picture.
type candidate struct {
	*catalog.Product
	scores index.Scores
	exact  int // position among the products that the request names exactly, from 1; 0 means none

	variants *Variants // set when it is shown
}

// score returns the weighted mean of scores. A missing one does not count.
func (w Weights) score(of index.Scores) float64 {
	sum, weights := 0.0, 0.0
	for i, weight := range [2]float64{w.Text, w.Image} {
		if !math.IsNaN(of[i]) {
			sum, weights = sum+of[i]*weight, weights+weight
		}
	}
	if weights == 0 { // all its scores have weight 0
		return 0
	}
	return sum / weights
}

// rounded returns a score rounded to four digits.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }

// find finds products under the conditions, by words and vectors. Soft conditions are dropped one
// after the other while nothing is found.
func (p *Pipeline) find(ctx context.Context, s *state) error {
	if !s.route.searches {
		return nil
	}
	if len(s.these) > 0 {
		for i, product := range s.these {
			s.results = append(s.results, candidate{Product: &product, exact: i + 1})
		}
		s.total = len(s.these)
		return nil
	}
	if sides := s.sides(); len(sides) > 1 {
		return p.findSides(ctx, s, sides)
	}
	err := p.matching(ctx, s)
	for _, given := range s.soft() {
		if err != nil || s.total > 0 || s.place.Of != "" {
			break
		}
		if given.facet == categoryFacet { // another kind of thing is none of what is asked for
			continue
		}
		s.relaxed = append(s.relaxed, given.name)
		err = p.matching(ctx, s)
	}
	if err != nil {
		return err
	}
	if s.total == 0 {
		s.relaxed = nil
		if err := p.findBeyondPrice(ctx, s); err != nil {
			return err
		}
		if err := s.unanswered(); err != nil {
			return err
		}
		if err := p.unlike(ctx, s); err != nil {
			return err
		}
	}
	if err := p.tellRank(ctx, s); err != nil {
		return err
	}
	if s.offset+len(s.results) < s.total {
		s.setNext(place{Seen: s.offset + len(s.results), Relaxed: s.relaxed})
	}
	return p.addVariants(ctx, s)
}

// matching sets the page of the products that meet all conditions, and how many there are.
func (p *Pipeline) matching(ctx context.Context, s *state) error {
	q, scores, err := p.asked(ctx, s)
	if err != nil {
		return err
	}
	if q.All && q.Filter.Empty() && (s.query != "" || s.pictured) && s.searchType() == ByNothing {
		q.All = false // nothing says what is wanted
	}
	if q.Order == "" && s.searchType() == ByNothing && len(q.Near) == 0 {
		q.Order = index.Newest
	}
	q.Limit, q.Offset = s.limit, s.offset
	page, total, err := s.shop.index.Find(ctx, s.Shop, q)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	var shown []string
	for _, hit := range page {
		shown = append(shown, hit.ID)
	}
	if err := s.compare(ctx, shown, scores); err != nil {
		return err
	}
	s.total, s.asked = total, q
	for _, hit := range page {
		of, compared := scores[hit.ID]
		if !compared {
			of = index.Scores{math.NaN(), math.NaN()}
		}
		s.results = append(s.results, candidate{Product: &hit.Product, scores: of, exact: hit.Place})
	}
	return nil
}

// asked returns the query of the index for what is wanted, and the scores of products that were compared.
func (p *Pipeline) asked(ctx context.Context, s *state) (q index.Query, scores scored, err error) {
	conditions := s.conditions()
	q = index.Query{
		Filter: s.filter(conditions), All: !s.compares(), Order: orders[s.want.sort], Currencies: s.shop.currencies, SoldOut: s.pictured, Once: s.listsOnce(),
	}
	for _, one := range s.want.preferred {
		q.Preferred = append(q.Preferred, index.Values{Facet: one.Facet, Keys: s.keys(one.Facet, []string{one.Code})})
	}
	must := slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool { return c.soft })
	for _, product := range s.exact {
		if _, fails := failed(must, product); !fails && !slices.Contains(s.except, product.ID) {
			q.Exact = append(q.Exact, product.ID)
		}
	}
	if !s.pictured { // beside a picture, the weights decide
		if err = s.readWords(ctx, &q); err != nil {
			return q, nil, err
		}
	}
	n := nearest
	if s.offset+s.limit > nearestEnd || s.expect != nil || !q.Filter.Empty() {
		n = catalog.MaxNearest
	}
	if scores, s.cut, err = p.near(ctx, s, q.Filter, n); err == nil && len(q.Named) > 0 && s.textVector != nil {
		var named []string
		if named, err = s.shop.index.Worded(ctx, q.Filter, q.Named, maxWorded); err == nil {
			err = s.compare(ctx, named, scores)
		}
	}
	if err != nil {
		return q, nil, err
	}
	q.Near = s.ranked(scores)
	if n := len(q.Near); q.All && s.cut && n > 0 { // others may be as near as the last
		last := q.Near[n-1].Score
		q.Near = slices.DeleteFunc(q.Near, func(n index.Near) bool { return n.Score <= last })
	}
	switch {
	case s.searchType() != ByNothing:
	case s.pictured:
		q.All = !q.Filter.Empty()
	case len(s.want.words) > 0:
		q, err = s.byWords(ctx, q)
	}
	return q, scores, err
}

// findBeyondPrice sets the product that is nearest to the price, of those that are all else that is wanted,
// if the price leaves none.
func (p *Pipeline) findBeyondPrice(ctx context.Context, s *state) error {
	if len(s.priced()) == 0 || len(s.want.is)+len(s.want.chosen.facets)+len(s.want.words) == 0 {
		return nil
	}
	of := *s
	of.want.prices, of.want.chosen.price, of.limit, of.offset, of.want.sort = nil, PriceRange{}, 1, 0, PriceUp
	if !slices.ContainsFunc(s.priced(), func(any []PriceRange) bool { return any[0].Max > 0 }) {
		of.want.sort = PriceDown
	}
	err := p.matching(ctx, &of)
	if err == nil && len(of.results) > 0 && of.results[0].Price.Known() {
		s.beyondPrice, s.beyondOrder = of.results[0].Product, of.want.sort
	}
	return err
}

// orders are those of the index.
var orders = map[Sort]index.Order{PriceUp: index.Cheapest, PriceDown: index.Dearest, Newest: index.Newest}

// compares reports whether the request has something that products are compared with by
// meaning or by looks.
func (s *state) compares() bool { return len(s.want.words) > 0 || s.pictured }

// readWords sets the words of q: all that may say something of a product, which any text of it may have;
// and those of them that stand in names. Where these are not all, they are a name only if few have it. If
// no product has any of them, but one is part of another or misspelt, that is what is found, and said.
func (s *state) readWords(ctx context.Context, q *index.Query) error {
	q.Words = index.Tokens(strings.Join(query.Telling(queryLanguages(), strings.Join(s.want.words, " ")), " "))
	known, named, spelled, err := s.shop.index.Known(ctx, q.Words)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if len(known) == 0 && len(spelled) == len(q.Words) && len(spelled) > 0 {
		q.Words = nil
		for _, word := range sortedKeys(spelled) {
			q.Words = append(q.Words, spelled[word])
			if one := (Spelled{word, spelled[word]}); !slices.Contains(s.spelled, one) {
				s.spelled = append(s.spelled, one)
			}
		}
		q.Named, s.known = q.Words, q.Words
		return nil
	}
	if s.known = known; len(named) < len(q.Words) {
		named = slices.DeleteFunc(named, func(word string) bool {
			return textfold.IsASCII(word) && len(word) < 3 && !strings.ContainsAny(word, "+#")
		})
		all, err := s.shop.index.Worded(ctx, index.Filter{}, named, maxWorded+1)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if len(all) > maxWorded {
			named = nil
		}
	}
	q.Named = named
	return nil
}

// byWords returns q for a search without a vector: by all of its words, else by any of them, best first;
// by its conditions alone, if no product has any.
func (s *state) byWords(ctx context.Context, q index.Query) (index.Query, error) {
	for _, all := range []bool{true, false} {
		ranked, err := s.shop.index.Ranked(ctx, q.Filter, s.known, all, catalog.MaxNearest)
		if err != nil {
			return q, fmt.Errorf("search: %w", err)
		}
		if len(ranked) > 0 {
			q.Near = ranked
			return q, nil
		}
	}
	q.All = !q.Filter.Empty()
	return q, nil
}

// A scored has the scores of products by their IDs.
type scored map[string]index.Scores

// vectors are those that products are compared with.
func (s *state) vectors() index.Vectors { return index.Vectors{s.textVector, s.imageVector} }

// near returns the scores of the n products that are nearest to the vectors, and whether others may be as
// near as is asked for: of those that the conditions leave, which are compared here, or if these are too many,
// of the nearest of the shop that Firestore finds.
func (p *Pipeline) near(ctx context.Context, s *state, conditions index.Filter, n int) (near scored, cut bool, err error) {
	if s.searchType() == ByNothing {
		return scored{}, false, nil
	}
	compared, err := s.shop.index.Compare(ctx, conditions, s.vectors(), cmp.Or(p.Compared, mostCompared))
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("search: %w", err)
	case compared == nil:
		return p.nearestByFirestore(ctx, s, n)
	}
	type one struct {
		id     string
		scores index.Scores
		score  float64
	}
	var best []one
	least := math.Inf(-1) // of the scores of the best n
	keep := func() {
		slices.SortFunc(best, func(a, b one) int { return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.id, b.id)) })
		cut = cut || len(best) > n && !s.below(best[n].scores)
		if best = best[:min(len(best), n)]; len(best) == n {
			least = best[n-1].score
		}
	}
	for id, scores := range compared {
		if math.IsNaN(scores[0]) && math.IsNaN(scores[1]) {
			continue
		}
		scores = index.Scores{rounded(scores[0]), rounded(scores[1])}
		score := s.weights.score(scores)
		if score < least {
			cut = cut || !s.below(scores)
			continue
		}
		if best = append(best, one{id, scores, score}); len(best) == 2*n {
			keep()
		}
	}
	keep()
	near = scored{}
	for _, of := range best {
		near[of.id] = of.scores
	}
	return near, cut, nil
}

// nearestByFirestore is near without conditions, by FindNearest.
func (p *Pipeline) nearestByFirestore(ctx context.Context, s *state, n int) (near scored, cut bool, err error) {
	near = scored{}
	var ids []string
	for i, field := range []string{catalog.SearchVector, catalog.ImageVector} {
		if s.vectors()[i] == nil {
			continue
		}
		list, err := p.Catalog.NearestBy(ctx, catalog.VectorQuery{Shop: s.Shop, Space: p.Space.ID(), Field: field, Vector: s.vectors()[i], Limit: n})
		if err != nil {
			return nil, false, fmt.Errorf("search: %w", err)
		}
		cut = cut || len(list) == n && !(s.floored() && list[n-1].Score < p.Space.SearchFloor)
		for _, m := range list {
			ids = append(ids, m.ID)
		}
	}
	return near, cut, s.compare(ctx, ids, near)
}

// compare adds the scores of products by their IDs, where they are missing.
func (s *state) compare(ctx context.Context, ids []string, of scored) error {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, has := of[id]; return has })
	if s.searchType() == ByNothing || len(missing) == 0 {
		return nil
	}
	scores, err := s.shop.index.Scores(ctx, s.vectors(), missing...)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	for id, one := range scores {
		of[id] = index.Scores{rounded(one[0]), rounded(one[1])}
	}
	return nil
}

// floored reports whether a product must be as like the words as the floor of the embedding model says,
// or have them: if these do not name values of facets, which hold whatever the vectors say; a chosen filter
// says nothing of the words. A picture of something else is refused before, by comparison with what the
// shop sells.
func (s *state) floored() bool {
	return len(s.want.words) > 0 && len(s.want.is)+len(s.want.ranges) == 0 && s.textVector != nil && !s.pictured
}

// below reports whether a product is less like the words than it must be.
func (s *state) below(of index.Scores) bool {
	return s.floored() && !(of[0] >= rounded(s.pipeline.Space.SearchFloor))
}

// ranked returns products that were compared, best first: those that reach the floor, and if they are
// sorted by something else, the first of them.
func (s *state) ranked(of scored) (near []index.Near) {
	for id, scores := range of {
		if !s.below(scores) {
			near = append(near, index.Near{ID: id, Score: s.weights.score(scores)})
		}
	}
	slices.SortFunc(near, func(a, b index.Near) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID)) })
	if orders[s.want.sort] != "" && s.compares() {
		near = near[:min(len(near), sortedOf)]
	}
	for i := range near {
		near[i].Among = i < preferredOf
	}
	return near
}

// unanswered returns the error of the embedding model if it has left a search without an answer.
func (s *state) unanswered() error {
	if s.failed != nil && s.filter(s.conditions()).Empty() {
		return s.failed
	}
	return nil
}

// unlike says that the shop has nothing like the words, whatever the conditions, and suggests the category of
// what is nearest.
func (p *Pipeline) unlike(ctx context.Context, s *state) error {
	if !s.floored() || slices.Contains(s.warnings, WarnNoModel) { // what only code has read is no verdict
		return nil
	}
	near, _, err := p.near(ctx, s, index.Filter{}, 1)
	if err != nil {
		return err
	}
	for id, scores := range near {
		if !s.below(scores) {
			continue
		}
		s.warn(WarnNotSold)
		found, err := s.shop.index.ByIDs(ctx, s.Shop, id)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		for _, product := range found {
			for _, value := range product.ValuesOf(categoryFacet) {
				if code, ok := s.shop.vocabulary.Exact(categoryFacet, value); ok && s.nearestCategory == "" {
					s.nearestCategory = s.label(categoryFacet, code)
				}
			}
		}
	}
	return nil
}

// tellRank sets the rank of the expected product, or the filter that removed it.
func (p *Pipeline) tellRank(ctx context.Context, s *state) (err error) {
	if s.expect == nil {
		return nil
	}
	s.rank = &Rank{ProductID: s.expect.ID}
	if s.rank.Rank, err = s.shop.index.Rank(ctx, s.asked, s.expect.ID); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if c, fails := failed(s.conditions(), *s.expect); fails && s.rank.Rank == 0 {
		s.rank.RemovedBy = c.name
	}
	return nil
}

// sides returns what is compared: the things that the model named, or the values of the one
// facet that has several.
func (s *state) sides() []Exclusion {
	if s.intent != CompareProducts || len(s.exact) > 1 {
		return nil
	}
	if len(s.want.compared) > 0 {
		return s.want.compared
	}
	for _, facet := range sortedKeys(s.want.is) {
		var sides []Exclusion
		for _, code := range s.want.is[facet] {
			sides = append(sides, Exclusion{Facet: facet, Code: code})
		}
		if len(sides) > 1 {
			return sides
		}
	}
	return nil
}

// findSides finds the best products of each side of a comparison, in turn.
func (p *Pipeline) findSides(ctx context.Context, s *state, sides []Exclusion) error {
	sides = sides[:min(len(sides), maxCompared)]
	each := maxCompared / len(sides)
	for _, side := range sides {
		of := *s
		of.want.is = maps.Clone(s.want.is)
		of.want.is[side.Facet], of.limit = []string{side.Code}, each
		if err := p.matching(ctx, &of); err != nil {
			return err
		}
		for _, c := range of.results { // one may be of another side, too
			if !slices.ContainsFunc(s.results, func(other candidate) bool { return other.ID == c.ID }) {
				s.results = append(s.results, c)
			}
		}
		s.cut = s.cut || of.cut
	}
	s.total = len(s.results)
	return nil
}
