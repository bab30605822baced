package search

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/number"

	"example.com/whatis/internal/catalog"
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
	s.route.named = s.route.named || len(s.these) > 0
	return nil
}

// extract decides which attributes products must have, and describes them in one sentence.
func (p *Pipeline) extract(_ context.Context, s *state) error {
	s.said = s.want
	s.want.is = maps.Clone(s.want.is)
	s.want.words = slices.DeleteFunc(slices.Clone(s.want.words), func(text string) bool { return !s.shop.vocabulary.Says(queryLanguages(), text) })
	s.advise()
	if s.intent == MaterialQuestion {
		s.facts = s.factsAsked()
		s.showFacts()
		s.route.searches = s.want.says()
	}
	if s.route.named && (len(s.these) > 0 || len(s.understanding.Products) > 0) {
		s.want.inStock = false // single articles are told of, also as sold out
	}
	s.want = s.want.under(s.choice)
	s.withoutForeignPrice()
	s.normalizedQuery = s.described("vi", true)
	return nil
}

// described returns the wanted attributes in a language: with sentence, as "(category)
// (gender) (brand) màu …, khung …, kiểu dáng …", the way shops of the domain write them.
func (s *state) described(lang string, sentence bool) string {
	var head, tail []string
	for _, f := range s.shop.vocabulary.Facets {
		said := s.either(f.Name, lang)
		switch {
		case said == "":
		case f.Sentence == "" || !sentence:
			head = append(head, said)
		default:
			tail = append(tail, f.Sentence+" "+said)
		}
	}
	if !sentence {
		return strings.Join(head, ", ")
	}
	return strings.TrimSpace(strings.Join(head, " ") + " " + strings.Join(tail, ", "))
}

// wanted describes all that is wanted in the language of the answer.
func (s *state) wanted() string {
	said := []string{s.described(s.lang, s.lang == "vi")}
	for _, r := range append(boundsOf(s.want.prices...), s.want.ranges...) {
		if text := s.boundsText(r); text != "" {
			said = append(said, text)
		}
	}
	for _, not := range s.want.not {
		said = append(said, s.text("not", s.label(not.Facet, not.Code)))
	}
	if s.want.inStock {
		said = append(said, s.text("in_stock"))
	}
	switch s.want.sort {
	case PriceUp:
		said = append(said, s.text("cheapest_first"))
	case PriceDown:
		said = append(said, s.text("dearest_first"))
	case Newest:
		said = append(said, s.text("newest_first"))
	}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ", ")
}

// boundsText describes bounds in the language of the answer.
func (s *state) boundsText(r Bounds) string {
	amount := func(n float64) string { return catalog.Price{Amount: n, Currency: r.Unit}.Text(printer(s.lang)) }
	if r.Facet != priceFacet {
		amount = func(n float64) string {
			return strings.TrimSpace(printer(s.lang).Sprint(number.Decimal(n, number.NoSeparator(), number.MaxFractionDigits(9))) + " " + r.Unit)
		}
	}
	switch {
	case r.Min != 0 && r.Max != 0:
		return s.text("between", amount(r.Min), amount(r.Max))
	case r.Min != 0:
		return s.text("from", amount(r.Min))
	case r.Max != 0:
		return s.text("up_to", amount(r.Max))
	}
	return ""
}

// either returns the accepted values of a facet in that language, "" if all are accepted.
func (s *state) either(name, lang string) string {
	var labels []string
	for _, code := range s.want.is[name] {
		labels = append(labels, s.shop.vocabulary.Label(name, code, lang))
	}
	return strings.Join(labels, languageOf(lang).Or)
}

// label returns the name of a code in the language of the answer.
func (s *state) label(of, code string) string { return s.shop.vocabulary.Label(of, code, s.lang) }

// attributes returns the wanted attributes in the form of the answer.
func (s *state) attributes() Attributes {
	a := Attributes{Not: s.want.not, Ranges: s.want.ranges, InStock: s.want.inStock}
	if s.want.sort != ByRelevance {
		a.Sort = s.want.sort
	}
	fields := map[string]*string{
		categoryFacet: &a.Category, "gender": &a.Gender, query.Brand: &a.Brand, "color": &a.Color, "frameMaterial": &a.FrameMaterial, shapeFacet: &a.FrameShape,
	}
	for name, codes := range s.want.is {
		if field := fields[name]; field != nil {
			*field = codes[0]
		} else {
			if a.More == nil {
				a.More = map[string]string{}
			}
			a.More[name] = codes[0]
		}
	}
	for _, name := range sortedKeys(s.want.is) {
		for _, code := range s.want.is[name][1:] {
			a.Or = append(a.Or, Exclusion{Facet: name, Code: code})
		}
	}
	for _, p := range s.want.preferred {
		if p.Facet == query.Brand {
			a.PreferredBrands = append(a.PreferredBrands, p.Code)
		} else {
			a.Preferred = append(a.Preferred, p)
		}
	}
	if len(s.want.prices) == 1 {
		a.Price = &s.want.prices[0]
	} else {
		a.Ranges = append(boundsOf(s.want.prices...), a.Ranges...)
	}
	return a
}
