package search_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/whatis/internal/search"
)

// What is not for sale is kept, and no search finds it: not by its name, its number, words, a filter, an
// order, as a variant, by its ID or in a conversation that has shown it; until it is for sale again.
func TestNotForSaleIsNotFound(t *testing.T) {
	b := newBench(t)
	stock := func(says string) {
		b.stock("lamps", []byte(fmt.Sprintf(`{"product_name":"Moon","sku":"L-1","variant_of":"M","key_features":["a"],"facets":{"kind":"lamp"}}
{"product_name":"Sun","sku":"L-2","variant_of":"M","gtin":"9520011000017","price":5,"currency":"USD","stock":2,"description":"a lamp as bright as noon","key_features":["a"],"facets":{"kind":"lamp"}%s}`, says)))
		b.open() // which knows nothing of the shop before
	}
	stock("")
	id := b.search(search.Request{Shop: "lamps", Query: "L-2"}).Products[0].ProductID
	talk := b.search(search.Request{Shop: "lamps", Query: "bright lamps", Session: search.NewSession}).Session
	found := func(want bool) {
		t.Helper()
		for _, req := range []search.Request{
			{Query: "Sun"}, {Query: "L-2"}, {Query: "9520011000017"}, {Query: "a lamp as bright as noon"}, {Filters: map[string]search.Choices{"kind": {"lamp"}}}, {Sort: search.PriceUp}, {Sort: search.Newest}, {InStock: true},
			{Session: talk, After: "0"},
		} {
			req.Shop = "lamps"
			r := b.search(req)
			is := slices.ContainsFunc(r.Products, func(h search.Hit) bool {
				return h.Name == "Sun" || h.Variants != nil && slices.ContainsFunc(h.Variants.Others, func(o search.Variant) bool { return o.Name == "Sun" })
			})
			if is != want {
				t.Errorf("%+v finds %q; want Sun: %v", req, namesOf(r), want)
			}
		}
		_, err := b.pipeline.Product(t.Context(), "lamps", id)
		_, like := b.pipeline.Run(t.Context(), search.Request{Shop: "lamps", Like: id}, nil)
		var input *search.InputError
		if (err == nil) != want || errors.Is(err, search.ErrNoProduct) == want || errors.As(like, &input) == want {
			t.Errorf("by its ID: %v, like it: %v; want it %v", err, like, want)
		}
		if record, err := b.catalog.Record(t.Context(), "lamps", id); err != nil || record.NotForSale == want || record.Description == "" {
			t.Errorf("the record is %+v, %v", record, err)
		}
	}
	found(true)
	for _, says := range []string{`,"for_sale":false`, `,"for_sale":"Draft"`} {
		stock(says)
		found(false)
		stock(`,"for_sale":"active"`)
		found(true)
	}
}
