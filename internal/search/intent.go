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

// An Understanding is the model's reading of a query: its attributes, and which of the nine
// intents is meant. It is validated before use.
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

// A Statement is what a query says about a facet.
type Statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

// facetLines describes a vocabulary's codes to the model.
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

// Warnings of a search that continued without one of its parts.
const (
	WarnNoModel         = "intent_by_code"           // the model did not answer; the query was read by code only
	WarnNoText          = "text_search_failed"       // the words could not be embedded; the search is by the picture only
	WarnNoImage         = "image_search_failed"      // the picture could not be embedded; the search is by the words only
	WarnNoImageSpace    = "image_search_unavailable" // the embedding model does not support pictures
	WarnIrrelevantImage = "irrelevant_image"         // the picture shows nothing that the shop sells
	WarnNotExact        = "not_exact"                // no product has that name; the nearest are shown
)

// Warnings lists these codes. A result may also have those of package gemini.
var Warnings = []string{WarnNoModel, WarnNoText, WarnNoImage, WarnNoImageSpace, WarnIrrelevantImage, WarnNotExact}

// classify asks the model what the query means. If it does not answer, the search continues
// with what code has read.
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

// settle decides the intent by code: an unsupported intent is a search, and so is an
// unknown one if the query names attributes.
func (s *state) settle() {
	_, known := routes[s.intent]
	says := len(s.understanding.Wanted) > 0 || len(s.want.Is)+len(s.want.Not)+len(s.want.Preferred) > 0 || !s.want.Price.Empty() || s.picture != nil || s.like != nil
	if !known || s.intent == UnknownIntent && says {
		s.intent = SearchProduct
	}
}

// merge adds the model's reading to that of code. For words in the vocabulary, prices and
// unwanted attributes the reading of code is kept; the model adds what is described or
// misspelt.
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
	for name := range s.Filters { // chosen filters take precedence over the query
		delete(s.want.Is, name)
	}
	if s.want.Price.Empty() {
		s.want.Price = u.price()
	}
}

// price returns the range that the model read, if it is valid.
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

// codes returns the codes for statements about facets. Those without a code are ignored and
// recorded.
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

// code returns the code for a value of a facet, from the vocabulary or the shop's brands.
func (p *Pipeline) code(s *state, name, value string) (code string, ok bool) {
	if name == query.Brand {
		of, ok := s.shop.words.Code(value)
		return of.Code, ok
	}
	return p.Vocabulary.Code(name, value)
}
