package search

import (
	"cmp"
	"slices"

	"example.com/whatis/internal/search/query"
)

// shapeFacet is the facet that face analyses recommend.
const shapeFacet = "frameShape"

// recommend takes over a face analysis: the shapes that it recommends, or if it recommends
// none, those that suit the face by the shop's advice. What of it is not used is said.
func (s *state) recommend() {
	for _, shape := range s.Analysis.RecommendedFrameShapes {
		code, ok := s.shop.vocabulary.Code(shapeFacet, shape)
		switch {
		case !ok:
			s.ignore("recommended_frame_shapes", shape)
		case !slices.Contains(s.recommended, code):
			s.recommended = append(s.recommended, code)
		}
	}
	// The glasses that somebody wears are no wish for others like them.
	if s.Analysis.GlassesObserved != "" {
		s.ignore("glasses_observed", "")
	}
	if s.Analysis.Summary != "" {
		s.ignore("summary", "")
	}
}

// advise sets what suits the person: by the query, else by the analysis of a face.
func (s *state) advise() {
	analysed := map[string]string{}
	if a := s.Analysis; a != nil {
		analysed[query.Face], analysed[query.Skin] = a.FaceShape, a.SkinTone
	}
	for _, of := range []string{query.Face, query.Skin} {
		said := cmp.Or(s.want.person[of], analysed[of])
		if said == "" {
			continue
		}
		a, ok := s.shop.vocabulary.Advised(of, said)
		if !ok {
			s.ignore(map[string]string{query.Face: "face_shape", query.Skin: "skin_tone"}[of], "")
			continue
		}
		if s.want.person[of] != "" { // of an analysis, nothing is repeated: answers are stored as tasks
			s.advice = append(s.advice, Advised{Of: of, Code: a.Code, Suits: a.Suits, Why: a.Why[s.lang]})
		}
		s.suit(a)
	}
}

// suit applies an advice. The shapes that suit a face are a wish, as those of an analysis;
// the colours that suit a skin are only preferred.
func (s *state) suit(a query.Advice) {
	for _, facet := range sortedKeys(a.Suits) {
		for _, code := range a.Suits[facet] {
			if _, has := s.shop.vocabulary.Value(facet, code); !has {
				continue
			}
			switch {
			case a.Of == query.Face && facet == shapeFacet && len(s.recommended) < len(a.Suits[facet]) && !s.analysed():
				s.recommended = append(s.recommended, code)
			case a.Of == query.Skin && len(s.want.is[facet]) == 0:
				s.want.preferred = append(s.want.preferred, Exclusion{Facet: facet, Code: code})
			}
		}
	}
}

// analysed reports whether an analysis recommends shapes itself.
func (s *state) analysed() bool {
	return s.Analysis != nil && len(s.Analysis.RecommendedFrameShapes) > 0 && s.want.person[query.Face] == ""
}
