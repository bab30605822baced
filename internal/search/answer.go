package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/search/query"
)

// maxCompared is the largest number of products in a comparison.
const maxCompared = 4

func (p *Pipeline) detailOfFirst(_ context.Context, s *state) (Answer, error) {
	if len(s.results) == 0 {
		return Answer{}, nil
	}
	d := p.detail(s.response.Products[0], s.results[0].Product)
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
	row("price", func(c candidate) string { return priceText(c.Price, c.Currency) })
	row("stock", func(c candidate) string { return stockText(c.Stock) })
	for _, f := range p.Vocabulary.Facets {
		if slices.ContainsFunc(s.results, func(c candidate) bool { return c.Facets[f.Name] != "" }) {
			row(f.Name, func(c candidate) string { return s.label(p, f.Name, c.Facets[f.Name]) })
		}
	}
	return Answer{Comparison: &c}, nil
}

// quote answers from the list of materials.
func (p *Pipeline) quote(_ context.Context, s *state) (Answer, error) {
	if s.material == nil {
		return Answer{}, nil
	}
	return Answer{FAQ: &FAQ{Question: s.query, Quote: in(s.lang, s.material.En, s.material.Vi), Source: s.material.source()}}, nil
}

func (p *Pipeline) availability(_ context.Context, s *state) (Answer, error) {
	all := []Stock{}
	for _, r := range s.results {
		available := "unknown"
		if r.Stock != nil {
			available = map[bool]string{true: "yes", false: "no"}[*r.Stock > 0]
		}
		all = append(all, Stock{r.ID, r.ProductName, available, r.Stock, r.Price, r.Currency})
	}
	return Answer{Availability: all}, nil
}

// stats counts, in Firestore, the products of the shop that match the query, and those for
// each code of a facet.
func (p *Pipeline) stats(ctx context.Context, s *state) (Answer, error) {
	by := p.counted(s)
	codes := p.Vocabulary.Codes(by)
	if by == query.Brand {
		codes = slices.Sorted(maps.Keys(s.shop.brands))
	}
	counts := make([]FacetCount, len(codes))
	stats := Stats{Facet: by}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(countsAtOnce)
	count := func(of map[string]string, n *int64) {
		group.Go(func() (err error) {
			*n, err = p.Catalog.Count(within, s.Shop, p.Space.ID(), of)
			return err
		})
	}
	wanted := maps.Clone(s.Filters)
	for name, codes := range s.want.Is {
		wanted[name] = codes[0]
	}
	count(maps.Clone(wanted), &stats.Total)
	for i, code := range codes {
		counts[i] = FacetCount{Code: code, Label: s.label(p, by, code)}
		wanted[by] = code
		count(maps.Clone(wanted), &counts[i].Count)
	}
	if err := group.Wait(); err != nil {
		return Answer{}, fmt.Errorf("search: %w", err)
	}
	slices.SortStableFunc(counts, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
	stats.Counts = counts
	return Answer{Stats: &stats}, nil
}

// countsAtOnce is how many counts run concurrently.
const countsAtOnce = 10

// counted returns the facet by which a question counts: the one that the model read, or
// that the words name, or one of whose values they name, or the first.
func (p *Pipeline) counted(s *state) string {
	names := query.Phrases{}
	for _, text := range []string{"brand", "brands", "hãng", "thương hiệu"} {
		names.Add(text, query.Code{Facet: query.Brand})
	}
	for _, f := range p.Vocabulary.Facets {
		for _, text := range append([]string{f.Name, f.En, f.Vi}, f.Also...) {
			names.Add(text, query.Code{Facet: f.Name})
		}
	}
	if of, ok := names.Code(s.understanding.Counted); ok {
		return of.Facet
	}
	if of, ok := names.In(s.query); ok {
		return of.Facet
	}
	for _, f := range p.Vocabulary.Facets {
		if len(s.want.Is[f.Name]) > 0 {
			return f.Name
		}
	}
	return p.Vocabulary.Facets[0].Name
}

// suggest returns suggestions for questions, based on the shop's products.
func (p *Pipeline) suggest(_ context.Context, s *state) (Answer, error) {
	label := func(i, value int) string {
		f := p.Vocabulary.Facets[i%len(p.Vocabulary.Facets)]
		v := f.Values[value%len(f.Values)]
		return strings.ToLower(in(s.lang, v.En, v.Vi))
	}
	first, second := label(0, 0), label(0, 1)
	return Answer{Suggestions: []string{
		in(s.lang, label(len(p.Vocabulary.Facets)-1, 0)+" "+first, first+" "+label(len(p.Vocabulary.Facets)-1, 0)),
		in(s.lang, label(2, 0)+" "+second+" for "+label(1, 1), second+" "+label(1, 1)+" màu "+label(2, 0)),
		in(s.lang, "how many "+first+" are there?", "có bao nhiêu "+first+"?"),
	}}, nil
}
