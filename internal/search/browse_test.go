package search_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/search"
)

// A ware is a product of a shop whose pages are read to the end: several have equal prices, or
// equal times, or no price; some are sold out; and there are two currencies.
type ware struct {
	Name     string            `json:"product_name"`
	SKU      string            `json:"sku"`
	Category string            `json:"category"`
	Price    float64           `json:"price,omitempty"`
	Currency string            `json:"currency,omitempty"`
	Stock    *int              `json:"stock,omitempty"`
	Features []string          `json:"key_features"`
	Facets   map[string]string `json:"facets"`
	id       string
	created  time.Time
}

func (w ware) soldOut() bool { return w.Stock != nil && *w.Stock == 0 }

// wares returns n of them.
func wares(n int) (all []ware) {
	for i := range n {
		w := ware{Name: fmt.Sprintf("Ware %c%d", 'A'+i%26, i), SKU: fmt.Sprintf("W-%03d", i), Category: "Tents", Features: []string{"ware"}, Facets: map[string]string{"hue": []string{"red", "green", "blue"}[i%3]}}
		switch {
		case i%6 == 5: // without a price
		case i%5 == 1:
			w.Price, w.Currency = float64(20+i%4), "EUR"
		default:
			w.Price, w.Currency = float64(10*(1+i%7)), "USD"
		}
		if i%4 != 3 { // else it is not known
			stock := i % 4 % 3 // 0, 1 and 2
			if i%8 == 4 {
				stock = 5
			}
			w.Stock = &stock
		}
		w.created = time.Date(2026, 1, 1+i/9, 0, 0, 0, 0, time.UTC)
		all = append(all, w)
	}
	return all
}

// newWares returns a bench with wares in the shop "wares".
func newWares(t *testing.T, all []ware) (*bench, map[string]ware) {
	t.Helper()
	b := newBench(t)
	b.config.Shop = "wares"
	b.open()
	var lines []string
	for _, w := range all {
		line, _ := json.Marshal(w)
		lines = append(lines, string(line))
	}
	b.stock("wares", []byte(strings.Join(lines, "\n")))
	docs, err := b.FirestoreClient(t).Collection("products").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]ware{}
	for _, doc := range docs {
		sku, _ := doc.DataAt("sku")
		i := slices.IndexFunc(all, func(w ware) bool { return w.SKU == sku })
		w := all[i]
		w.id = doc.Ref.ID
		if w.created.IsZero() {
			// as it was imported
		} else if _, err := doc.Ref.Update(t.Context(), []firestore.Update{{Path: "created_at", Value: w.created}}); err != nil {
			t.Fatal(err)
		}
		known[w.id] = w
	}
	return b, known
}

// pages reads an answer to its end, and returns the IDs of its products.
func (b *bench) pages(req search.Request) (ids []string) {
	b.t.Helper()
	for page := 0; ; page++ {
		r := b.search(req)
		for _, hit := range r.Products {
			ids = append(ids, hit.ProductID)
		}
		if len(r.Products) != *req.Limit && r.Next != "" || len(r.Products) == 0 && page > 0 {
			b.t.Errorf("page %d of %+v has %d products, and next %q", page, req, len(r.Products), r.Next)
		}
		if req.After = r.Next; r.Next == "" || page > 100 {
			return ids
		}
	}
}

// The pages of an answer have each product once, in one order: what is sold out comes last of all.
func TestPages(t *testing.T) {
	b, known := newWares(t, wares(60))
	seven := 7
	any := func(ware) bool { return true }
	tests := []struct {
		name string
		req  search.Request
		is   func(ware) bool
	}{
		{"the cheapest", search.Request{Sort: search.PriceUp}, any},
		{"the dearest", search.Request{Sort: search.PriceDown}, any},
		{"the newest", search.Request{Sort: search.Newest}, any},
		{"the cheapest of a colour", search.Request{Sort: search.PriceUp, Filters: map[string]search.Choices{"hue": {"red"}}}, func(w ware) bool { return w.Facets["hue"] == "red" }},
		{"the dearest of two colours", search.Request{Sort: search.PriceDown, Filters: map[string]search.Choices{"hue": {"red|blue"}}}, func(w ware) bool { return w.Facets["hue"] != "green" }},
		{"a colour", search.Request{Filters: map[string]search.Choices{"hue": {"red"}}}, func(w ware) bool { return w.Facets["hue"] == "red" }},
		{"the cheapest in stock", search.Request{Sort: search.PriceUp, InStock: true}, func(w ware) bool { return w.Stock != nil && *w.Stock > 0 }},
		{"the dearest within a price", search.Request{Sort: search.PriceDown, Price: &search.PriceRange{Min: 20, Max: 50, Currency: "USD"}}, func(w ware) bool { return w.Currency == "USD" && w.Price >= 20 && w.Price <= 50 }},
		{"the cheapest within a price of any currency", search.Request{Sort: search.PriceUp, Price: &search.PriceRange{Min: 20}}, func(w ware) bool { return w.Price >= 20 }},
		{"the newest within a price", search.Request{Sort: search.Newest, Price: &search.PriceRange{Max: 30}}, func(w ware) bool { return w.Price > 0 && w.Price <= 30 }},
		{"words", search.Request{Query: "tents"}, any},
		{"words that are no facet", search.Request{Query: "a nice ware"}, any},
		{"words by price", search.Request{Query: "tents", Sort: search.PriceUp}, any},
	}
	for _, test := range tests {
		test.req.Limit = &seven
		got := b.pages(test.req)
		want := 0
		for _, w := range known {
			if test.is(w) {
				want++
			}
		}
		if unique := slices.Compact(slices.Sorted(slices.Values(got))); len(got) != want || len(unique) != want {
			t.Errorf("%s: %d products, %d of them once; want %d", test.name, len(got), len(unique), want)
		}
		for i, id := range got {
			w := known[id]
			if !test.is(w) {
				t.Errorf("%s: %d. %+v is not wanted", test.name, i, w)
			}
			if i == 0 {
				continue
			}
			before := known[got[i-1]]
			by := cmp.Or(test.req.Sort, search.Newest)
			if test.req.Query != "" && test.req.Sort == "" { // by relevance
				before.created = w.created
			}
			if slices.Compare(rankOf(before, by), rankOf(w, by)) > 0 {
				t.Errorf("%s: %d. %+v comes behind %+v", test.name, i, w, before)
			}
		}
	}
}

