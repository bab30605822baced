package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/catalog"
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
	stats, err := p.countBy(ctx, s, s.shop.vocabulary.Facet(s.counted()), 0)
	return Answer{Stats: &stats}, err
}

// countBy counts the products that meet all conditions, and of these, whatever is said of a
// facet, those with each of its values. Nothing has a value that the shop does not know. If more
// than most products would be read, it returns errManyRead; 0 is no bound.
func (p *Pipeline) countBy(ctx context.Context, s *state, by query.Facet, most int) (Stats, error) {
	stats := Stats{Facet: by.Name, Counts: make([]FacetCount, len(by.Values))}
	conditions := s.conditions()
	others := slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool { return c.facet == by.Name })
	asked, into := [][]condition{conditions}, []*int64{&stats.Total}
	for i, v := range by.Values {
		stats.Counts[i] = FacetCount{Code: v.Code, Label: v.Name(s.lang)}
		if len(v.Keys) > 0 || !s.shop.counted {
			asked, into = append(asked, append(slices.Clone(others), s.onFacet(by.Name, []string{v.Code}))), append(into, &stats.Counts[i].Count)
		}
	}
	counting, err := p.counting(ctx, s, others, asked, most)
	if err != nil {
		return Stats{}, err
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(countsAtOnce)
	for i, conditions := range asked {
		group.Go(func() (err error) {
			*into[i], err = counting.count(within, conditions)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Stats{}, fmt.Errorf("search: %w", err)
	}
	slices.SortStableFunc(stats.Counts, func(a, b FacetCount) int { return cmp.Compare(b.Count, a.Count) })
	return stats, nil
}

// countsAtOnce is how many counts run concurrently.
const countsAtOnce = 10

// A counting counts products by several conditions. What Firestore cannot count is read once.
type counting struct {
	pipeline *Pipeline
	of       state         // without unwanted values
	unwanted []catalog.Key // which are subtracted
	read     []catalog.Product
	all      bool // all that may be counted was read
}

// counting returns one for all that is asked, of which each has these conditions: it reads the
// products at the ends of the prices, or all, if alternatives are more than Firestore takes. What
// was read for another facet under the same conditions is not read again.
func (p *Pipeline) counting(ctx context.Context, s *state, conditions []condition, asked [][]condition, most int) (c *counting, err error) {
	c = &counting{pipeline: p, of: *s, all: len(s.want.missing) > 0}
	if c.all {
		return c, nil
	}
	for _, not := range s.want.not {
		for _, key := range s.keys(not.Facet, []string{not.Code}) {
			c.unwanted = append(c.unwanted, catalog.Key{Facet: not.Facet, Value: key})
		}
	}
	c.of.want.not = nil
	q, read := p.filterQuery(&c.of, conditions), p.Catalog.Edges
	if slices.ContainsFunc(asked, func(conditions []condition) bool { return !c.without(conditions).Countable() }) {
		c.all, read = true, p.selected
	}
	q.Limit = most
	key, known := fmt.Sprint(c.all, q), false
	if c.read, known = s.read[key]; !known {
		if c.read, err = read(ctx, q); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if s.read == nil {
			s.read = map[string][]catalog.Product{}
		}
		s.read[key] = c.read
	}
	if most > 0 && len(c.read) > most {
		return nil, errManyRead
	}
	return c, nil
}

// errManyRead is the error if counting would read too many products.
var errManyRead = errors.New("search: too many products would be read for a count")

// selected returns all products of q. Reading ends at more than q.Limit, unless that is 0.
func (p *Pipeline) selected(ctx context.Context, q catalog.FilterQuery) (all []catalog.Product, err error) {
	most := q.Limit
	for q.Limit = pageOfRare; ; {
		page, err := p.Catalog.Filtered(ctx, q)
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) < q.Limit || most > 0 && len(all) > most {
			return all, nil
		}
		q.After = page[len(page)-1].ID
	}
}

// count returns how many products meet conditions: those that were read and do, and of the
// others all but the unwanted values, less those that have one of these.
func (c *counting) count(ctx context.Context, conditions []condition) (n int64, err error) {
	if slices.ContainsFunc(conditions, func(one condition) bool { return one.facet != "" && len(one.keys) == 0 }) {
		return 0, nil // bounds of a number that no value is within
	}
	for _, product := range c.read {
		if _, fails := failed(conditions, product); !fails {
			n++
		}
	}
	if c.all {
		return n, nil
	}
	selected, err := c.pipeline.Catalog.CountFiltered(ctx, c.pipeline.filterQuery(&c.of, conditions))
	if err != nil || len(c.unwanted) == 0 {
		return n + selected, err
	}
	without, err := c.pipeline.Catalog.CountFiltered(ctx, c.without(conditions))
	return n + selected - without, err
}

// without returns the query for those that meet conditions, and have an unwanted value.
func (c *counting) without(conditions []condition) catalog.FilterQuery {
	q := c.pipeline.filterQuery(&c.of, conditions)
	if len(c.unwanted) > 0 {
		q.Any = append(q.Any, c.unwanted)
	}
	return q
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
