package search

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

//go:embed intent.md
var intentText string

// An Understanding is the model's reading of a query. The facets and faces that it may name
// are those of the shop's vocabulary. Most queries say nothing of most fields: these are left out.
type Understanding struct {
	Lang      string      `json:"lang"`
	Wanted    []Statement `json:"wanted" maxItems:"20"`
	Unwanted  []Statement `json:"unwanted,omitempty" maxItems:"20"`
	Preferred []Statement `json:"preferred,omitempty" maxItems:"10"`
	Ranges    []Bounds    `json:"ranges,omitempty" maxItems:"5"`
	Products  []string    `json:"products,omitempty" maxItems:"10"`
	Shown     []int       `json:"shown,omitempty" maxItems:"12"`
	Reference Reference   `json:"reference,omitempty" enum:"none,these,like,cheaper,dearer,others,same"`
	Compared  []Statement `json:"compared,omitempty" maxItems:"4"`
	About     []string    `json:"about,omitempty" maxItems:"4"`
	Face      string      `json:"face,omitempty"`
	Skin      string      `json:"skin,omitempty"`
	Meant     string      `json:"meant,omitempty"`
	InStock   bool        `json:"in_stock,omitempty"`
	Sort      Sort        `json:"sort,omitempty" enum:"relevance,price_up,price_down,newest"`
	Counted   string      `json:"counted,omitempty"`
	Intent    Intent      `json:"intent" enum:"search_product,filter_by_feature,recommendation_request,product_detail,compare_products,faq_about_material,availability_check,product_category_stats,unknown"`
}

// A Statement is what a query says about a facet.
type Statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

// Bounds limit a number: a price, whose unit is a currency, or that of a facet. 0 is no bound.
type Bounds struct {
	Facet string  `json:"facet"`
	Min   float64 `json:"min,omitempty"`
	Max   float64 `json:"max,omitempty"`
	Unit  string  `json:"unit,omitempty"`
}

// none is the word of an enum for what a query does not say: the API refuses empty ones.
const none = "none"

// priceFacet is the facet of Bounds of prices.
const priceFacet = "price"

// mostListed is how many codes of a facet the model is told.
const mostListed = 80

