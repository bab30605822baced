package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/money"
	"example.com/whatis/internal/search/query"
)

// A Value is a value that products have.
type Value struct {
	Name  string // as a product spells it
	Count int    // of products
}

// Held returns the values of products by facet, the most frequent first.
func (x *Index) Held(ctx context.Context) (map[string][]Value, error) {
	held := map[string][]Value{}
	err := x.each(ctx, func(scan func(...any) error) error {
		var facet string
		var v Value
		err := scan(&facet, &v.Name, &v.Count)
		held[facet] = append(held[facet], v)
		return err
	}, "select facet, name, n from (select v.facet, v.name, (select count(*) from has where val = v.id) as n from vals v) where n > 0 order by facet, n desc, name")
	return held, err
}

// Prices returns the lowest and highest price of each currency, that of most products first.
func (x *Index) Prices(ctx context.Context) (all []money.Range, err error) {
	err = x.each(ctx, func(scan func(...any) error) error {
		var r money.Range
		err := scan(&r.Currency, &r.Min, &r.Max)
		all = append(all, r)
		return err
	}, "select currency, min(price), max(price) from products where price > 0 group by currency order by count(*) desc, currency")
	return all, err
}

// A Nature is what products of a shop are like.
type Nature struct {
	Size     int  // how many there are
	Variants bool // some are variants of one
}

// Nature returns that of the products.
func (x *Index) Nature(ctx context.Context) (n Nature, err error) {
	err = x.each(ctx, func(scan func(...any) error) error { return scan(&n.Size, &n.Variants) }, `select (select count(*) from products),
		exists(select 1 from products group by variant having count(*) > 1)`)
	return n, err
}

// A Suggestion is what a product, a brand or a category is called that begins with what was typed.
type Suggestion struct {
	Text string `json:"text"`
	Kind string `json:"kind"` // product, brand or category
}

// Suggest returns names that begin with a text, or of which the words do: categories and brands, those
// of most products first, then products in stock first. The last word may be unfinished.
func (x *Index) Suggest(ctx context.Context, text string, limit int) ([]Suggestion, error) {
	tokens := Tokens(text)
	if len(tokens) == 0 {
		return nil, nil
	}
	terms := quoted(tokens)
	begun := strings.Join(terms, " AND ") + "*"
	all := []Suggestion{}
	add := func(scan func(...any) error) error {
		var s Suggestion
		if err := scan(&s.Kind, &s.Text); err != nil {
			return err
		}
		if len(all) < limit && !slices.ContainsFunc(all, func(o Suggestion) bool { return strings.EqualFold(o.Text, s.Text) }) {
			all = append(all, s)
		}
		return nil
	}
	key := strings.Join(tokens, "")
	err := x.each(ctx, add, `select facet, name from (select v.facet, v.name, (select count(*) from has where val = v.id) as n from vals v
		where facet in ('category', 'brand') and key >= ? and key < ?) where n > 0 order by facet = 'brand', n desc, name limit ?`, key, key+"\U0010ffff", limit)
	if err == nil && len(all) < limit {
		err = x.each(ctx, add, "select 'product', name from products where id in (select rowid from words where words match ?) order by sold_out, name_key < ? or name_key >= ?, name limit ?",
			"names : "+begun, key, key+"\U0010ffff", 4*limit)
	}
	return all, err
}

// Known returns those of tokens that stand in any product, or in the name, brand or SKU of any. For each that
// stands in none, but is part of words of products, or one letter from one, spelled has that word instead, of
// several the most frequent.
func (x *Index) Known(ctx context.Context, tokens []string) (known, named []string, spelled map[string]string, err error) {
	spelled = map[string]string{}
	var missing []string
	for _, token := range tokens {
		var there, names bool
		err := x.each(ctx, func(scan func(...any) error) error { return scan(&there, &names) }, "select exists(select 1 from words where words match ?), exists(select 1 from words where words match ?)",
			match("{names texts}", []string{token}), match("names", []string{token}))
		if err != nil {
			return nil, nil, nil, err
		}
		if names {
			named = append(named, token)
		}
		if there {
			known = append(known, token)
		} else if utf8.RuneCountInString(token) >= leastPart {
			missing = append(missing, token)
		}
	}
	if len(missing) == 0 {
		return known, named, spelled, nil
	}
	type found struct {
		term string
		near int // 1 if a letter differs, 2 if the token is part of the term
		n    int
	}
	best := map[string]found{}
	err = x.each(ctx, func(scan func(...any) error) error {
		var f found
		if err := scan(&f.term, &f.n); err != nil {
			return err
		}
		for _, token := range missing {
			switch {
			case utf8.RuneCountInString(token) >= leastSpelled && len(f.term) < len(token)+4 && len(token) < len(f.term)+4 && !strings.ContainsAny(token+f.term, "0123456789") && query.OneEdit(token, f.term):
				f.near = 1 // another number is another product
			case strings.Contains(f.term, token):
				f.near = 2
			default:
				continue
			}
			if before, ok := best[token]; !ok || cmp.Or(cmp.Compare(f.near, before.near), cmp.Compare(before.n, f.n), cmp.Compare(f.term, before.term)) < 0 {
				best[token] = f
			}
		}
		return nil
	}, "select term, doc from terms")
	for token, f := range best {
		spelled[token] = f.term
	}
	return known, named, spelled, err
}

// The least numbers of letters of a word of which one may be wrong, and of one that is found as part of another.
const (
	leastSpelled = 6
	leastPart    = 4
)