// Of many products too, of which few have a value.
func TestPagesOfRareProducts(t *testing.T) {
	all := wares(120)
	for i := range all {
		all[i].Facets["mark"] = []string{"common", "common", "common", "seldom", "rare"}[min(4, i%23/5)]
		all[i].Price *= 1 + float64(i%11)/3
	}
	b, known := newWares(t, all)
	seven := 7
	for _, sort := range []search.Sort{search.PriceUp, search.PriceDown, search.Newest, ""} {
		for _, mark := range []string{"rare", "seldom", "common"} {
			got := b.pages(search.Request{Sort: sort, Filters: map[string]search.Choices{"mark": {mark}}, Limit: &seven})
			want := 0
			for _, w := range known {
				if w.Facets["mark"] == mark {
					want++
				}
			}
			if unique := slices.Compact(slices.Sorted(slices.Values(got))); len(got) != want || len(unique) != want {
				t.Errorf("%s by %q: %d products, %d of them once; want %d", mark, sort, len(got), len(unique), want)
			}
			for i, id := range got[1:] {
				before, w := known[got[i]], known[id]
				switch rank := func(w ware) []float64 { return rankOf(w, sort) }; {
				case w.Facets["mark"] != mark:
					t.Errorf("%s by %q: %+v is not wanted", mark, sort, w)
				case slices.Compare(rank(before), rank(w)) > 0:
					t.Errorf("%s by %q: %d. %+v comes behind %+v", mark, sort, i+1, w, before)
				}
			}
		}
	}
}

// rankOf returns the numbers by which a product is sorted.
func rankOf(w ware, sort search.Sort) []float64 {
	soldOut, age := 0.0, -float64(w.created.Unix())
	if w.soldOut() {
		soldOut = 1
	}
	switch {
	case sort == search.Newest || sort == "":
		return []float64{soldOut, age}
	case w.Price == 0:
		return []float64{soldOut, 2, age}
	case sort == search.PriceDown:
		return []float64{soldOut, float64(slices.Index([]string{"USD", "EUR"}, w.Currency)), -w.Price}
	}
	return []float64{soldOut, float64(slices.Index([]string{"USD", "EUR"}, w.Currency)), w.Price}
}

// A place is of one search: with other words, filters, price or sort it is refused.
func TestPlaceOfAnotherSearch(t *testing.T) {
	b, _ := newWares(t, wares(20))
	two := 2
	first := search.Request{Sort: search.PriceUp, Filters: map[string]search.Choices{"hue": {"red|blue"}}, Limit: &two}
	next := b.search(first).Next
	if next == "" {
		t.Fatal("no next")
	}
	for name, change := range map[string]func(*search.Request){
		"sort":     func(r *search.Request) { r.Sort = search.PriceDown },
		"filter":   func(r *search.Request) { r.Filters = map[string]search.Choices{"hue": {"red"}} },
		"price":    func(r *search.Request) { r.Price = &search.PriceRange{Min: 1} },
		"in stock": func(r *search.Request) { r.InStock = true },
		"query":    func(r *search.Request) { r.Query = "tents" },
		"a number": func(r *search.Request) { r.After = "12" },
		"nonsense": func(r *search.Request) { r.After = next[:len(next)/2] },
	} {
		req := first
		req.After = next
		change(&req)
		var wrong *search.InputError
		if _, err := b.pipeline.Run(t.Context(), req, nil); !errors.As(err, &wrong) || wrong.Field != "after" || !strings.Contains(wrong.Message, "send the next") {
			t.Errorf("another %s: %v, want an error about after", name, err)
		}
	}
	five := 5
	again := first
	again.After, again.Limit = next, &five // a page may be larger than the one before
	if r := b.search(again); len(r.Products) != 5 {
		t.Errorf("a larger page has %d products, want 5", len(r.Products))
	}
}
