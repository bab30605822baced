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
	Unwanted  []statement `json:"unwanted,omitempty"`
	Preferred []statement `json:"preferred,omitempty"`
	Ranges    []bounds    `json:"ranges,omitempty"`
	Products  []string    `json:"products,omitempty"`
	Shown     []int       `json:"shown,omitempty"`
	Reference string      `json:"reference,omitempty"`
	Compared  []statement `json:"compared,omitempty"`
	About     []string    `json:"about,omitempty"`
	Face      string      `json:"face,omitempty"`
	Skin      string      `json:"skin,omitempty"`
	Meant     string      `json:"meant,omitempty"`
	InStock   bool        `json:"in_stock,omitempty"`
	Sort      string      `json:"sort,omitempty"`
	Counted   string      `json:"counted,omitempty"`
	Intent    string      `json:"intent"`
}

type statement struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

type bounds struct {
	Facet string  `json:"facet"`
	Min   float64 `json:"min,omitempty"`
	Max   float64 `json:"max,omitempty"`
	Unit  string  `json:"unit,omitempty"`
}

func (a asking) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	query, hint, before := "", "", ""
	for _, text := range r.Texts {
		if body, ok := strings.CutPrefix(text, "query:\n"); ok {
			query = body
		}
		if body, ok := strings.CutPrefix(text, "hint:\n"); ok {
			hint = body
		}
		if body, ok := strings.CutPrefix(text, "before:\n"); ok {
			before = body
		}
	}
	m, known := samples.MeaningOf(query)
	switch {
	case known && len(m.After) > 0 && before != "":
		u, err := following(m, before)
		return gemini.Answer{JSON: u}, err
	case known && len(m.After) == 0 && (m.Group != samples.UnknownWords || a.perfect):
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
		Products: slices.Concat([]string{}, m.SKUs, m.Products), Shown: append([]int{}, m.Shown...), Reference: m.Reference,
		Compared: statements(m.Compared, nil), About: append([]string{}, m.About...), Face: m.Person["face"], Skin: m.Person["skin"],
		Meant: m.Meant, InStock: m.InStock, Sort: m.Sort, Counted: m.Counted, Intent: cmp.Or(m.Intent, "search_product"),
	}
	if m.Price.Min > 0 || m.Price.Max > 0 {
		u.Ranges = append(u.Ranges, bounds{"price", m.Price.Min, m.Price.Max, m.Price.Currency})
	}
	for _, facet := range slices.Sorted(maps.Keys(m.Ranges)) {
		u.Ranges = append(u.Ranges, bounds{Facet: facet, Min: m.Ranges[facet][0], Max: m.Ranges[facet][1]})
	}
	return u
}

// following returns the answer of the label of a query that speaks of what was before: what
// was wanted and shown stands beside the query.
func following(m samples.Meaning, before string) (understood, error) {
	var b struct {
		Wanted understood `json:"wanted"`
		Shown  []string   `json:"shown"`
	}
	if err := json.Unmarshal([]byte(before), &b); err != nil {
		return understood{}, fmt.Errorf("answers: what was before a query: %w", err)
	}
	u := understoodAs(m)
	if m.Keep {
		u.Reference = cmp.Or(m.Reference, "same")
		for _, one := range b.Wanted.Wanted {
			if m.Want[one.Facet] == "" && m.Not[one.Facet] != one.Value {
				u.Wanted = append(u.Wanted, one)
			}
		}
		u.Unwanted, u.Preferred = append(u.Unwanted, b.Wanted.Unwanted...), append(u.Preferred, b.Wanted.Preferred...)
		if other := m.Reference == "cheaper" || m.Reference == "dearer"; !other && m.Price.Min == 0 && m.Price.Max == 0 { // a new bound takes the place of the old
			u.Ranges = append(u.Ranges, b.Wanted.Ranges...)
		}
		u.InStock, u.Meant = u.InStock || b.Wanted.InStock, strings.TrimSpace(b.Wanted.Meant+" "+u.Meant)
	}
	for _, facet := range m.NotShown {
		for part := range strings.SplitSeq(b.Shown[max(0, slices.Max(append(m.Shown, 1))-1)], "; ") {
			if value, ok := strings.CutPrefix(part, facet+" "); ok {
				u.Unwanted = append(u.Unwanted, statement{facet, value})
			}
		}
	}
	return u, nil
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
