package answers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// KindIntent is the classification of a shop's search query: a schema with wanted and intent.
const KindIntent gemini.Kind = "intent"

// asking is the responder of intent_classifier. It understands queries by the labels of
// samples.MeaningOf. Of any other query it knows no more than the hint that stands beside it,
// and of one without a hint that it looks for products. Only a perfect model knows the labels
// of unknown words.
type asking struct{ perfect bool }

func (asking) Kinds(r *gemini.Request) []gemini.Kind {
	if asksFor(r, "wanted") && asksFor(r, "intent") {
		return []gemini.Kind{KindIntent}
	}
	return nil
}

// understood is the answer of KindIntent, members in the order of the wire.
type understood struct {
	Lang      string      `json:"lang"`
	Wanted    []statement `json:"wanted"`
	Unwanted  []statement `json:"unwanted"`
	Preferred []statement `json:"preferred"`
	Ranges    []bounds    `json:"ranges"`
	Products  []string    `json:"products"`
	Compared  []statement `json:"compared"`
	About     []string    `json:"about"`
	Face      string      `json:"face"`
	Skin      string      `json:"skin"`
	Meant     string      `json:"meant"`
	InStock   bool        `json:"in_stock"`
	Sort      string      `json:"sort"`
	Counted   string      `json:"counted"`
	Intent    string      `json:"intent"`
}

type statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

type bounds struct {
	Facet string  `json:"facet"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Unit  string  `json:"unit"`
}

func (a asking) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	query, hint := "", ""
	for _, text := range r.Texts {
		if body, ok := strings.CutPrefix(text, "query:\n"); ok {
			query = body
		}
		if body, ok := strings.CutPrefix(text, "hint:\n"); ok {
			hint = body
		}
	}
	m, known := samples.MeaningOf(query)
	if known && (m.Group != samples.UnknownWords || a.perfect) {
		return gemini.Answer{JSON: understoodAs(m)}, nil
	}
	u := understoodAs(samples.Meaning{})
	if hint != "" {
		if err := json.Unmarshal([]byte(hint), &u); err != nil {
			return gemini.Answer{}, fmt.Errorf("answers: the hint of a query: %w", err)
		}
	}
	return gemini.Answer{JSON: u}, nil
}

// understoodAs returns the answer of a label.
func understoodAs(m samples.Meaning) understood {
	u := understood{
		Lang: m.Lang, Wanted: statements(m.Want, m.Unsaid), Unwanted: statements(m.Not, nil), Preferred: statements(m.Prefer, nil), Ranges: []bounds{},
		Products: slices.Concat([]string{}, m.SKUs, m.Products), Compared: statements(m.Compared, nil), About: append([]string{}, m.About...), Face: cmp.Or(m.Person["face"], "none"), Skin: cmp.Or(m.Person["skin"], "none"),
		Meant: m.Meant, InStock: m.InStock, Sort: cmp.Or(m.Sort, "relevance"), Counted: cmp.Or(m.Counted, "none"), Intent: cmp.Or(m.Intent, "search_product"),
	}
	if m.Price.Min > 0 || m.Price.Max > 0 {
		u.Ranges = append(u.Ranges, bounds{"price", m.Price.Min, m.Price.Max, m.Price.Currency})
	}
	for _, facet := range slices.Sorted(maps.Keys(m.Ranges)) {
		u.Ranges = append(u.Ranges, bounds{Facet: facet, Min: m.Ranges[facet][0], Max: m.Ranges[facet][1]})
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
