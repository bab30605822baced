package index

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// Values are some of a facet, folded.
type Values struct {
	Facet string
	Keys  []string
}

// A Filter says what products must be.
type Filter struct {
	Any     []Values        // of each, a product has one
	None    []Values        // of these it has none
	Prices  [][]money.Range // of each list, its price is in one
	InStock bool
	Except  []string // IDs of others
}

// Empty reports whether f selects all products.
func (f Filter) Empty() bool {
	return len(f.Any)+len(f.None)+len(f.Prices)+len(f.Except) == 0 && !f.InStock
}

// And returns the filter for what both select.
func (f Filter) And(o Filter) Filter {
	return Filter{slices.Concat(f.Any, o.Any), slices.Concat(f.None, o.None), slices.Concat(f.Prices, o.Prices), f.InStock || o.InStock, slices.Concat(f.Except, o.Except)}
}

// A Near is a product that is like the request, by its ID, and how much.
type Near struct {
	ID    string
	Score float64
	Among bool // of the nearest: preferred ones of these come first
}

// An Order is how products are ordered.
type Order string

// The orders. Products come in that of their scores where none is named, and those of equal rank by
// their names, SKUs and IDs.
const (
	Cheapest Order = "price"
	Dearest  Order = "price_down"
	Newest   Order = "newest"
)

// A Query selects products and orders them: those that are named exactly, then of those in stock those
// in whose names the words stand, then those that are preferred, then all others; what is sold out is last.
type Query struct {
	Filter
	// Words are tokens, all of which stand in a product, or Named are, in its name, brand and SKU; Near are
	// products that may lack them. None of these selects if All is set: they order then.
	Words []string
	Named []string
	Near  []Near
	All   bool
	// Exact are IDs of products that are found whatever else is asked for, in their order.
	Exact     []string
	Preferred []Values
	Order     Order
	// Currencies are those of the prices, which come one after the other in an order by price.
	Currencies []string
	SoldOut    bool // what is sold out is not last
	Once       bool // of the variants of a product the first alone
	Offset     int
	Limit      int
}

// A Hit is a product that was found.
type Hit struct {
	catalog.Product
	Worded bool // what is Named stands in its name, brand or SKU
	Place  int  // among the Exact ones, from 1; 0 if it is none
}

// unnamed is more than the number of products that are named exactly.
const unnamed = 1000

// Find returns a page of the products of a query, and how many there are in all.
func (x *Index) Find(ctx context.Context, shop string, q Query) (page []Hit, total int, err error) {
	b := &builder{}
	from, order, args := b.hits(q)
	b.add(" select h.total, h.of, h.worded, h.place, p.shown from (select *, count(*) over () as total from "+from+" order by "+order+" limit ? offset ?) h join products p on p.id = h.id order by "+order, append(append(slices.Clone(args), q.Limit, q.Offset), args...)...)
	err = x.each(ctx, func(scan func(...any) error) error {
		var hit Hit
		var id string
		var row []byte
		if err := scan(&total, &id, &hit.Worded, &hit.Place, &row); err != nil {
			return err
		}
		if hit.Place++; hit.Place > unnamed {
			hit.Place = 0
		}
		var s shown
		err := json.Unmarshal(row, &s)
		hit.Product = s.product(shop, id)
		page = append(page, hit)
		return err
	}, b.sql.String(), b.args...)
	return page, total, err
}

// Rank returns the place of a product among those of a query, from 1; 0 if it is none of them.
func (x *Index) Rank(ctx context.Context, q Query, id string) (rank int, err error) {
	b := &builder{}
	from, order, args := b.hits(q)
	b.add(" select n from (select of, row_number() over (order by "+order+") as n from "+from+") where of = ?", append(slices.Clone(args), id)...)
	err = x.each(ctx, func(scan func(...any) error) error { return scan(&rank) }, b.sql.String(), b.args...)
	return rank, err
}

