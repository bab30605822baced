package search_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

// eachInColors returns a file of n frames, each in three colours, and two cases.
func eachInColors(n int, stock map[string]int) []byte {
	var file strings.Builder
	for i := range n {
		for j, color := range []string{"black", "red", "gold"} {
			fmt.Fprintf(&file, `{"sku":"A%02d-%s","product_name":"Aria %d","brand":"Lunavelle","key_features":["frames"],"description":"thing","price":%d,"currency":"VND","stock":%d,"facets":{"category":"frames","color":%q,"gender":"women"}}`+"\n",
				i, color, i, 1000*(i+1)+j, stock[color], color)
		}
	}
	file.WriteString(`{"sku":"CASE-S","product_name":"Small case","key_features":["case"],"price":5,"currency":"VND","variant_of":"CASE","facets":{"size":"S"}}` + "\n")
	file.WriteString(`{"sku":"CASE-L","product_name":"Large case","key_features":["case"],"price":7,"currency":"VND","variant_of":"case","facets":{"size":"L"}}` + "\n")
	return []byte(file.String())
}

// Of three colours of a frame the best is listed, with the others beside it.
func TestVariantsAreListedOnce(t *testing.T) {
	b := newBench(t).stock("shop", eachInColors(1, map[string]int{"red": 1, "gold": 2}))
	limit := 10
	for name, test := range map[string]struct {
		req  search.Request
		want string // the colours that may be listed: black is sold out
	}{
		"words":                 {search.Request{Query: "gọng kính nữ"}, "red gold"},
		"a filter":              {search.Request{Filters: map[string]search.Choices{"color": {"black"}}}, "black"},
		"a colour in words":     {search.Request{Query: "gọng kính màu đỏ"}, "red"},
		"a colour and the name": {search.Request{Query: "Aria 0", Filters: map[string]search.Choices{"color": {"gold"}}}, "gold"},
		"the name alone":        {search.Request{Query: "Aria 0"}, "red gold"},
		"the cheapest":          {search.Request{Filters: map[string]search.Choices{"category": {"frames"}}, Sort: search.PriceUp}, "red"},
		"the newest":            {search.Request{Filters: map[string]search.Choices{"category": {"frames"}}, Sort: search.Newest}, "red gold"},
	} {
		test.req.Shop, test.req.Limit = "shop", &limit
		r := b.search(test.req)
		var frames []search.Hit
		for _, hit := range r.Products {
			if hit.Name == "Aria 0" {
				frames = append(frames, hit)
			}
		}
		if len(frames) != 1 || frames[0].Variants == nil || frames[0].Variants.Count != 3 || len(frames[0].Variants.Others) != 2 {
			t.Errorf("%s: %+v; want one frame with two others", name, r.Products)
			continue
		}
		if listed := frames[0].FrameColor; !strings.Contains(test.want, listed) || frames[0].Variants.Others[0].Values["color"][0] == listed {
			t.Errorf("%s: %s is listed, with %+v; want one of %s", name, listed, frames[0].Variants, test.want)
		}
		values := frames[0].Variants.Values
		if slices.Sort(values["color"]); len(values) != 1 || !slices.Equal(values["color"], []string{"black", "gold", "red"}) {
			t.Errorf("%s: they differ in %v", name, values)
		}
	}
}

// Products that say what they are variants of are, whatever their names; what has no variants has
// none.
func TestVariantOf(t *testing.T) {
	b := newBench(t).stock("shop", eachInColors(1, nil))
	r := b.search(search.Request{Shop: "shop", Filters: map[string]search.Choices{"size": {"L|S"}}, Sort: search.PriceUp})
	if len(r.Products) != 1 || r.Products[0].Name != "Small case" {
		t.Fatalf("found %+v; want the small case alone", r.Products)
	}
	v := r.Products[0].Variants
	if v == nil || v.Count != 2 || v.Others[0].SKU != "CASE-L" || v.Others[0].Amount != 7 || v.Others[0].Values["size"][0] != "L" {
		t.Errorf("its variants are %+v", v)
	}
}

