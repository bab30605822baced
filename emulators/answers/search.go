package answers

import (
	"context"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// KindIntent is the classification of a shop's search query: a schema with wanted and intent.
const KindIntent gemini.Kind = "intent"

// asking is the responder of intent_classifier. It understands queries by the labels of
// samples.MeaningOf; any other query is a search for products, without facets. Only a
// perfect model knows the labels of unknown words.
type asking struct{ perfect bool }

func (asking) Kinds(r *gemini.Request) []gemini.Kind {
	if asksFor(r, "wanted") && asksFor(r, "intent") {
		return []gemini.Kind{KindIntent}
	}
	return nil
}

// understood is the answer of KindIntent, members in the order of the wire.
type understood struct {
	Wanted          []statement `json:"wanted"`
	Unwanted        []statement `json:"unwanted"`
	PreferredBrands []string    `json:"preferred_brands"`
	Products        []string    `json:"products"`
	MinPrice        float64     `json:"min_price"`
	MaxPrice        float64     `json:"max_price"`
	Currency        string      `json:"currency"`
	Counted         string      `json:"counted"`
	Intent          string      `json:"intent"`
}

type statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

func (a asking) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	query := ""
	for _, text := range r.Texts {
		if body, ok := strings.CutPrefix(text, "query:\n"); ok {
			query = body
		}
	}
	m, known := samples.MeaningOf(query)
	if !known || m.Group == samples.UnknownWords && !a.perfect {
		m = samples.Meaning{}
	}
	return gemini.Answer{JSON: understoodAs(m)}, nil
}

// understoodAs returns the answer of a label.
func understoodAs(m samples.Meaning) understood {
	u := understood{
		Wanted: statements(m.Want, m.Unsaid), Unwanted: statements(m.Not, nil), PreferredBrands: []string{},
		Products: slices.Concat([]string{}, m.SKUs, m.Products), MinPrice: m.Price.Min, MaxPrice: m.Price.Max, Counted: m.Counted, Intent: "search_product",
	}
	if brand := m.Prefer["brand"]; brand != "" {
		u.PreferredBrands = append(u.PreferredBrands, brand)
	}
	if u.MinPrice > 0 || u.MaxPrice > 0 {
		u.Currency = "VND"
	}
	if m.Intent != "" {
		u.Intent = m.Intent
	}
	return u
}

// statements returns one statement for each facet's code, without the facets in without.
func statements(codes map[string]string, without []string) []statement {
	all := []statement{}
	for _, facet := range slices.Sorted(maps.Keys(codes)) {
		if slices.Contains(without, facet) {
			continue
		}
		for code := range strings.SplitSeq(codes[facet], "|") {
			all = append(all, statement{facet, code})
		}
	}
	return all
}
