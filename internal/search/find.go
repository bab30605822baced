package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/textfold"
)

// How many products are compared with a vector.
const (
	nearest     = 200 // at first
	nearestEnd  = 100 // is the last place on a page for which these are enough
	lookalikes  = 50  // with a picture alone, or beside what is named
	readByID    = 500 // that meet the conditions are compared here, where these are too few
	preferredOf = 150 // of the nearest: preferred ones of these come first
	sortedOf    = 60  // of the nearest are sorted by something else: what is cheapest would hardly be meant
	maxWorded   = 60  // with the words in their names are compared
)

// A candidate is a product with its scores by text and by picture, nil if it lacks that
// vector or was not compared with it.
type candidate struct {
	*catalog.Product
	scores [2]*float64 // in the order of modalities
	exact  int         // position among the products that the request names exactly, from 1; 0 means none

	variants *Variants // set when it is shown
}

// score returns the weighted mean of c's scores. A missing score does not count.
func (c candidate) score(w Weights) float64 {
	sum, weights := 0.0, 0.0
	for i, weight := range [2]float64{w.Text, w.Image} {
		if c.scores[i] != nil {
			sum, weights = sum+*c.scores[i]*weight, weights+weight
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
		if err := s.unlike(ctx); err != nil {
			return fmt.Errorf("search: %w", err)
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
	if err := p.scores(ctx, s, shown, scores); err != nil {
		return err
	}
	s.total, s.asked = total, q
	for _, hit := range page {
		s.results = append(s.results, candidate{Product: &hit.Product, scores: scores[hit.ID], exact: hit.Place})
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
	if scores, err = p.near(ctx, s, q); err == nil && len(q.Named) > 0 && s.textVector != nil {
		var named []string
		if named, err = s.shop.index.Worded(ctx, q.Filter, q.Named, maxWorded); err == nil {
			err = p.scores(ctx, s, named, scores)
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

// A scored has the scores of products by their IDs, in the order of modalities.
type scored map[string][2]*float64

// near returns the scores of the products nearest to each vector: of as many as suffice for the page,
// and where these do not meet the conditions, of those that do.
func (p *Pipeline) near(ctx context.Context, s *state, q index.Query) (scored, error) {
	n, last := nearest, s.offset+s.limit
	switch {
	case last > nearestEnd || s.expect != nil:
		n = catalog.MaxNearest
	case (s.pictured && q.Filter.Empty() || len(q.Exact) > 0) && len(q.Preferred) == 0 && 2*last <= lookalikes:
		n = lookalikes
	}
	near, err := p.nearestOf(ctx, s, n)
	if err != nil || !s.cut || q.Filter.Empty() {
		return near, err
	}
	meeting, err := s.shop.index.Meets(ctx, q.Filter, sortedKeys(near)...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if len(meeting) >= s.offset+s.limit {
		return near, nil
	}
	ids, total, err := s.shop.index.IDs(ctx, q.Filter, readByID)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if total > readByID {
		return p.nearestOf(ctx, s, catalog.MaxNearest)
	}
	s.cut = false
	return near, p.scores(ctx, s, ids, near)
}

// nearestOf returns the scores of the n products nearest to each vector, in the one category that is
// wanted, if it is one.
func (p *Pipeline) nearestOf(ctx context.Context, s *state, n int) (scored, error) {
	var lists [2][]catalog.Match
	group, within := errgroup.WithContext(ctx)
	for i, by := range s.modalities() {
		if by.vector == nil {
			continue
		}
		group.Go(func() (err error) {
			lists[i], err = p.Catalog.NearestBy(within, catalog.VectorQuery{
				Shop: s.Shop, Space: p.Space.ID(), Field: by.field, Vector: by.vector, Category: s.category(), Limit: n,
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	near := scored{}
	s.cut = false
	for i, list := range lists {
		s.cut = s.cut || len(list) == n && !(s.floored() && list[n-1].Score < p.Space.SearchFloor)
		for _, m := range list {
			near.set(m.ID, i, m.Score)
		}
	}
	if s.floored() && len(lists[0]) > 0 && lists[0][0].Score < p.Space.SearchFloor {
		s.nearest = lists[0][0].ID
	}
	if len(lists[0])*len(lists[1]) == 0 {
		return near, nil
	}
	// A product in one list has another score, too: it is read of those that might come first.
	ids := sortedKeys(near)
	slices.SortStableFunc(ids, func(a, b string) int {
		return cmp.Compare(candidate{scores: near[b]}.score(s.weights), candidate{scores: near[a]}.score(s.weights))
	})
	return near, p.scores(ctx, s, ids[:min(len(ids), nearest)], near)
}

func (of scored) set(id string, i int, score float64) {
	scores := of[id]
	score = rounded(score)
	scores[i] = &score
	of[id] = scores
}

// A modality is one way to compare products.
type modality struct {
	field  string
	vector []float32
}

// modalities returns text and picture, in this order.
func (s *state) modalities() [2]modality {
	return [2]modality{{catalog.SearchVector, s.textVector}, {catalog.ImageVector, s.imageVector}}
}

// scores adds the missing scores of products by their IDs: it reads their vectors.
func (p *Pipeline) scores(ctx context.Context, s *state, ids []string, of scored) error {
	for i, by := range s.modalities() {
		missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return of[id][i] != nil })
		if by.vector == nil || len(missing) == 0 {
			continue
		}
		scores, err := p.Catalog.Scores(ctx, missing, p.Space.ID(), by.field, by.vector)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		for id, score := range scores {
			of.set(id, i, score)
		}
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

// ranked returns products that were compared, best first: those that reach the floor, and if they are
// sorted by something else, the first of them.
func (s *state) ranked(of scored) (near []index.Near) {
	for id, scores := range of {
		if !s.floored() || scores[0] != nil && *scores[0] >= rounded(s.pipeline.Space.SearchFloor) {
			near = append(near, index.Near{ID: id, Score: candidate{scores: scores}.score(s.weights)})
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

// unlike says that the shop has nothing like the words, and suggests the category of what is
// nearest.
func (s *state) unlike(ctx context.Context) error {
	if s.nearest == "" || slices.Contains(s.warnings, WarnNoModel) { // what only code has read is no verdict
		return nil
	}
	s.warn(WarnNotSold)
	found, err := s.shop.index.ByIDs(ctx, s.Shop, s.nearest)
	for _, product := range found {
		for _, value := range product.ValuesOf(categoryFacet) {
			if code, ok := s.shop.vocabulary.Exact(categoryFacet, value); ok && s.nearestCategory == "" {
				s.nearestCategory = s.label(categoryFacet, code)
			}
		}
	}
	return err
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
