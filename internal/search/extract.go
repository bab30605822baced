package search

import (
	"context"
	"strings"
)

// A route is what is done for an intent.
type route struct {
	searches bool // by vectors, and by names
	most     int  // products are shown at most, 0 is as many as are wanted
	named    bool // those that are named exactly are enough
	answer   func(*Pipeline, context.Context, *state) (Answer, error)
}

// routes are those of all intents. Products are the whole answer where there is no
// other.
var routes = map[Intent]route{
	SearchProduct:    {searches: true, answer: (*Pipeline).noAnswer},
	FilterByFeature:  {searches: true, answer: (*Pipeline).noAnswer},
	Recommendation:   {searches: true, answer: (*Pipeline).noAnswer},
	ProductDetail:    {searches: true, most: 1, named: true, answer: (*Pipeline).detailOfFirst},
	CompareProducts:  {searches: true, most: maxCompared, named: true, answer: (*Pipeline).compare},
	MaterialQuestion: {searches: true, answer: (*Pipeline).quote},
	Availability:     {searches: true, named: true, answer: (*Pipeline).availability},
	CategoryStats:    {answer: (*Pipeline).stats},
	UnknownIntent:    {answer: (*Pipeline).suggest},
}

// route settles the intent and picks its route.
func (p *Pipeline) route(_ context.Context, s *state) error {
	s.settle()
	s.route = routes[s.intent]
	return nil
}

// extract settles what products must be, and says it in one sentence.
func (p *Pipeline) extract(ctx context.Context, s *state) error {
	if err := p.merge(ctx, s); err != nil {
		return err
	}
	s.normalizedQuery = p.normalized(s)
	if s.intent == MaterialQuestion {
		s.material = p.materialOf(s)
		s.route.searches = s.material == nil || s.material.Facet != ""
	}
	return nil
}

// normalized is "(category) (gender) (brand) màu …, khung …, kiểu dáng …", the names of
// what is wanted in Vietnamese, as the shops of the domain write them.
func (p *Pipeline) normalized(s *state) string {
	var head, tail []string
	for _, f := range p.Vocabulary.Facets {
		codes := s.want.is[f.Name]
		if len(codes) == 0 {
			continue
		}
		var labels []string
		for _, code := range codes {
			labels = append(labels, p.Vocabulary.Label(f.Name, code, "vi"))
		}
		if said := strings.Join(labels, " hoặc "); f.Sentence == "" {
			head = append(head, said)
		} else {
			tail = append(tail, f.Sentence+" "+said)
		}
	}
	for _, code := range s.want.is[brandFacet] {
		head = append(head, s.label(p, brandFacet, code))
	}
	return strings.TrimSpace(strings.Join(head, " ") + " " + strings.Join(tail, ", "))
}

// label is what a code is called in the language of the answer.
func (s *state) label(p *Pipeline, facet, code string) string {
	if name := s.shop.brands[code]; facet == brandFacet && name != "" {
		return name
	}
	return p.Vocabulary.Label(facet, code, s.lang)
}

// attributes are what products must be, as the answer has it.
func (s *state) attributes() Attributes {
	a := Attributes{Not: s.want.not, PreferredBrands: s.want.preferred}
	fields := map[string]*string{
		categoryFacet: &a.Category, "gender": &a.Gender, brandFacet: &a.Brand, "color": &a.Color, "frameMaterial": &a.FrameMaterial, shapeFacet: &a.FrameShape,
	}
	for facet, codes := range s.want.is {
		if field := fields[facet]; field != nil {
			*field = codes[0]
		} else {
			if a.More == nil {
				a.More = map[string]string{}
			}
			a.More[facet] = codes[0]
		}
		for _, code := range codes[1:] {
			a.Or = append(a.Or, Exclusion{facet, code})
		}
	}
	if !s.want.price.Empty() {
		a.Price = &s.want.price
	}
	return a
}
