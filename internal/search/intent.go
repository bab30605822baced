package search

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/prompt"
)

//go:embed intent.md
var intentText string

// An Understanding is what the model makes of a query: what it says, and what of the
// nine things is meant. Nothing of it is believed before code has looked at it.
type Understanding struct {
	Wanted          []Statement `json:"wanted" maxItems:"20"`
	Unwanted        []Statement `json:"unwanted" maxItems:"20"`
	PreferredBrands []string    `json:"preferred_brands" maxItems:"10"`
	Products        []string    `json:"products" maxItems:"10"`
	MinPrice        float64     `json:"min_price"`
	MaxPrice        float64     `json:"max_price"`
	Currency        string      `json:"currency"`
	Counted         string      `json:"counted"`
	Intent          Intent      `json:"intent"`
}

// A Statement is a facet and what is said of it.
type Statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

// mostStatements is how many of a list count.
const mostStatements = 20

// tidy cuts what is too long. No answer that fits the schema is refused: what makes no
// sense is passed over where it is read.
func (u *Understanding) tidy() error {
	u.Wanted, u.Unwanted = u.Wanted[:min(len(u.Wanted), mostStatements)], u.Unwanted[:min(len(u.Unwanted), mostStatements)]
	u.Products = u.Products[:min(len(u.Products), maxNames)]
	u.PreferredBrands = u.PreferredBrands[:min(len(u.PreferredBrands), mostStatements)]
	return nil
}

// facetLines are the codes of a vocabulary as the model is told them.
func (v *Vocabulary) facetLines() string {
	var b strings.Builder
	for _, f := range v.Facets {
		fmt.Fprintf(&b, "- %s:", f.Name)
		for i, value := range f.Values {
			fmt.Fprintf(&b, "%s %s (%s; %s)", map[bool]string{true: ","}[i > 0], value.Code, value.En, value.Vi)
		}
		b.WriteString("\n")
	}
	b.WriteString("- brand")
	return b.String()
}

// What is told of a search that went on without a part of it.
const (
	WarnNoModel         = "intent_by_code"           // the model did not answer: code alone read the query
	WarnNoText          = "text_search_failed"       // the words could not be embedded: the picture alone counts
	WarnNoImage         = "image_search_failed"      // the picture could not be embedded: the words alone count
	WarnNoImageSpace    = "image_search_unavailable" // the embedding model takes no pictures
	WarnIrrelevantImage = "irrelevant_image"         // the picture shows nothing that is sold here
	WarnNotExact        = "not_exact"                // no product is called so: what is nearest is shown
)

// classify asks the model what the words of s mean. Without an answer the search goes
// on with what code reads.
func (p *Pipeline) classify(ctx context.Context, s *state) error {
	s.want = p.Vocabulary.read(s.query, s.shop.words)
	if s.lang = cmp.Or(s.Lang, s.want.lang); s.query == "" {
		s.intent = SearchProduct
		return nil
	}
	answer, err := p.intents.Ask(ctx, prompt.Call{
		Key: "intent", Values: prompt.Values{"domain": p.Vocabulary.Domain, "facets": p.facets},
		Parts: []gemini.Part{gemini.Text("query:\n" + s.query)},
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		slog.WarnContext(ctx, "search: the query is read without a model", "error", err)
		s.warn(WarnNoModel)
	}
	s.understanding, s.intent = answer.Value, answer.Value.Intent
	return nil
}

// settle is what is meant, by code: an intent that there is not is a search, and so is
// one that is unknown of a query which says what products must be.
func (s *state) settle() {
	_, known := routes[s.intent]
	says := len(s.understanding.Wanted) > 0 || len(s.want.is)+len(s.want.not)+len(s.want.preferred) > 0 || !s.want.price.Empty() || s.picture != nil || s.like != nil
	if !known || s.intent == UnknownIntent && says {
		s.intent = SearchProduct
	}
}

// merge adds what the model says to what code has read. What stands in the query in the
// words of the vocabulary stays as code has read it, and so do its price and what is
// unwanted; the model says what is only described, or misspelt.
func (p *Pipeline) merge(ctx context.Context, s *state) error {
	u := s.understanding
	for _, said := range u.Unwanted {
		if code, ok, err := p.code(ctx, s, said); err != nil {
			return err
		} else if ok && !slices.Contains(s.want.not, Exclusion{said.Facet, code}) {
			s.want.not = append(s.want.not, Exclusion{said.Facet, code})
			s.want.drop(Exclusion{said.Facet, code})
		}
	}
	said := map[string][]string{}
	for _, w := range u.Wanted {
		code, ok, err := p.code(ctx, s, w)
		if err != nil {
			return err
		}
		unwanted := slices.Contains(s.want.not, Exclusion{w.Facet, code}) || slices.Contains(s.want.preferred, code)
		if ok && !unwanted && !slices.Contains(said[w.Facet], code) {
			said[w.Facet] = append(said[w.Facet], code)
		}
	}
	for facet, codes := range said {
		if len(s.want.is[facet]) == 0 || s.want.guessed[facet] {
			s.want.is[facet] = codes
		}
	}
	for facet := range s.Filters { // what a person has chosen outranks the query
		delete(s.want.is, facet)
	}
	for _, brand := range u.PreferredBrands {
		code, ok, err := p.code(ctx, s, Statement{brandFacet, brand})
		if err != nil {
			return err
		}
		if ok && !slices.Contains(s.want.preferred, code) {
			s.want.preferred = append(s.want.preferred, code)
		}
	}
	if s.want.price.Empty() {
		s.want.price = u.price()
	}
	return nil
}

// price is the range that the model read, if it makes sense.
func (u Understanding) price() PriceRange {
	r := PriceRange{Min: u.MinPrice, Max: u.MaxPrice, Currency: strings.ToUpper(u.Currency)}
	if len(r.Currency) != 3 {
		r.Currency = ""
	}
	if (&r).check() != nil {
		return PriceRange{}
	}
	return r
}

// code is the code of what is said of a facet. What has none is ignored, and noted.
func (p *Pipeline) code(ctx context.Context, s *state, said Statement) (code string, ok bool, err error) {
	if said.Facet == brandFacet {
		code, ok, err = p.brand(ctx, s, said.Value)
	} else {
		code, ok = p.Vocabulary.Code(said.Facet, said.Value)
	}
	ignored := IgnoredFilter(said)
	if !ok && err == nil && len(s.want.is[said.Facet]) == 0 && !slices.Contains(s.ignored, ignored) {
		s.ignored = append(s.ignored, ignored)
	}
	return code, ok, err
}