// facetLines describes a vocabulary's codes to the model.
func facetLines(v *Vocabulary) string {
	var b strings.Builder
	for _, f := range v.Facets {
		fmt.Fprintf(&b, "- %s:", f.Name)
		if slices.ContainsFunc(f.Values, func(value query.Value) bool { return len(value.Keys) > 0 }) { // else it is not known what the shop has
			f.Values = slices.DeleteFunc(slices.Clone(f.Values), func(value query.Value) bool { return len(value.Keys) == 0 })
		}
		for i, value := range f.Values[:min(len(f.Values), mostListed)] {
			fmt.Fprintf(&b, "%s %s", map[bool]string{true: ","}[i > 0], value.Code)
			if value.En != value.Code || value.Vi != value.En {
				fmt.Fprintf(&b, " (%s)", strings.Join(slices.Compact(slices.DeleteFunc([]string{value.En, value.Vi}, func(s string) bool { return s == "" })), "; "))
			}
		}
		if more := len(f.Values) - mostListed; more > 0 {
			fmt.Fprintf(&b, ", and %d more", more)
		}
		if f.Number {
			b.WriteString("; numbers" + map[bool]string{true: " of " + f.Unit}[f.Unit != ""])
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// narrowed sets the words that an answer may have to those of a vocabulary.
func narrowed(s *jsonschema.Schema, v *Vocabulary, facts []Fact) {
	var facets, numbers []any
	about := []any{none}
	for _, f := range facts {
		about = append(about, f.Code)
	}
	advised := map[string][]any{query.Face: {none}, query.Skin: {none}}
	for _, f := range v.Facets {
		if facets = append(facets, f.Name); f.Number {
			numbers = append(numbers, f.Name)
		}
	}
	for _, a := range v.Advice {
		advised[a.Of] = append(advised[a.Of], a.Code)
	}
	for _, field := range []string{"wanted", "unwanted", "preferred", "compared"} {
		s.Properties[field].Items.Properties["facet"].Enum = facets
	}
	s.Properties["ranges"].Items.Properties["facet"].Enum = append([]any{priceFacet}, numbers...)
	s.Properties["about"].Items.Enum = about
	s.Properties["counted"].Enum = append([]any{none}, facets...)
	s.Properties["face"].Enum, s.Properties["skin"].Enum = advised[query.Face], advised[query.Skin]
}

// Warnings of a search that continued without one of its parts.
const (
	WarnNoModel         = "intent_by_code"           // the model did not answer; the query was read by code only
	WarnNoText          = "text_search_failed"       // the words could not be embedded; the search is by the picture only
	WarnNoImage         = "image_search_failed"      // the picture could not be embedded; the search is by the words only
	WarnNoSemantics     = "semantic_off"             // nothing could be embedded; products are found by the conditions only
	WarnNoImageSpace    = "image_search_unavailable" // the embedding model does not support pictures
	WarnIrrelevantImage = "irrelevant_image"         // the picture shows nothing that the shop sells
	WarnNotExact        = "not_exact"                // no product has that name; the nearest are shown
	WarnNotSold         = "not_sold"                 // nothing here is like what was asked for
	WarnNotKept         = "session_not_kept"         // the conversation does not know of this search
)

// Warnings lists these codes. A result may also have those of package gemini.
var Warnings = []string{WarnNoModel, WarnNoText, WarnNoImage, WarnNoSemantics, WarnNoImageSpace, WarnIrrelevantImage, WarnNotExact, WarnNotSold, WarnNotKept}

// classify reads the query. Code alone reads it where nothing can be misread; otherwise the
// model's reading is the reading, and code's takes its place only if the model fails.
func (p *Pipeline) classify(ctx context.Context, s *state) error {
	s.reading = s.shop.vocabulary.Read(s.query, queryLanguages())
	s.reading.Price = s.inDollars(s.reading.Price)
	s.speaks(s.reading.Lang)
	s.intent, s.want = SearchProduct, byCode(s.reading)
	switch {
	case s.follows() && s.After != "":
		return p.goesOn(ctx, s)
	case s.query == "" || s.reading.Plain && !s.follows() && !s.foreign(s.reading.Price): // which may be misread
		return nil
	}
	u, err := p.understand(ctx, s)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		slog.WarnContext(ctx, "search: the query is read without a model", "error", err)
		s.warn(WarnNoModel)
		s.intent = ""
		return nil
	}
	s.understanding, s.intent = u, u.Intent
	s.speaks(cmp.Or(u.Lang, s.reading.Lang))
	if s.want, err = p.byModel(ctx, s, u); err != nil {
		return err
	}
	return p.refer(ctx, s, u)
}

// speaks sets the language of the answer: that of the request, else that of the query.
func (s *state) speaks(lang string) {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	s.language = languageOf(cmp.Or(s.Lang, lang))
	s.lang = s.language.Code
}

// understand returns the model's reading of a query. Readings are cached: a repeated query,
// a suggestion and "show more" cost nothing.
func (p *Pipeline) understand(ctx context.Context, s *state) (Understanding, error) {
	before := s.before()
	key := store.HashID(s.Shop, s.shop.facets, before, textfold.Caseless(strings.Join(strings.Fields(s.query), " ")))
	if u, ok := p.readings.GetIfPresent(key); ok {
		return u, nil
	}
	hint, _ := json.Marshal(hintOf(s.reading))
	parts := []gemini.Part{gemini.Text("query:\n" + s.query), gemini.Text("hint:\n" + string(hint))}
	if before != "" {
		parts = append(parts, gemini.Text("before:\n"+before))
	}
	answer, err := s.shop.prompt.Ask(ctx, agent.Call{
		Key: "intent", Values: agent.Values{"domain": s.shop.vocabulary.Domain, "facets": s.shop.facets, "facts": factLines(s.shop.known)},
		Parts: parts,
	})
	if err == nil {
		p.readings.Set(key, answer.Value)
	}
	return answer.Value, err
}

// hintOf returns the reading of code in the form of the model's.
func hintOf(r query.Reading) Understanding {
	u := Understanding{
		Lang: r.Lang, Wanted: []Statement{}, Unwanted: statements(r.Not), Preferred: statements(r.Preferred), Ranges: boundsOf(r.Price),
		Face: r.Person[query.Face], Skin: r.Person[query.Skin], Meant: strings.Join(r.Rest, " "), Intent: SearchProduct,
	}
	for _, facet := range sortedKeys(r.Is) {
		for _, code := range r.Is[facet] {
			u.Wanted = append(u.Wanted, Statement{facet, code})
		}
	}
	return u
}

// boundsOf returns those of price ranges that have any.
func boundsOf(prices ...PriceRange) []Bounds {
	all := []Bounds{}
	for _, r := range prices {
		if !r.Empty() {
			all = append(all, Bounds{priceFacet, r.Min, r.Max, r.Currency})
		}
	}
	return all
}

func statements(codes []query.Code) []Statement {
	all := []Statement{}
	for _, c := range codes {
		all = append(all, Statement{c.Facet, c.Code})
	}
	return all
}

// settle decides what an unknown intent means: a search if the query says something of
// products.
func (s *state) settle() {
	says := s.want.says() || s.picture != nil || s.like != nil || len(s.these) > 0
	if _, known := routes[s.intent]; !known || s.intent == UnknownIntent && says {
		s.intent = SearchProduct
	}
}
