package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
)

// maxCompared is the largest number of products in a comparison.
const maxCompared = 4

func (p *Pipeline) detailOfFirst(_ context.Context, s *state) (Answer, error) {
	if len(s.results) == 0 {
		return Answer{}, nil
	}
	d := p.detail(s.response.Products[0], *s.results[0].Product)
	return Answer{Product: &d}, nil
}

// compare compares products: price, stock, and each facet that any of them has.
func (p *Pipeline) compare(_ context.Context, s *state) (Answer, error) {
	if len(s.results) == 0 {
		return Answer{}, nil
	}
	c := Comparison{}
	for _, r := range s.results {
		c.Products = append(c.Products, r.ID)
	}
	row := func(attribute string, value func(candidate) string) {
		r := ComparisonRow{Attribute: attribute}
		for _, one := range s.results {
			r.Values = append(r.Values, value(one))
		}
		r.Differ = len(slices.Compact(slices.Sorted(slices.Values(r.Values)))) > 1
		c.Attributes, c.Rows = append(c.Attributes, attribute), append(c.Rows, r)
	}
	row("name", func(c candidate) string { return c.ProductName })
	row("brand", func(c candidate) string { return c.Brand })
	row("price", func(c candidate) string { return c.Price.Text(printer(s.lang)) })
	row("stock", func(c candidate) string { return s.language.stock(c.Availability, c.Stock) })
	for _, f := range s.shop.vocabulary.Facets {
		values := func(c candidate) string {
			var labels []string
			for _, value := range c.ValuesOf(f.Name) {
				labels = append(labels, s.shop.name(f.Name, value, s.lang))
			}
			return strings.Join(labels, ", ")
		}
		if f.Name != query.Brand && slices.ContainsFunc(s.results, func(c candidate) bool { return values(c) != "" }) {
			row(f.Name, values)
		}
	}
	return Answer{Comparison: &c}, nil
}

// name returns the name of a product's value in a language.
func (s *shop) name(facet, value, lang string) string {
	if code, ok := s.vocabulary.Exact(facet, value); ok {
		return s.vocabulary.Label(facet, code, lang)
	}
	return value
}

// quote answers from the shop's facts.
func (p *Pipeline) quote(_ context.Context, s *state) (Answer, error) {
	all := s.quoted()
	if len(all) == 0 {
		return Answer{}, nil
	}
	return Answer{FAQ: &all[0], Facts: all[1:]}, nil
}

func (p *Pipeline) availability(_ context.Context, s *state) (Answer, error) {
	all := []Stock{}
	for _, r := range s.results {
		all = append(all, Stock{r.ID, r.ProductName, r.Availability.String(), r.Stock, r.Price})
	}
	return Answer{Availability: all}, nil
}

// stats counts the products of the shop that match the query, and those for each value of a
// facet.
func (p *Pipeline) stats(ctx context.Context, s *state) (Answer, error) {
	stats, err := p.countBy(ctx, s, s.shop.vocabulary.Facet(s.counted()))
	s.total = int(stats.Total)
	return Answer{Stats: &stats}, err
}

// countBy counts the products that meet all conditions, and of these, whatever is said of a
// facet, those with each of its values. Beside words they are those that the words have found. Nothing
// has a value that the shop does not know.
func (p *Pipeline) countBy(ctx context.Context, s *state, by query.Facet) (Stats, error) {
	stats := Stats{Facet: by.Name, Counts: make([]FacetCount, len(by.Values))}
	q := s.asked
	if q.Limit == 0 { // nothing was searched for
		q = index.Query{All: true, Once: s.shop.variants}
	}
	conditions := s.conditions()
	q.Filter = s.filter(conditions)
	total, _, err := s.shop.index.Count(ctx, q, "")
	if err != nil {
		return Stats{}, fmt.Errorf("search: %w", err)
	}
	q.Filter = s.filter(slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool { return c.facet == by.Name }))
	_, counts, err := s.shop.index.Count(ctx, q, by.Name)
	if err != nil {
		return Stats{}, fmt.Errorf("search: %w", err)
	}
	known := len(s.want.missing) == 0
	if known {
		stats.Total = int64(total)
	}
	for i, v := range by.Values {
		stats.Counts[i] = FacetCount{Code: v.Code, Label: v.Name(s.lang)}
		for _, key := range v.Keys {
			if known {
				stats.Counts[i].Count += int64(counts[key])
			}
		}
	}
	slices.SortStableFunc(stats.Counts, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
	return stats, nil
}

// counted returns the facet by which a question counts: the one that the model read, or
// that the words name, or one of whose values is wanted, or the first.
func (s *state) counted() string {
	v := s.shop.vocabulary
	if s.understanding.Counted != "" && v.Facet(s.understanding.Counted).Name != "" {
		return s.understanding.Counted
	}
	names := query.Phrases{}
	for _, f := range v.Facets {
		for _, text := range append([]string{f.Name, f.En, f.Vi, f.Ko}, f.Also...) {
			names.Add(text, query.Code{Facet: f.Name})
		}
	}
	if of, ok := names.In(s.query); ok {
		return of.Facet
	}
	for _, f := range v.Facets {
		if len(s.want.is[f.Name]) > 0 {
			return f.Name
		}
	}
	return v.Facets[0].Name
}

// suggest returns suggestions for questions: values that most of the shop's products have,
// together with what is sold.
func (p *Pipeline) suggest(_ context.Context, s *state) (Answer, error) {
	v, asked := s.shop.vocabulary, []string{}
	goods := s.shop.goods(s.lang)
	for _, f := range slices.Backward(v.Facets) {
		top := slices.SortedStableFunc(slices.Values(f.Values), func(a, b query.Value) int { return cmp.Compare(b.Count, a.Count) })
		if f.Name == categoryFacet || f.Name == query.Brand || f.Number || len(top) == 0 || len(asked) == 2 {
			continue
		}
		said := strings.ToLower(top[0].Name(s.lang)) + " " + goods
		if s.lang == "vi" {
			said = strings.TrimSpace(goods + " " + strings.TrimSpace(f.Sentence+" "+strings.ToLower(top[0].Name(s.lang))))
		}
		asked = append(asked, said)
	}
	return Answer{Suggestions: append(asked, s.text("how_many", goods))}, nil
}

// goods returns what the shop sells, in a language.
func (s *shop) goods(lang string) string {
	for _, of := range []string{lang, "en"} {
		if names := s.vocabulary.Goods[of]; len(names) > 0 {
			return names[0]
		}
	}
	return strings.ToLower(s.vocabulary.Domain)
}
