package search

import (
	"slices"

	"example.com/whatis/internal/catalog"
)

// floored reports whether a product must be as like the words as the floor of the embedding model
// says: if nothing but likeness makes it an answer. Values of facets that are asked for or chosen
// hold whatever the vectors say, and so does what is named. A picture of something else is refused
// before, by comparison with what the shop sells.
func (s *state) floored(conditions []condition) bool {
	return len(s.want.words) > 0 && s.textVector != nil && !s.pictured &&
		!slices.ContainsFunc(conditions, func(c condition) bool { return c.facet != "" })
}

// aboveFloor returns the matches that reach the floor, and records the nearest of all if none does.
func (s *state) aboveFloor(list []catalog.Match) []catalog.Match {
	i := slices.IndexFunc(list, func(m catalog.Match) bool { return m.Score < s.pipeline.Space.SearchFloor })
	if s.nearest = nil; i < 0 {
		return list
	}
	if i == 0 {
		s.nearest = &list[0].Product
	}
	return list[:i]
}

// unlike says that the shop has nothing like the words, and suggests the category of what is
// nearest.
func (s *state) unlike() {
	s.warn(WarnNotSold)
	for _, value := range s.nearest.ValuesOf(categoryFacet) {
		if code, ok := s.shop.vocabulary.Exact(categoryFacet, value); ok {
			s.nearestCategory = s.label(categoryFacet, code)
			return
		}
	}
}
