package search

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search/query"
)

// wanted is what is asked for, in codes of the shop's vocabulary: by words, and over them by choice.
type wanted struct {
	is        map[string][]string // facet → codes, any of which is accepted
	not       []Exclusion
	preferred []Exclusion
	prices    []PriceRange // any of which is accepted, at most one a currency
	ranges    []Bounds     // of facets with numbers
	compared  []Exclusion
	person    map[string]string // query.Face and query.Skin → the code of an advice
	words     []string          // that are searched by their meaning
	inStock   bool
	sort      Sort
	missing   []string // facets of which only values are wanted that the shop does not know
	chosen    choice
}

// A choice is what a person has chosen beside the words of a request: it is never dropped.
type choice struct {
	facets  map[string][]string // codes by facet
	price   PriceRange
	inStock bool
	sort    Sort
}

// under returns w with a choice over it: of a facet that is chosen, and of prices, nothing counts that
// the words say otherwise.
func (w wanted) under(c choice) wanted {
	other := func(facet string) bool { return len(c.facets[facet]) > 0 }
	without := func(all []Exclusion) []Exclusion {
		return slices.DeleteFunc(slices.Clone(all), func(e Exclusion) bool { return other(e.Facet) })
	}
	w.is = maps.Clone(w.is)
	maps.DeleteFunc(w.is, func(facet string, _ []string) bool { return other(facet) })
	w.not, w.preferred, w.compared = without(w.not), without(w.preferred), without(w.compared)
	w.ranges = slices.DeleteFunc(slices.Clone(w.ranges), func(r Bounds) bool { return other(r.Facet) })
	w.missing = slices.DeleteFunc(slices.Clone(w.missing), other)
	w.prices = slices.DeleteFunc(slices.Clone(w.prices), func(r PriceRange) bool {
		_, both := r.And(c.price)
		return !both
	})
	w.chosen, w.inStock, w.sort = c, w.inStock || c.inStock, cmp.Or(c.sort, w.sort)
	return w
}

// says reports whether anything of products is asked for.
func (w wanted) says() bool {
	return len(w.is)+len(w.not)+len(w.preferred)+len(w.ranges)+len(w.compared)+len(w.person) > 0 || len(w.prices) > 0 || w.inStock || w.sort != "" && w.sort != ByRelevance
}

// byCode returns what code has read.
func byCode(r query.Reading) wanted {
	w := wanted{is: r.Is, not: r.Not, preferred: r.Preferred, person: r.Person, words: r.Rest}
	if !r.Price.Empty() {
		w.prices = []PriceRange{r.Price}
	}
	return w
}

// byModel returns what the model has read, all of it. Values that the shop does not have, by
// name or by meaning, are ignored, recorded, and searched by as words.
func (p *Pipeline) byModel(ctx context.Context, s *state, u Understanding) (wanted, error) {
	w := wanted{is: map[string][]string{}, person: map[string]string{}, inStock: u.InStock, sort: cmp.Or(u.Sort, ByRelevance)}
	w.not = p.codes(ctx, s, u.Unwanted, nil)
	w.preferred = p.codes(ctx, s, u.Preferred, &w)
	w.compared = p.codes(ctx, s, u.Compared, &w)
	for _, code := range p.codes(ctx, s, u.Wanted, &w) {
		w.is[code.Facet] = append(w.is[code.Facet], code.Code)
	}
	for _, one := range u.Wanted {
		if len(w.is[one.Facet]) == 0 && slices.Contains(s.ignored, IgnoredFilter(one)) {
			w.missing = append(w.missing, one.Facet)
		}
	}
	for of, code := range map[string]string{query.Face: u.Face, query.Skin: u.Skin} {
		if a, ok := s.shop.vocabulary.Advised(of, code); ok {
			w.person[of] = a.Code
		}
	}
	for _, r := range u.Ranges {
		s.bound(&w, r)
	}
	if u.Meant != "" {
		w.words = append(w.words, u.Meant)
	}
	if len(w.words) == 0 {
		w.words = append(w.words, u.Products...)
	}
	return w, ctx.Err()
}

