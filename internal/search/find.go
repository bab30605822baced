package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/catalog"
)

// overfetch is how many times the number of requested products each list contains, so that
// the lists overlap.
const overfetch = 3

// preferredOf is of how many of the nearest products the preferred ones come first.
const preferredOf = 150

// A candidate is a product with its scores by text and by picture, nil if it lacks that
// vector.
type candidate struct {
	*catalog.Product
	scores [2]*float64 // in the order of modalities
	bound  [2]bool     // the score is only an upper bound so far
	near   bool        // it is one of the preferredOf nearest
	exact  int         // position among the products that the request names exactly, from 1; 0 means none
	worded bool        // words of the request stand in its name, brand or SKU

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

func (c candidate) soldOut() bool { return c.Availability == catalog.OutOfStock }

// rounded returns a score rounded to four digits.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }

// find searches by both vectors, under the conditions. Soft conditions are dropped one
// after the other while nothing is found.
func (p *Pipeline) find(ctx context.Context, s *state) error {
	if !s.route.searches {
		return nil
	}
	if len(s.these) > 0 {
		for i, product := range s.these {
			s.results = append(s.results, candidate{Product: &product, exact: i + 1})
		}
		return nil
	}
	if sides := s.sides(); len(sides) > 1 {
		return p.findSides(ctx, s, sides)
	}
	found, err := p.matching(ctx, s)
	if err == nil && len(found) == 0 && len(s.exact) == 0 && s.place.Of == "" && s.next == "" {
		found, err = p.relax(ctx, s)
	}
	if err != nil {
		return err
	}
	if s.browses() {
		found, err = p.scores(ctx, s, found)
		s.results = found
	} else if found, err = p.completed(ctx, s, s.withExact(s.withWorded(found))); err == nil {
		s.order(found)
		s.show(s.grouped(found))
	}
	if err != nil {
		return err
	}
	if len(found) == 0 && s.pool.floored && s.nearest != nil {
		s.unlike()
	}
	s.tellRank(found)
	if err := p.whole(ctx, s); err != nil {
		return err
	}
	return p.addVariants(ctx, s)
}

// need is how many products have to be found, each with its variants: those up to the end of the
// page. If the nearest are sorted by something else, they are as many for each page as for the
// first.
func (s *state) need() int {
	if s.sortsNearest() {
		return cmp.Or(s.place.Nearest, s.limit)
	}
	return s.end()
}

// end is the number of the last product of the page.
func (s *state) end() int { return min(s.offset+s.limit, MaxDepth) }

// sortsNearest reports whether the nearest products are sorted by something else.
func (s *state) sortsNearest() bool { return s.want.sort != "" && s.want.sort != ByRelevance }

// show sets the products that are shown, and where further ones begin.
func (s *state) show(found []candidate) {
	s.results = found[min(len(found), s.offset):min(len(found), s.end())]
	more := len(found) > s.end() || !s.sortsNearest() && (s.pool.more || !s.exhausted)
	if more && len(found) >= s.end() && s.end() < MaxDepth {
		at := place{Seen: s.end(), Relaxed: s.relaxed}
		if s.sortsNearest() {
			at.Nearest = s.need()
		}
		s.setNext(at)
	}
}

// A pool is the products nearest to the vectors of a request, of a category or of all.
type pool struct {
	all      []candidate
	category string
	floored  bool // without what is below the floor
	n        int  // how many were asked for; 0 before any
	more     bool // there are further products
	// last is the score of the last, if one vector is compared and there are more: others may score
	// the same.
	last *float64
}

// matching returns the products that meet all conditions: those that Firestore finds by their
// values, if that should read less; else of the nearest, as many as should suffice; if too
// few of these meet them, of as many more, up to 1,000; if they are rarer than that, of all
// that Firestore finds.
func (p *Pipeline) matching(ctx context.Context, s *state) (found []candidate, err error) {
	conditions := s.conditions()
	if s.browses() {
		return p.browse(ctx, s, conditions)
	}
	meeting, among := s.expected(conditions)
	n := min(max(s.need()*overfetch, among), catalog.MaxNearest)
	few := float64(n)
	if len(s.want.preferred) > 0 { // the same for each page
		n, few = max(n, preferredOf), preferredOf
	}
	if meeting < few && meeting*spare < pageOfRare {
		s.exhausted = false
		if found, err = p.rare(ctx, s, conditions, nil, pageOfRare); err != nil || s.exhausted {
			for i := range found {
				found[i].near = true
			}
			s.pool = pool{}
			return found, err
		}
	}
	if s.expect != nil {
		n = catalog.MaxNearest
	}
	for {
		if err := p.look(ctx, s, conditions, n); err != nil {
			return nil, err
		}
		found = passing(s.pool.all, conditions)
		ahead := s.available(s.grouped(slices.DeleteFunc(slices.Clone(found), s.pool.level)))
		if s.exhausted = !s.pool.more || ahead >= s.need(); s.exhausted {
			return found, nil
		}
		if s.pool.n >= catalog.MaxNearest {
			return p.rare(ctx, s, conditions, found, maxRareRead)
		}
		n = wider(s.pool.n, ahead, s.need())
	}
}

// level reports whether products outside the pool may score the same as c.
func (of pool) level(c candidate) bool {
	return of.last != nil && (c.scores[0] == nil || *c.scores[0] <= *of.last) && (c.scores[1] == nil || *c.scores[1] <= *of.last)
}

// available returns how many of found do not come last because they are sold out: with as many as
// are needed, no product that was not read would come before these.
func (s *state) available(found []candidate) (n int) {
	for _, c := range found {
		if s.pictured || !c.soldOut() {
			n++
		}
	}
	return n
}

// look sets the pool to at least n products for conditions, if there are so many.
func (p *Pipeline) look(ctx context.Context, s *state, conditions []condition, n int) (err error) {
	category, floored := s.category(conditions), s.floored(conditions)
	if s.pool.n > 0 && s.pool.category == category && s.pool.floored == floored && (s.pool.n >= n || !s.pool.more) {
		return nil
	}
	s.pool, err = p.nearest(ctx, s, category, floored, n)
	return err
}

// wider returns how many products to look at if `passed` of the first n met all conditions:
// enough by that share, and half as many again; the largest possible number if none did.
func wider(n, passed, wanted int) int {
	if passed == 0 {
		return catalog.MaxNearest
	}
	return min(catalog.MaxNearest, max(2*n, int(float64(n*wanted/passed)*spare)))
}

// relax drops soft conditions in their order until something is found.
func (p *Pipeline) relax(ctx context.Context, s *state) (found []candidate, err error) {
	for _, given := range s.soft() {
		s.relaxed = append(s.relaxed, given.name)
		if found, err = p.matching(ctx, s); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

func passing(all []candidate, conditions []condition) (found []candidate) {
	for _, c := range all {
		if _, fails := failed(conditions, *c.Product); !fails {
			found = append(found, c)
		}
	}
	return found
}

// nearest returns the n products nearest to each vector of s, as one pool. Beyond the first
// few it reads only the fields that conditions need.
func (p *Pipeline) nearest(ctx context.Context, s *state, category string, floored bool, n int) (pool, error) {
	var lists [2][]catalog.Match
	group, within := errgroup.WithContext(ctx)
	compared := &catalog.Compared{Shown: true}
	if n > MaxLimit*overfetch {
		compared = s.compared(category)
	}
	for i, by := range s.modalities() {
		if by.vector == nil {
			continue
		}
		group.Go(func() (err error) {
			lists[i], err = p.Catalog.NearestBy(within, catalog.VectorQuery{
				Shop: s.Shop, Space: p.Space.ID(), Field: by.field, Vector: by.vector, Category: category, Limit: n, Compared: compared,
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return pool{}, fmt.Errorf("search: %w", err)
	}
	if floored {
		lists[0] = s.aboveFloor(lists[0])
	}
	of := pool{all: s.union(lists, n), category: category, floored: floored, n: n, more: len(lists[0]) == n || len(lists[1]) == n}
	if all := append(lists[0], lists[1]...); len(all) == n {
		last := rounded(all[n-1].Score)
		of.last = &last
	}
	return of, nil
}

// compared returns what the conditions, those that may be dropped and those of the sides of a
// comparison too, and the order compare of products. The category is what is suggested where nothing
// is like the words; if Firestore has narrowed by one, all products have that.
func (s *state) compared(narrowed string) *catalog.Compared {
	facets := map[string]bool{categoryFacet: true}
	for _, of := range []map[string][]string{s.want.chosen.facets, s.want.is} {
		for facet := range of {
			facets[facet] = true
		}
	}
	if narrowed != "" {
		delete(facets, categoryFacet)
	}
	for _, r := range s.want.ranges {
		facets[r.Facet] = true
	}
	for _, of := range slices.Concat(s.want.not, s.want.preferred, s.want.compared) {
		facets[of.Facet] = true
	}
	if len(s.recommended) > 0 {
		facets[shapeFacet] = true
	}
	return &catalog.Compared{
		Facets: sortedKeys(facets), Price: len(s.priced()) > 0 || s.want.sort == PriceUp || s.want.sort == PriceDown, Age: s.want.sort == Newest, Names: s.expect != nil, Variants: s.listsOnce(),
	}
}

// filled reads the missing fields of those products, by their place, that are wanted whole; nil
// wants all.
func (p *Pipeline) filled(ctx context.Context, shown []candidate, wanted func(i int) bool) error {
	var brief []string
	for i, c := range shown {
		if c.Status == "" && (wanted == nil || wanted(i)) {
			brief = append(brief, c.ID)
		}
	}
	whole, err := p.Catalog.ByIDs(ctx, brief)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	for i := range shown {
		if product, ok := whole[shown[i].ID]; ok {
			shown[i].Product = &product
		}
	}
	return nil
}

// whole reads the missing fields of the products that are shown, without those that were deleted
// meanwhile.
func (p *Pipeline) whole(ctx context.Context, s *state) error {
	err := p.filled(ctx, s.results, nil)
	s.results = slices.DeleteFunc(s.results, func(c candidate) bool { return c.ProductName == "" })
	return err
}

// union merges lists of at most n products. A product in only one list scores at most as
// high in the other as that list's last product; if the other list is complete, the product
// has no such vector.
func (s *state) union(lists [2][]catalog.Match, n int) (all []candidate) {
	at := map[string]int{}
	for i, list := range lists {
		for rank := range list {
			m := &list[rank]
			if slices.Contains(s.except, m.ID) {
				continue
			}
			if _, known := at[m.ID]; !known {
				at[m.ID] = len(all)
				all = append(all, candidate{Product: &m.Product})
			}
			score := rounded(m.Score)
			all[at[m.ID]].scores[i] = &score
			all[at[m.ID]].near = all[at[m.ID]].near || rank < preferredOf
		}
	}
	for i, list := range lists {
		for j := range all {
			if len(list) == n && all[j].scores[i] == nil {
				all[j].scores[i], all[j].bound[i] = &list[n-1].Score, true
			}
		}
	}
	return all
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

// completed reads the exact scores of the best of found for which only bounds are known, and the
// missing fields of the page, with those that nothing but their names may put there.
func (p *Pipeline) completed(ctx context.Context, s *state, found []candidate) ([]candidate, error) {
	s.order(found)
	if _, err := p.scores(ctx, s, found[:min(len(found), s.end()*overfetch)]); err != nil {
		return nil, err
	}
	s.order(found)
	first, end := min(s.offset, len(found)), min(s.end(), len(found))
	return found, p.filled(ctx, found, func(i int) bool {
		return found[i].ProductName == "" && first < end && s.compare(found[i], found[first]) >= 0 && s.compare(found[i], found[end-1]) <= 0
	})
}

// scores reads the exact scores of products for which only bounds are known.
func (p *Pipeline) scores(ctx context.Context, s *state, best []candidate) ([]candidate, error) {
	for i, by := range s.modalities() {
		var ids []string
		for _, c := range best {
			if by.vector != nil && c.bound[i] {
				ids = append(ids, c.ID)
			}
		}
		scores, err := p.Catalog.Scores(ctx, ids, p.Space.ID(), by.field, by.vector)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		for j, c := range best {
			if !c.bound[i] {
				continue
			}
			if best[j].scores[i] = nil; by.vector != nil {
				if score, ok := scores[c.ID]; ok {
					score = rounded(score)
					best[j].scores[i] = &score
				}
			}
			best[j].bound[i] = false
		}
	}
	return best, nil
}

// order sorts exactly named products first, then those that are not sold out, and of these
// those with words of the query in their names, then preferred ones, then by the order that
// is asked for, or by score. What is like a picture is shown even if it is sold out: it may
// be what is in the picture. Equal products are sorted by name
// and SKU: IDs are hashes, which differ between vector spaces.
func (s *state) order(found []candidate) {
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(s.compare(a, b), strings.Compare(a.ProductName, b.ProductName), strings.Compare(a.SKU, b.SKU), strings.Compare(a.ID, b.ID))
	})
}

// compare compares two products by all that order compares but their names, SKUs and IDs.
func (s *state) compare(a, b candidate) int {
	place := func(c candidate) int {
		switch soldOut := !s.pictured && c.soldOut(); {
		case c.exact > 0:
			return c.exact
		case soldOut:
			return maxExact + 3
		case c.worded:
			return maxExact
		case c.near && s.prefers(*c.Product):
			return maxExact + 1
		}
		return maxExact + 2
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), s.sorted(a.Product, b.Product), cmp.Compare(b.score(s.weights), a.score(s.weights)))
}

// prefers reports whether a product has a preferred value.
func (s *state) prefers(p catalog.Product) bool {
	return slices.ContainsFunc(s.want.preferred, func(e Exclusion) bool { return s.onFacet(e.Facet, []string{e.Code}).holds(p) })
}

// sorted compares two products by the order that is asked for. Prices come one currency after the
// other, that of most products of the shop first, and products without a price last.
func (s *state) sorted(a, b *catalog.Product) int {
	part := func(price catalog.Price) int {
		if i := slices.Index(s.shop.currencies, price.Currency); i >= 0 && price.Known() {
			return i
		}
		return len(s.shop.currencies)
	}
	switch s.want.sort {
	case PriceUp, PriceDown:
		order, _ := a.Price.Compare(b.Price)
		if s.want.sort == PriceDown {
			order = -order
		}
		return cmp.Or(cmp.Compare(part(a.Price), part(b.Price)), order)
	case Newest:
		return b.CreatedAt.Compare(a.CreatedAt)
	}
	return 0
}

// maxExact is larger than the number of products that can be named exactly.
const maxExact = 1000

// tellRank sets the rank of the expected product, or the filter that removed it.
func (s *state) tellRank(found []candidate) {
	if s.expect == nil {
		return
	}
	s.rank = &Rank{ProductID: s.expect.ID, Rank: 1 + slices.IndexFunc(found, func(c candidate) bool { return c.ID == s.expect.ID })}
	if s.browses() && s.rank.Rank > 0 {
		s.rank.Rank += s.offset
	}
	if c, fails := failed(s.conditions(), *s.expect); fails && s.rank.Rank == 0 {
		s.rank.RemovedBy = c.name
	}
}