// hits begins a query with the tables that a Query finds, and returns from which of them, and in which order, with its arguments.
func (b *builder) hits(q Query) (from, order string, args []any) {
	order, args = q.order()
	b.add("with near(id, score, among) as materialized (select p.id, n.value->>1, n.value->>2 from json_each(?) n cross join products p on p.doc = n.value->>0), ", nearRows(q.Near))
	b.add("exact(id, place) as materialized (select p.id, e.key from json_each(?) e cross join products p on p.doc = e.value), ", jsonOf(q.Exact))
	b.add("hits as (select p.id, p.variant, ifnull(exact.place, ?) as place, p.sold_out and not ? as last, ", unnamed, q.SoldOut)
	b.add("p.id in (select rowid from words where words match ?) as worded, ", match("names", q.Named))
	b.add("p.id in (select product from has where val in (")
	b.values(q.Preferred)
	b.add(")) and ifnull(near.among, ?) as liked, ", q.All && len(q.Near) == 0)
	b.add("near.score, p.currency as money, p.price as amount, p.created as age, p.name as called, p.sku as code, p.doc as of from products p left join near on near.id = p.id left join exact on exact.id = p.id where p.id in (select p.id from products p where ")
	b.filter(q.Filter)
	b.found(q)
	b.add(" union all select id from exact))")
	from = "hits"
	if q.Once {
		b.add(", firsts as (select *, row_number() over (partition by variant order by "+order+") as nth from hits)", args...)
		from = "firsts where nth = 1"
	}
	return from, order, args
}

// order returns the terms by which hits are ordered, and their arguments.
func (q Query) order() (terms string, args []any) {
	all := []string{"place", "last", "worded desc", "liked desc"}
	switch q.Order {
	case Cheapest, Dearest:
		all = append(all, "ifnull((select key from json_each(?) where value = money), 1000)", "amount"+map[Order]string{Dearest: " desc"}[q.Order])
		args = append(args, jsonOf(q.Currencies))
	case Newest:
		all = append(all, "age desc")
	}
	if q.Order != "" { // what has no price is ordered by its age
		all = append(all, "iif(amount = 0, -age, 0)")
	}
	return strings.Join(append(all, "score desc nulls last", "called", "code", "of"), ", "), args
}

// Count returns how many products a filter and words select, all if there are no words, and beside them
// those of near; and how many of them have each value of a facet, by its folded value.
func (x *Index) Count(ctx context.Context, q Query, facet string) (total int, counts map[string]int, err error) {
	b := &builder{}
	b.add("with near(id) as materialized (select p.id from json_each(?) n cross join products p on p.doc = n.value->>0), hits(id, variant) as materialized (select p.id, p.variant from products p where ", nearRows(q.Near))
	b.filter(q.Filter)
	b.found(q)
	n := map[bool]string{false: "count(*)", true: "count(distinct variant)"}[q.Once]
	b.add(") select '', "+n+" from hits union all select v.key, "+n+" from hits join has on has.product = hits.id join vals v on v.id = has.val where v.facet = ? group by v.id", facet)
	counts = map[string]int{}
	err = x.each(ctx, func(scan func(...any) error) error {
		var key string
		var n int
		if err := scan(&key, &n); err != nil {
			return err
		}
		if key == "" {
			total = n
		} else {
			counts[key] = n
		}
		return nil
	}, b.sql.String(), b.args...)
	return total, counts, err
}

// Worded returns the IDs of the products that a filter selects in whose name, brand or SKU all words stand.
func (x *Index) Worded(ctx context.Context, f Filter, words []string, most int) (ids []string, err error) {
	b := &builder{}
	b.add("select p.doc from products p where p.id in (select rowid from words where words match ?) and ", match("names", words))
	b.filter(f)
	b.add(" order by p.sold_out, p.name limit ?", most)
	err = x.each(ctx, func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, b.sql.String(), b.args...)
	return ids, err
}

// ByIDs returns products by their IDs. Missing ones are left out.
func (x *Index) ByIDs(ctx context.Context, shop string, ids ...string) ([]catalog.Product, error) {
	return x.products(ctx, shop, "select doc, shown from products where doc in (select value from json_each(?))", jsonOf(ids))
}

// Ranked returns the products in which all words stand together, or any of them, best first by their frequencies (bm25),
// words of a name counting more. Their scores are in no relation to others.
func (x *Index) Ranked(ctx context.Context, f Filter, words []string, together bool, most int) (all []Near, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	join := map[bool]string{true: " AND ", false: " OR "}[together]
	b := &builder{}
	b.add("select p.doc, -bm25(words, 4.0, 1.0) from words join products p on p.id = words.rowid where words match ? and ", strings.Join(quoted(words), join))
	b.filter(f)
	b.add(" order by bm25(words, 4.0, 1.0) limit ?", most)
	err = x.each(ctx, func(scan func(...any) error) error {
		var n Near
		err := scan(&n.ID, &n.Score)
		all = append(all, n)
		return err
	}, b.sql.String(), b.args...)
	return all, err
}