// bound adds bounds to w. Those that are no range are ignored, and recorded.
func (s *state) bound(w *wanted, r Bounds) {
	of := query.PriceRange{Min: r.Min, Max: r.Max, Currency: strings.ToUpper(r.Unit)}
	if len(of.Currency) != 3 {
		of.Currency = ""
	}
	switch facet := s.shop.vocabulary.Facet(r.Facet); {
	case of.Min == 0 && of.Max == 0:
	case r.Facet == priceFacet && checkPrice(&of) == nil:
		of = s.inDollars(of)
		w.prices = append(slices.DeleteFunc(w.prices, func(r PriceRange) bool { return r.Currency == of.Currency || r.Currency == "" || of.Currency == "" }), of)
	case r.Facet == priceFacet || !facet.Number || r.Min != 0 && r.Max != 0 && r.Min > r.Max:
		s.ignore(r.Facet, rangeText(r.Min, r.Max, r.Unit))
	default:
		times := facet.Times(r.Unit)
		r.Min, r.Max, r.Unit = r.Min*times, r.Max*times, facet.Unit
		w.ranges = append(w.ranges, r)
	}
}

// codes returns the codes for statements about facets. Those without a code are ignored and
// recorded, and are words of w, unless it is nil.
func (p *Pipeline) codes(ctx context.Context, s *state, said []Statement, w *wanted) (all []Exclusion) {
	for _, one := range said {
		code, ok := p.code(ctx, s, one)
		switch {
		case ok && !slices.Contains(all, code):
			all = append(all, code)
		case !ok:
			if s.ignore(one.Facet, one.Value); w != nil {
				w.words = append(w.words, one.Value)
			}
		}
	}
	return all
}

// code returns the code for a value of a facet, by its words or by what it means. The names
// of brands, and numbers, mean nothing.
func (p *Pipeline) code(ctx context.Context, s *state, said Statement) (Exclusion, bool) {
	facet := s.shop.vocabulary.Facet(said.Facet)
	code, ok := s.shop.vocabulary.Code(said.Facet, said.Value)
	if !ok && facet.Name != "" && facet.Name != query.Brand && !facet.Number {
		code, ok = p.meaning(ctx, facet, said.Value)
	}
	return Exclusion{Facet: said.Facet, Code: code}, ok
}

// mostMeant is how many values of a facet are compared by meaning: as many as are embedded
// in one call.
const mostMeant = 90

// meaning returns the code of the value whose names mean the same as a text, if one is as
// close as candidates of the embedding model must be.
func (p *Pipeline) meaning(ctx context.Context, facet query.Facet, text string) (code string, ok bool) {
	names := map[string]bool{text: true}
	for _, v := range facet.Values[:min(len(facet.Values), mostMeant)] {
		names[v.En] = true
	}
	vectors, err := p.vectors(ctx, p.Space.Prefix, sortedKeys(names)...)
	if err != nil {
		slog.WarnContext(ctx, "search: a value is not compared by meaning", "facet", facet.Name, "error", err)
		return "", false
	}
	best := p.Space.Accept
	for _, v := range facet.Values[:min(len(facet.Values), mostMeant)] { // of equals the first
		if score := dot(vectors[text], vectors[v.En]); score > best || score == best && !ok {
			best, code, ok = score, v.Code, true
		}
	}
	return code, ok
}

// vectors returns the vectors of texts with a prefix of the embedding model. They are cached.
func (p *Pipeline) vectors(ctx context.Context, prefix string, texts ...string) (map[string][]float32, error) {
	vectors, missing := map[string][]float32{}, []string{}
	for _, text := range texts {
		if v, ok := p.queries.GetIfPresent(prefix + "\n" + text); ok {
			vectors[text] = v
		} else {
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return vectors, nil
	}
	made, err := p.Gemini.Embed(ctx, gemini.EmbedRequest{Model: p.Space.Model, Prefix: prefix, Texts: missing})
	if err != nil {
		return nil, err
	}
	for i, text := range missing {
		vectors[text] = made[i]
		p.queries.Set(prefix+"\n"+text, made[i])
	}
	return vectors, nil
}

// ignore records a value that is not searched by.
func (s *state) ignore(facet, value string) {
	if ignored := (IgnoredFilter{facet, value}); !slices.Contains(s.ignored, ignored) {
		s.ignored = append(s.ignored, ignored)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
