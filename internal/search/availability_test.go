package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

// What a feed calls in stock is in stock, whether it counts the pieces or not, wherever stock counts:
// in filters, orders, counts, answers about stock and the words of results.
func TestAvailabilityIsAWord(t *testing.T) {
	b := newBench(t)
	var file strings.Builder
	for _, p := range []struct{ name, says, availability string }{
		{"word", `"availability":"in stock"`, "in_stock"},
		{"word and number", `"availability":"in_stock","stock":7`, "in_stock"},
		{"number", `"stock":"3"`, "in_stock"},
		{"word against number", `"availability":"https://schema.org/InStock","stock":0`, "in_stock"},
		{"out", `"availability":"out of stock"`, "out_of_stock"},
		{"zero", `"stock":0`, "out_of_stock"},
		{"out against number", `"availability":"sold_out","stock":5`, "out_of_stock"},
		{"pre", `"availability":"preorder"`, "preorder"},
		{"back", `"availability":"backorder"`, "backorder"},
		{"nobody knows", `"price":1,"currency":"USD"`, ""},
	} {
		fmt.Fprintf(&file, `{"product_name":"Sol %s","sku":%q,"key_features":["a"],"facets":{"kind":"lamp","is":%q},%s}`+"\n", p.name, p.name, p.availability, p.says)
	}
	b.stock("lamps", []byte(file.String()))
	const in, out = "Sol word; Sol word and number; Sol number; Sol word against number", "Sol out; Sol zero; Sol out against number"
	sorted := func(names []string) string { slices.Sort(names); return strings.Join(names, "; ") }
	want := sorted(strings.Split(in, "; "))
	twenty := 20
	for _, req := range []search.Request{{Sort: search.PriceUp}, {Query: "lamps like Sol"}, {Filters: map[string]search.Choices{"kind": {"lamp"}}}, {Sort: search.Newest}} {
		req.Shop, req.Limit, req.InStock, req.Counts = "lamps", &twenty, true, []string{"kind"}
		r := b.search(req)
		if got := sorted(namesOf(r)); got != want || r.Counts[0].Total != 4 {
			t.Errorf("in stock of %q %v by %q: %s, counted %d; want %s", req.Query, req.Filters, req.Sort, got, r.Counts[0].Total, want)
		}
		req.InStock = false
		r = b.search(req)
		if last := sorted(namesOf(r)[max(0, r.Count-3):]); r.Count != 10 || last != sorted(strings.Split(out, "; ")) {
			t.Errorf("all of %q %v by %q: %d, at last %s; want 10, at last %s", req.Query, req.Filters, req.Sort, r.Count, last, out)
		}
		for _, h := range r.Products {
			detail, err := b.pipeline.Product(t.Context(), "lamps", h.ProductID)
			if err != nil || string(h.Availability) != detail.Facets["is"] || (h.Availability == "in_stock") != (h.Stock != nil && *h.Stock > 0 || strings.HasPrefix(h.Name, "Sol word")) {
				t.Errorf("%s: %q, stock %v, %v; want %q", h.Name, h.Availability, h.Stock, err, detail.Facets["is"])
			}
		}
	}
	r := b.search(search.Request{Shop: "lamps", Query: "is Sol word in stock?"})
	if text := r.Render().Text; !strings.Contains(text, "in stock") {
		t.Errorf("the text is %q, want it in stock", text)
	}
}
