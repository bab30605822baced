package search

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// Bounds of what is read where the nearest products do not suffice.
const (
	pageOfRare  = 300  // products in a query
	enoughRare  = 300  // that meet all conditions are ranked
	maxRareRead = 3000 // products are read for one search
	spare       = 1.5  // times as many as should suffice are looked at
)

// expected returns about how many products meet conditions, and among how many of the nearest
// enough of them should be: as if each value were as frequent beside any other. Unless the
// shop is counted, and there are conditions on facets, there is no end of them.
func (s *state) expected(conditions []condition) (meeting float64, among int) {
	all := max(s.stocked(categoryFacet, nil), s.stocked(query.Brand, nil))
	conditions = slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool { return c.facet == "" })
	if all == 0 || len(conditions) == 0 {
		return math.Inf(1), s.need()
	}
	meeting, share := all, 1.0
	for _, c := range conditions {
		of := min(s.stocked(c.facet, c.codes)/all, 1)
		if meeting *= of; c.facet != categoryFacet || s.category(conditions) == "" {
			share *= of // Firestore compares one category alone
		}
	}
	return meeting, int(min(float64(s.need())/share*spare, catalog.MaxNearest))
}

// stocked returns how many products for sale have values of a facet: those with codes, all if
// these are nil; 0 if the shop is not counted.
func (s *state) stocked(facet string, codes []string) (n float64) {
	for _, v := range s.shop.vocabulary.Facet(facet).Values {
		if codes == nil || slices.Contains(codes, v.Code) {
			n += float64(v.Count)
		}
	}
	return n
}

// rare returns products that meet the conditions, among all of the shop, beside those that
// are near: Firestore finds them by their values, and they are ranked here. It reads pages until
// they are most products; the search is exhausted if these are all.
func (p *Pipeline) rare(ctx context.Context, s *state, conditions []condition, near []candidate, most int) ([]candidate, error) {
	q := p.filterQuery(s, conditions)
	if !q.Selects() && (s.query != "" || s.pictured) {
		return near, nil
	}
	for _, by := range s.modalities() {
		if by.vector != nil {
			q.Vectors = append(q.Vectors, by.field)
		}
	}
	q.Compared = s.compared("")
	q.Compared.Names = true // few beside a vector
	return p.readRare(ctx, s, q, conditions, near, most)
}

// readRare reads the pages of q, at most so many products.
func (p *Pipeline) readRare(ctx context.Context, s *state, q catalog.FilterQuery, conditions []condition, found []candidate, most int) ([]candidate, error) {
	seen := map[string]bool{}
	for _, id := range s.except {
		seen[id] = true
	}
	for _, c := range found {
		seen[c.ID] = true
	}
	q.Limit = pageOfRare
	enough := enoughRare
	if s.need() > enough { // the same for each page from here on
		enough = MaxDepth
	}
	floored := s.floored(conditions)
	for read := 0; read < most; read += pageOfRare {
		if listed := s.grouped(found); len(listed) >= enough && s.available(listed) >= s.need() {
			break
		}
		page, err := p.Catalog.Filtered(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		for _, product := range page {
			if _, fails := failed(conditions, product); fails || seen[product.ID] {
				continue
			}
			if c := s.scored(product, q.Vectors); !floored || c.scores[0] != nil && *c.scores[0] >= p.Space.SearchFloor {
				found = append(found, c)
			}
		}
		if s.exhausted = len(page) < q.Limit; s.exhausted {
			break
		}
		q.After = page[len(page)-1].ID
	}
	return found, nil
}

// scored returns a product with the scores of the vectors that were read; those of others are
// bounds, until they are read.
func (s *state) scored(product catalog.Product, read []string) candidate {
	c := candidate{}
	for i, by := range s.modalities() {
		if score, ok := product.Score(by.field, by.vector); ok {
			score = rounded(score)
			c.scores[i] = &score
		} else {
			c.bound[i] = by.vector != nil && !slices.Contains(read, by.field)
		}
	}
	product = product.WithoutVectors()
	c.Product = &product
	return c
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
		of.want.is = map[string][]string{}
		for facet, codes := range s.want.is {
			of.want.is[facet] = codes
		}
		of.want.is[side.Facet], of.limit, of.exhausted = []string{side.Code}, each, true
		found, err := p.matching(ctx, &of)
		if err == nil {
			found, err = p.completed(ctx, &of, found)
		}
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(c candidate) bool { // it is of another side, too
			return slices.ContainsFunc(s.results, func(other candidate) bool { return other.ID == c.ID })
		})
		of.order(found)
		s.exhausted = s.exhausted && of.exhausted
		s.results = append(s.results, found[:min(len(found), each)]...)
	}
	return p.whole(ctx, s)
}
