package search_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

// priced returns a bench with a shop that has prices in two currencies, those in dollars more often.
func priced(t *testing.T) *bench {
	b := newBench(t)
	var file strings.Builder
	for i, price := range []string{"30 USD", "20 EUR", "10 USD", "40 EUR", "25 USD"} {
		amount, currency, _ := strings.Cut(price, " ")
		fmt.Fprintf(&file, `{"product_name":"Sol %d","brand":"A","category":"sunglasses","sku":"S-%d","price":%s,"currency":%q,"key_features":["round","hiking"],"facets":{"color":"black"}}`+"\n", i, i, amount, currency)
	}
	return b.stock(b.config.Shop, []byte(file.String()))
}

func pricesOf(r search.Result) string {
	var all []string
	for _, h := range r.Products {
		all = append(all, fmt.Sprint(h.Amount, " ", h.Currency))
	}
	return strings.Join(all, ", ")
}

// Amounts of two currencies are not compared, whatever a search is by.
func TestOrderWithinACurrency(t *testing.T) {
	b := priced(t)
	const up, down = "10 USD, 25 USD, 30 USD, 20 EUR, 40 EUR", "30 USD, 25 USD, 10 USD, 40 EUR, 20 EUR"
	for _, query := range []string{"", "hiking", "sunglasses for hiking", "black sunglasses"} {
		for sort, want := range map[search.Sort]string{search.PriceUp: up, search.PriceDown: down} {
			if got := pricesOf(b.search(search.Request{Query: query, Sort: sort})); got != want {
				t.Errorf("%q by %s: %s, want %s", query, sort, got, want)
			}
		}
	}
}

// What is cheaper or dearer than products is so in their currencies.
func TestCheaperWithinACurrency(t *testing.T) {
	b := priced(t)
	for _, test := range []struct {
		shown, then string
		price       search.PriceRange
		want        string
	}{
		{"30 USD, 25 USD, 40 EUR", "cheaper", search.PriceRange{Min: 25}, "10 USD, 20 EUR"},
		{"10 USD, 20 EUR", "more expensive ones please", search.PriceRange{Max: 20}, "30 USD, 25 USD, 40 EUR"},
		{"30 USD, 25 USD", "cheaper", search.PriceRange{Min: 25, Currency: "USD"}, "10 USD"},
	} {
		first := b.search(search.Request{Query: "sunglasses for hiking", Sort: search.PriceDown, Price: &test.price, Session: search.NewSession})
		if got := pricesOf(first); got != test.shown {
			t.Fatalf("%+v shows %s, want %s", test.price, got, test.shown)
		}
		then := b.search(search.Request{Query: test.then, Sort: search.PriceDown, Session: first.Session})
		if got := pricesOf(then); got != test.want {
			t.Errorf("%s than %s: %s, want %s", test.then, test.shown, got, test.want)
		}
		again := b.search(search.Request{Session: first.Session, After: "0", Sort: search.PriceDown})
		if got := pricesOf(again); got != test.want {
			t.Errorf("%s than %s, and again: %s, want %s", test.then, test.shown, got, test.want)
		}
	}
}

// A chosen filter takes the place of all that the words say of its facet, and a chosen price that of a
// price that it excludes.
func TestFilterOverWords(t *testing.T) {
	b := eyewear(t)
	for _, test := range []struct {
		query   string
		filters map[string]search.Choices
		price   *search.PriceRange
		said    func(search.Attributes) bool
	}{
		{"sunglasses, not black", map[string]search.Choices{"color": {"black"}}, nil, func(a search.Attributes) bool { return len(a.Not) > 0 }},
		{"sunglasses in red", map[string]search.Choices{"color": {"black"}}, nil, func(a search.Attributes) bool { return a.Color != "" }},
		{"sunglasses, preferably Orvando", map[string]search.Choices{"brand": {"Lunavelle"}}, nil, func(a search.Attributes) bool { return len(a.PreferredBrands) > 0 }},
		{"sunglasses over 3 triệu", nil, &search.PriceRange{Max: 1_000_000, Currency: "VND"}, func(a search.Attributes) bool { return a.Price != nil }},
	} {
		plain := b.search(search.Request{Query: test.query})
		r := b.search(search.Request{Query: test.query, Filters: test.filters, Price: test.price})
		if !test.said(plain.ExtractedAttributes) || test.said(r.ExtractedAttributes) || r.Count == 0 || len(r.Relaxed) > 0 || r.ExtractedAttributes.Category != "sunglasses" {
			t.Errorf("%q with %v, %v: %d found, relaxed %v, read as %+v (without: %+v)", test.query, test.filters, test.price, r.Count, r.Relaxed, r.ExtractedAttributes, plain.ExtractedAttributes)
		}
	}
}