// Page by page each frame comes once.
func TestPagesOfVariants(t *testing.T) {
	const frames = 30
	b := newBench(t).stock("shop", eachInColors(frames, map[string]int{"black": 3, "red": 2, "gold": 1}))
	for _, sort := range []search.Sort{search.ByRelevance, search.PriceUp, search.PriceDown, search.Newest} {
		for _, query := range []string{"", "gọng kính nữ"} {
			limit, after, seen := 7, "", map[string]int{}
			for page := 0; page < 20; page++ {
				r := b.search(search.Request{Shop: "shop", Query: query, Filters: map[string]search.Choices{"category": {"frames"}}, Sort: sort, Limit: &limit, After: after})
				for _, hit := range r.Products {
					seen[hit.Name]++
				}
				if len(r.Products) != limit && r.Next != "" {
					t.Errorf("%s, %q: page %d has %d products, and there is a next", sort, query, page, len(r.Products))
				}
				if after = r.Next; after == "" {
					break
				}
			}
			twice := slices.ContainsFunc(slices.Collect(maps.Values(seen)), func(n int) bool { return n > 1 })
			if len(seen) != frames || twice {
				t.Errorf("%s, %q: found %v; want each of %d once", sort, query, seen, frames)
			}
		}
	}
}

// Where the answer is about articles, each variant is listed.
func TestAvailabilityOfVariants(t *testing.T) {
	b := newBench(t).stock("shop", eachInColors(1, nil))
	r := b.search(search.Request{Shop: "shop", Query: "Aria 0 còn hàng không"})
	if r.Intent != search.Availability || len(r.Result.Availability) != 3 {
		t.Errorf("%s: %+v; want the three articles", r.Intent, r.Result.Availability)
	}
}

// A variant that is named by its number is the one that is listed, also if it is sold out.
func TestNamedVariantIsListed(t *testing.T) {
	b := newBench(t).stock("shop", eachInColors(1, map[string]int{"red": 1, "gold": 2}))
	for name, filters := range map[string]map[string]search.Choices{"by words": nil, "under a filter": {"category": {"frames"}}} {
		r := b.read(search.Request{Shop: "shop", Query: "the A00-black frames please", Filters: filters}, search.Understanding{Lang: "en", Products: []string{"A00-black"}, Wanted: []search.Statement{{Facet: "gender", Value: "women"}}})
		if r.Count != 1 || r.Products[0].FrameColor != "black" || r.Products[0].Variants.Count != 3 {
			t.Errorf("%s: %+v; want the black one, with two others beside it", name, r.Products)
		}
	}
}

// Of more articles than fit what can be bought is told first, and the rest on the next page.
func TestAvailabilityOfManyVariants(t *testing.T) {
	var file strings.Builder
	colors := []string{"black", "red", "gold", "green", "blue", "white", "pink"}
	for i, color := range colors {
		fmt.Fprintf(&file, `{"sku":"Z-%s","product_name":"Zola","brand":"Lunavelle","key_features":["frames"],"price":5,"currency":"VND","stock":%d,"facets":{"category":"frames","color":%q}}`+"\n", color, i/6, color)
	}
	b := newBench(t).stock("shop", []byte(file.String()))
	u := search.Understanding{Lang: "en", Intent: search.Availability, Products: []string{"Zola"}, InStock: true}
	r := b.read(search.Request{Shop: "shop", Query: "is Zola in stock?"}, u)
	if r.Count != search.DefaultLimit || r.Result.Availability[0].Availability != "in_stock" || r.Next == "" {
		t.Fatalf("%+v, next %q; want the one that can be bought first, and more", r.Result.Availability, r.Next)
	}
	told := map[string]bool{}
	more := b.read(search.Request{Shop: "shop", Query: "is Zola in stock?", After: r.Next}, u)
	for _, one := range append(r.Result.Availability, more.Result.Availability...) {
		told[one.ProductID] = true
	}
	if len(told) != len(colors) || more.Next != "" {
		t.Errorf("%d articles are told of on two pages, then %q; want all %d", len(told), more.Next, len(colors))
	}
}
