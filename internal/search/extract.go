package search

import (
	"context"
	"strings"

	"example.com/whatis/internal/search/query"
)

// A route says what is done for an intent.
type route struct {
	searches bool // by vectors and by names
	most     int  // the largest number of products shown; 0 means as many as requested
	named    bool // shows only the products named exactly, if there are any
	// answer computes what the intent needs besides products; nil if nothing.
	answer func(*Pipeline, context.Context, *state) (Answer, error)
}

// routes are the routes of all intents.
var routes = map[Intent]route{
	SearchProduct:    {searches: true},
	FilterByFeature:  {searches: true},
	Recommendation:   {searches: true},
	ProductDetail:    {searches: true, most: 1, named: true, answer: (*Pipeline).detailOfFirst},
	CompareProducts:  {searches: true, most: maxCompared, named: true, answer: (*Pipeline).compare},
	MaterialQuestion: {searches: true, answer: (*Pipeline).quote},
	Availability:     {searches: true, named: true, answer: (*Pipeline).availability},
	CategoryStats:    {answer: (*Pipeline).stats},
	UnknownIntent:    {answer: (*Pipeline).suggest},
}

// route decides the intent and sets its route.
func (p *Pipeline) route(_ context.Context, s *state) error {
	s.settle()
	s.route = routes[s.intent]
	return nil
}

// extract decides which attributes products must have, and describes them in one sentence.
func (p *Pipeline) extract(_ context.Context, s *state) error {
	p.merge(s)
	s.normalizedQuery = p.normalized(s)
	if s.intent == MaterialQuestion {
		s.material = p.materialOf(s)
		s.route.searches = s.material == nil || s.material.Facet != ""
	}
	return nil
}

// normalized returns "(category) (gender) (brand) màu …, khung …, kiểu dáng …" with the
// Vietnamese names of the wanted attributes, as shops of the domain write them.
func (p *Pipeline) normalized(s *state) string {
	var head, tail []string
	for _, f := range p.Vocabulary.Facets {
		said := p.either(s, f.Name, "vi")
		switch {
		case said == "":
		case f.Sentence == "":
			head = append(head, said)
		default:
			tail = append(tail, f.Sentence+" "+said)
		}
	}
	for _, code := range s.want.Is[query.Brand] {
		head = append(head, s.label(p, query.Brand, code))
	}
	return strings.TrimSpace(strings.Join(head, " ") + " " + strings.Join(tail, ", "))
}

// wanted describes the wanted attributes in the language of the answer.
func (p *Pipeline) wanted(s *state) string {
	if s.lang == "vi" {
		return s.normalizedQuery
	}
	var said []string
	for _, f := range p.Vocabulary.Facets {
		if one := p.either(s, f.Name, s.lang); one != "" {
			said = append(said, one)
		}
	}
	for _, code := range s.want.Is[query.Brand] {
		said = append(said, s.label(p, query.Brand, code))
	}
	return strings.Join(said, ", ")
}

// either returns the accepted values of a facet in that language, "" if all are accepted.
func (p *Pipeline) either(s *state, name, lang string) string {
	var labels []string
	for _, code := range s.want.Is[name] {
		labels = append(labels, p.Vocabulary.Label(name, code, lang))
	}
	return strings.Join(labels, in(lang, " or ", " hoặc "))
}

// label returns the name of a code in the language of the answer.
func (s *state) label(p *Pipeline, of, code string) string {
	if name := s.shop.brands[code]; of == query.Brand && name != "" {
		return name
	}
	return p.Vocabulary.Label(of, code, s.lang)
}

// attributes returns the wanted attributes in the form of the answer.
func (s *state) attributes() Attributes {
	a := Attributes{Not: s.want.Not, PreferredBrands: s.want.Preferred}
	fields := map[string]*string{
		categoryFacet: &a.Category, "gender": &a.Gender, query.Brand: &a.Brand, "color": &a.Color, "frameMaterial": &a.FrameMaterial, shapeFacet: &a.FrameShape,
	}
	for name, codes := range s.want.Is {
		if field := fields[name]; field != nil {
			*field = codes[0]
		} else {
			if a.More == nil {
				a.More = map[string]string{}
			}
			a.More[name] = codes[0]
		}
		for _, code := range codes[1:] {
			a.Or = append(a.Or, Exclusion{Facet: name, Code: code})
		}
	}
	if !s.want.Price.Empty() {
		a.Price = &s.want.Price
	}
	return a
}

// in returns the text in a language: Vietnamese for vi, otherwise English.
func in(lang, en, vi string) string {
	if lang == "vi" {
		return vi
	}
	return en
}