// Named returns the products with one of some names (ignoring case, spaces and punctuation), SKUs or
// GTINs, at most 50 for each.
func (x *Index) Named(ctx context.Context, shop string, names, gtins []string) ([]catalog.Product, error) {
	var keys []string
	for _, name := range names {
		if key := textfold.Name(name); key != "" {
			keys = append(keys, key)
		}
	}
	return x.products(ctx, shop, `select doc, shown from (
		select doc, shown, row_number() over (partition by key order by doc) as nth from (
			select name_key as key, doc, shown from products where name_key in (select value from json_each(?1))
			union select sku_key, doc, shown from products where sku_key in (select value from json_each(?1))
			union select gtin, doc, shown from products where gtin != '' and gtin in (select value from json_each(?2))))
		where nth <= 50 group by doc`, jsonOf(keys), jsonOf(gtins))
}

// Variants returns the variants of products, by their IDs, with these products, at most so many of each.
func (x *Index) Variants(ctx context.Context, shop string, most int, ids ...string) ([]catalog.Product, error) {
	return x.products(ctx, shop, `select doc, shown from (
		select doc, shown, row_number() over (partition by variant order by sku, doc) as nth from products
		where variant in (select variant from products where doc in (select value from json_each(?)))) where nth <= ?`, jsonOf(ids), most)
}

func (x *Index) products(ctx context.Context, shop, query string, args ...any) (all []catalog.Product, err error) {
	err = x.each(ctx, func(scan func(...any) error) error {
		var id string
		var row []byte
		if err := scan(&id, &row); err != nil {
			return err
		}
		var s shown
		err := json.Unmarshal(row, &s)
		all = append(all, s.product(shop, id))
		return err
	}, query, args...)
	return all, err
}

// A builder builds a query with its arguments.
type builder struct {
	sql  strings.Builder
	args []any
}

func (b *builder) add(text string, args ...any) {
	b.sql.WriteString(text)
	b.args = append(b.args, args...)
}

// found adds the condition on p that a query finds it, by its words or as one that is near.
func (b *builder) found(q Query) {
	if !q.All {
		b.add(" and p.id in (select id from near union all select rowid from words where words match ?)", match("{names texts}", q.Words)+" OR "+match("names", q.Named))
	}
}

// filter adds the conditions of a filter on p.
func (b *builder) filter(f Filter) {
	b.add("true")
	for _, any := range f.Any {
		b.add(" and p.id in (select product from has where val in (")
		b.values([]Values{any})
		b.add("))")
	}
	if len(f.None) > 0 {
		b.add(" and p.id not in (select product from has where val in (")
		b.values(f.None)
		b.add("))")
	}
	for _, ranges := range f.Prices {
		b.add(" and p.price > 0 and (false")
		for _, r := range ranges {
			b.add(" or p.price >= ? and (? = 0 or p.price <= ?) and (? = '' or p.currency = ?)", r.Min, r.Max, r.Max, r.Currency, r.Currency)
		}
		b.add(")")
	}
	if f.InStock {
		b.add(" and p.in_stock")
	}
	if len(f.Except) > 0 {
		b.add(" and p.doc not in (select value from json_each(?))", jsonOf(f.Except))
	}
}

// values adds the query for the numbers of values.
func (b *builder) values(all []Values) {
	b.add("select id from vals where false")
	for _, of := range all {
		b.add(" or facet = ? and key in (select value from json_each(?))", of.Facet, jsonOf(of.Keys))
	}
}

// match returns the query of FTS5 for rows in which all tokens stand, in some columns; one that no row
// meets, if there are none.
func match(columns string, tokens []string) string {
	if len(tokens) == 0 {
		tokens = []string{"\x01"} // no token has a letter of control
	}
	return columns + " : (" + strings.Join(quoted(tokens), " AND ") + ")"
}

func quoted(tokens []string) []string {
	all := slices.Clone(tokens)
	for i, token := range all {
		all[i] = `"` + strings.ReplaceAll(token, `"`, "") + `"`
	}
	return all
}

func nearRows(all []Near) string {
	rows := make([][3]any, len(all))
	for i, n := range all {
		rows[i] = [3]any{n.ID, n.Score, n.Among}
	}
	return jsonOf(rows)
}

// jsonOf returns values as an array of JSON: an argument of SQL.
func jsonOf[V any](all []V) string {
	if len(all) == 0 {
		return "[]"
	}
	data, _ := json.Marshal(all) // cannot fail: the values are texts and finite numbers
	return string(data)
}
