package search

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search/query"
)

//go:embed intent.md
var intentText string

// An Understanding is what the model makes of a query: what it says, and what of the
// nine things is meant. Nothing of it is believed before code has looked at it.
type Understanding struct {
	Wanted          []Statement `json:"wanted" maxItems:"20" jsonschema:"at most 20"`
	Unwanted        []Statement `json:"unwanted" maxItems:"20" jsonschema:"at most 20"`
	PreferredBrands []string    `json:"preferred_brands" maxItems:"10" jsonschema:"at most 10"`
	Products        []string    `json:"products" maxItems:"10" jsonschema:"at most 10"`
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

// facetLines are the codes of a vocabulary as the model is told them.
func facetLines(v *Vocabulary) string {
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

// Warnings lists them. A result may have those of package gemini besides.
var Warnings = []string{WarnNoModel, WarnNoText, WarnNoImage, WarnNoImageSpace, WarnIrrelevantImage, WarnNotExact}

// classify asks the model what the words of s mean. Without an answer the search goes
// on with what code reads.
func (p *Pipeline) classify(ctx context.Context, s *state) error {
	s.want = p.Vocabulary.Read(s.query, s.shop.words)
	if s.lang = cmp.Or(s.Lang, s.want.Lang); s.query == "" {
		s.intent = SearchProduct
		return nil
	}
	answer, err := p.intents.Ask(ctx, agent.Call{
		Key: "intent", Values: agent.Values{"domain": p.Vocabulary.Domain, "facets": p.facets},
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
	says := len(s.understanding.Wanted) > 0 || len(s.want.Is)+len(s.want.Not)+len(s.want.Preferred) > 0 || !s.want.Price.Empty() || s.picture != nil || s.like != nil
	if !known || s.intent == UnknownIntent && says {
		s.intent = SearchProduct
	}
}

// merge adds what the model says to what code has read. What stands in the query in the
// words of the vocabulary stays as code has read it, and so do its price and what is
// unwanted; the model says what is only described, or misspelt.
func (p *Pipeline) merge(s *state) {
	u := s.understanding
	for _, code := range p.codes(s, u.Unwanted) {
		if !slices.Contains(s.want.Not, code) {
			s.want.Not = append(s.want.Not, code)
			s.want.Drop(code)
		}
	}
	for _, brand := range u.PreferredBrands {
		for _, code := range p.codes(s, []Statement{{query.Brand, brand}}) {
			if !slices.Contains(s.want.Preferred, code.Code) {
				s.want.Preferred = append(s.want.Preferred, code.Code)
			}
		}
	}
	s.want.Add(slices.DeleteFunc(p.codes(s, u.Wanted), func(code Exclusion) bool {
		return slices.Contains(s.want.Not, code) || code.Facet == query.Brand && slices.Contains(s.want.Preferred, code.Code)
	}))
	for name := range s.Filters { // what a person has chosen outranks the query
		delete(s.want.Is, name)
	}
	if s.want.Price.Empty() {
		s.want.Price = u.price()
	}
}

// price is the range that the model read, if it makes sense.
func (u Understanding) price() query.PriceRange {
	r := query.PriceRange{Min: u.MinPrice, Max: u.MaxPrice, Currency: strings.ToUpper(u.Currency)}
	if len(r.Currency) != 3 {
		r.Currency = ""
	}
	if checkPrice(&r) != nil {
		return query.PriceRange{}
	}
	return r
}

// codes are those of what is said of facets. What has none is ignored, and noted.
func (p *Pipeline) codes(s *state, said []Statement) (all []Exclusion) {
	for _, one := range said {
		code, ok := p.code(s, one.Facet, one.Value)
		ignored := IgnoredFilter(one)
		switch {
		case ok:
			all = append(all, Exclusion{Facet: one.Facet, Code: code})
		case len(s.want.Is[one.Facet]) == 0 && !slices.Contains(s.ignored, ignored):
			s.ignored = append(s.ignored, ignored)
		}
	}
	return all
}

// code is the code of a value of a facet, of the vocabulary or of the shop's brands.
func (p *Pipeline) code(s *state, name, value string) (code string, ok bool) {
	if name == query.Brand {
		of, ok := s.shop.words.Code(value)
		return of.Code, ok
	}
	return p.Vocabulary.Code(name, value)
}
