package search_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/search"
)

// If no product meets the conditions, they are dropped in order, except the category, the price, unwanted
// attributes and chosen filters.
func TestRelax(t *testing.T) {
	b := eyewear(t)
	tests := []struct {
		name, query, relaxed string
		filters              map[string]search.Choices
		price                *search.PriceRange
		found                bool
	}{
		{"all met", "round metal sunglasses", "", nil, nil, true},
		{"material first", "round acetate titanium black", "frameMaterial", nil, nil, true},
		{"then colour", "oval titanium black women", "frameMaterial color", nil, nil, true},
		{"then gender", "Nébula butterfly for men, gold titanium", "frameMaterial color gender", nil, nil, true},
		{"then brand", "Kestrel polygon women", "gender brand", nil, nil, true},
		{"then shape", "round sunglasses", "frameShape", map[string]search.Choices{"brand": {"Halvorsen Optik"}}, nil, true},
		{"the kind of thing stays", "round sunglasses", "", map[string]search.Choices{"color": {"tortoise"}, "frameMaterial": {"titanium"}}, nil, false},
		{"price stays", "round sunglasses", "", nil, &search.PriceRange{Max: 100}, false},
		{"a chosen filter stays", "black", "", map[string]search.Choices{"frameShape": {"butterfly"}, "color": {"black"}}, nil, false},
		{"not stays", "purple, not wood, not mixed, not ultem", "color", nil, nil, true},
	}
	for _, test := range tests {
		r := b.search(search.Request{Query: test.query, Filters: test.filters, Price: test.price})
		if got := strings.Join(r.Relaxed, " "); got != test.relaxed || (r.Count > 0) != test.found {
			t.Errorf("%s: %q: relaxed %q, %d found; want %q, found %v", test.name, test.query, got, r.Count, test.relaxed, test.found)
		}
		if !r.Exhausted {
			t.Errorf("%s: exhausted is false over a small shop", test.name)
		}
	}
}

func TestConditionsHold(t *testing.T) {
	b := eyewear(t)
	fifty := search.MaxLimit
	tests := []struct {
		query string
		is    func(search.Hit) bool
	}{
		{"kính không phải màu đen và không phải màu vàng", func(h search.Hit) bool { return h.FrameColor != "black" && h.FrameColor != "yellow" }},
		{"kinh ram nu duoi 1 trieu", func(h search.Hit) bool {
			return h.Category == "sunglasses" && h.Gender == "women" && h.Amount <= 1_000_000
		}},
		{"frames by Orvando", func(h search.Hit) bool { return h.Brand == "Orvando" && h.Category == "frames" }},
		{"from 2 to 3 triệu", func(h search.Hit) bool { return h.Amount >= 2_000_000 && h.Amount <= 3_000_000 }},
		{"red or blue", func(h search.Hit) bool { return h.FrameColor == "red" || h.FrameColor == "blue" }},
		{"halvorsen sunglases", func(h search.Hit) bool { return h.Brand == "Halvorsen Optik" && h.Category == "sunglasses" }},
	}
	for _, test := range tests {
		r := b.search(search.Request{Query: test.query, Limit: &fifty})
		if r.Count == 0 || len(r.Relaxed) > 0 {
			t.Errorf("%q: %d found, relaxed %q; want some, and nothing given up", test.query, r.Count, r.Relaxed)
		}
		for _, h := range r.Products {
			if !test.is(h) || len(h.Why) == 0 {
				t.Errorf("%q found %+v", test.query, h)
			}
		}
	}
}

// A price in a currency that no product has is ignored, with a warning.
// An answer to filters alone names them, and to nothing but a shop its goods.
func TestBrowsing(t *testing.T) {
	b := eyewear(t)
	for _, tt := range []struct {
		filters map[string]search.Choices
		price   *search.PriceRange
		want    []string
	}{
		{map[string]search.Choices{"color": {"red|blue"}, "category": {"sunglasses"}}, nil, []string{"red", "blue", "sunglasses"}},
		{nil, &search.PriceRange{Max: 5_000_000}, []string{"5"}},
	} {
		r := b.search(search.Request{Filters: tt.filters, Price: tt.price, Lang: "en", Sort: search.PriceUp})
		for _, want := range tt.want {
			if r.Count == 0 || !strings.Contains(r.Summary, want) || strings.Contains(r.Summary, "picture") {
				t.Errorf("%v, %+v: %d found, %q; want it to name %q", tt.filters, tt.price, r.Count, r.Summary, want)
			}
		}
	}
}

func TestForeignPrice(t *testing.T) {
	b := eyewear(t)
	r := b.search(search.Request{Query: "round frames under 80 dollars"})
	if r.Count == 0 || r.ExtractedAttributes.Price != nil || len(r.IgnoredFilters) != 1 || r.IgnoredFilters[0].Facet != "price" {
		t.Errorf("%d found, ignored %+v; want the price in dollars ignored", r.Count, r.IgnoredFilters)
	}
}

// A price without a currency is of the shop's, whatever a word such as k means in others.
func TestPriceOfTheShop(t *testing.T) {
	b := newBench(t)
	b.stock(b.config.Shop, []byte(`{"product_name":"Sol 1","brand":"A","category":"sunglasses","sku":"S-1","price":900,"currency":"USD","key_features":["round"],"facets":{"color":"black"}}
{"product_name":"Sol 2","brand":"A","category":"sunglasses","sku":"S-2","price":2900,"currency":"USD","key_features":["round"],"facets":{"color":"black"}}
`))
	b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(search.Understanding{
		Lang: "en", Wanted: []search.Statement{{Facet: "color", Value: "black"}}, Ranges: []search.Bounds{{Facet: "price", Max: 2000}},
	})})
	r := b.search(search.Request{Query: "black sunglasses under 2k"})
	if r.Count != 1 || r.Products[0].Name != "Sol 1" || len(r.IgnoredFilters) > 0 {
		t.Errorf("found %q, ignored %+v; want Sol 1, which costs 900", namesOf(r), r.IgnoredFilters)
	}
}

// Where a shop has no price in US dollars, $ is its own currency that is written so, if it has one.
func TestDollarsOfTheShop(t *testing.T) {
	b := newBench(t)
	for _, of := range []struct{ shop, currencies string }{{"sydney", "AUD"}, {"mexico", "MXN"}, {"both", "AUD CAD"}, {"border", "AUD USD"}, {"hanoi", "VND"}} {
		var file strings.Builder
		for _, currency := range strings.Fields(of.currencies) {
			for _, price := range []int{70, 90} {
				fmt.Fprintf(&file, `{"product_name":"Sol %s %d","brand":"A","category":"sunglasses","sku":"S-%[1]s-%[2]d","price":%[2]d,"currency":%[1]q,"key_features":["round"],"facets":{"color":"black"}}`+"\n", currency, price)
			}
		}
		b.stock(of.shop, []byte(file.String()))
	}
	for _, test := range []struct{ shop, query, model, currency string }{
		{"sydney", "black sunglasses under $80", "", "AUD"},
		{"sydney", "black sunglasses under 80 dollars", "", "AUD"},
		{"sydney", "something black for $80 at most", "USD", "AUD"},
		{"sydney", "black sunglasses under US$80", "USD", ""},
		{"sydney", "black sunglasses under 80 USD", "USD", ""},
		{"mexico", "black sunglasses under $80", "", "MXN"},
		{"mexico", "black sunglasses under 80 dollars", "USD", ""},
		{"both", "black sunglasses under $80", "USD", ""},
		{"border", "black sunglasses under $80", "", "USD"},
		{"hanoi", "black sunglasses under $80", "USD", ""},
	} {
		if test.model != "" { // the others are read by code
			b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(search.Understanding{
				Lang: "en", Wanted: []search.Statement{{Facet: "color", Value: "black"}}, Ranges: []search.Bounds{{Facet: "price", Max: 80, Unit: test.model}},
			})})
		}
		r := b.search(search.Request{Query: test.query, Shop: test.shop})
		if test.currency == "" {
			if r.ExtractedAttributes.Price != nil || len(r.IgnoredFilters) != 1 {
				t.Errorf("%s, %q: price %+v, ignored %v; want it ignored", test.shop, test.query, r.ExtractedAttributes.Price, r.IgnoredFilters)
			}
			continue
		}
		want := search.PriceRange{Max: 80, Currency: test.currency}
		if got := r.ExtractedAttributes.Price; got == nil || *got != want || r.Count != 1 || len(r.IgnoredFilters) > 0 {
			t.Errorf("%s, %q: %d found, price %+v, ignored %v; want one for %+v", test.shop, test.query, r.Count, got, r.IgnoredFilters, want)
		}
	}
}

// Products with the queried name, SKU or number come first, whatever is near.
func TestExact(t *testing.T) {
	b := eyewear(t)
	for _, query := range []string{"EW-1206", "ew1206", "Gió 305", "gio 305", "tôi thích Gió 305", "màu tím như EW-1206"} {
		r := b.search(search.Request{Query: query})
		if r.Count == 0 || r.Products[0].ProductID != b.id("EW-1206") || r.Products[0].Score == 0 {
			t.Errorf("%q: first is %+v, want EW-1206 with its score", query, slices.Concat(r.Products, []search.Hit{{}})[0])
		}
	}
}

// The weights decide between words and picture; a product has scores for both.
func TestWeights(t *testing.T) {
	b := eyewear(t)
	picture := frameOf(t, "EW-1276").PNG() // white, butterfly
	for _, test := range []struct {
		weights search.Weights
		first   string
	}{{search.Weights{Text: 1}, "Corvo"}, {search.Weights{Image: 2}, "Aria 375"}, {search.Weights{Text: 0.1, Image: 10}, "Aria 375"}} {
		r := b.search(search.Request{Query: "Corvo", Image: picture, Weights: &test.weights})
		if r.SearchType != search.ByBoth || !strings.HasPrefix(r.Products[0].Name, test.first) {
			t.Errorf("weights %+v: %s first by %s, want %s by both", test.weights, r.Products[0].Name, r.SearchType, test.first)
		}
		for i, h := range r.Products {
			if h.Text == nil || h.Image == nil {
				t.Errorf("weights %+v: %s scores %v and %v, want both", test.weights, h.Name, h.Text, h.Image)
				continue
			}
			want := (test.weights.Text**h.Text + test.weights.Image**h.Image) / (test.weights.Text + test.weights.Image)
			if math.Abs(h.Score-want) > 2e-4 || i > 0 && h.Score > r.Products[i-1].Score {
				t.Errorf("weights %+v: place %d scores %v of %v and %v, want %v and no more than before", test.weights, i, h.Score, *h.Text, *h.Image, want)
			}
		}
	}
}

// A product without a picture is ranked by its text alone.
func TestWithoutOneVector(t *testing.T) {
	b := newBench(t)
	b.stock(b.config.Shop, []byte(`{"product_name":"Sol 1","brand":"A","category":"sunglasses","sku":"S-1","key_features":["round","black"],"facets":{"color":"black"}}
{"product_name":"Sol 2","brand":"A","category":"sunglasses","sku":"S-2","image_uri":"EW-1001.png","key_features":["round","black"],"facets":{"color":"black"}}
`))
	r := b.search(search.Request{Query: "black", Image: frameOf(t, "EW-1001").PNG()})
	for _, h := range r.Products {
		if h.Name == "Sol 1" && (h.Image != nil || h.Text == nil || h.Score != *h.Text) || h.Name == "Sol 2" && h.Image == nil {
			t.Errorf("%s scores %v of %v and %v", h.Name, h.Score, h.Text, h.Image)
		}
	}
	if r.Count != 2 {
		t.Errorf("%d found, want both", r.Count)
	}
}

// Products that score the same come by name, then by SKU.
func TestEqualScores(t *testing.T) {
	b := newBench(t)
	var file, want []string
	for i := range 12 {
		name, sku := string(rune('A'+i/2)), fmt.Sprint("S", i)
		want = append(want, name+" "+sku)
		file = append(file, fmt.Sprintf(`{"product_name":%q,"brand":"%[3]d","sku":%[2]q,"description":%[2]q,"category":"sunglasses","image_uri":"EW-1001.png","key_features":["round"]}`, name, sku, i%2))
	}
	slices.Reverse(file)
	b.stock(b.config.Shop, []byte(strings.Join(file, "\n")))
	limit := len(want)
	var got []string
	for _, h := range b.search(search.Request{Image: frameOf(t, "EW-1001").PNG(), Limit: &limit}).Products {
		got = append(got, h.Name+" "+h.Description)
	}
	if !slices.Equal(got, want) {
		t.Errorf("equal products come as %q, want %q", got, want)
	}
}

// Shops do not see each other's products, and a shop without products does not exist.
func TestShops(t *testing.T) {
	b := eyewear(t)
	b.stock("corner", []byte(`{"product_name":"Corner One","brand":"Corner","category":"sunglasses","sku":"C-1","price":10,"currency":"USD","key_features":["round","black"],"facets":{"category":"sunglasses","color":"black"}}`))
	r := b.search(search.Request{Query: "black sunglasses", Shop: "corner"})
	if r.Count != 1 || r.Products[0].Name != "Corner One" || r.Shop != "corner" {
		t.Errorf("corner: %+v, want its one product", r.Products)
	}
	for _, h := range b.search(search.Request{Query: "Corner One"}).Products {
		if h.Brand == "Corner" {
			t.Errorf("the other shop found %+v", h)
		}
	}
	f, err := b.pipeline.Filters(t.Context(), "corner")
	if err != nil || f.Facets[len(f.Facets)-1].Facet != "brand" || f.Facets[len(f.Facets)-1].Values[0].Code != "corner" {
		t.Errorf("Filters(corner) = %+v, %v; want the vocabulary and the brand corner", f, err)
	}
	if _, err := b.pipeline.Product(t.Context(), "corner", b.id("EW-1001")); err != search.ErrNoProduct {
		t.Errorf("Product of another shop = %v, want ErrNoProduct", err)
	}
}

// The answer gives the rank of the expected product, or what removed it.
func TestExpect(t *testing.T) {
	b := eyewear(t)
	one := 1
	tests := []struct {
		query, sku, removed string
		rank                int
	}{
		{"EW-1001", "EW-1001", "", 1}, {"black sunglasses", "EW-1206", "category", 0}, {"black not wood", "EW-1206", "not frameMaterial wood", 0},
		{"kính đen dưới 500k", "EW-1206", "price", 0}, {"round", "EW-1206", "frameShape", 0},
	}
	for _, test := range tests {
		r := b.search(search.Request{Query: test.query, Expect: b.id(test.sku), Limit: &one})
		if e := r.Expected; e == nil || e.Rank != test.rank || e.RemovedBy != test.removed {
			t.Errorf("%q expects %s: %+v, want rank %d, removed by %q", test.query, test.sku, e, test.rank, test.removed)
		}
	}
	if e := b.search(search.Request{Query: "sunglasses", Expect: b.id("EW-1371"), Limit: &one}).Expected; e.Rank < 2 {
		t.Errorf("EW-1371 among all sunglasses: %+v, want a rank behind the one that is shown", e)
	}
}

func TestLike(t *testing.T) {
	b := eyewear(t)
	r := b.search(search.Request{Like: b.id("EW-1156")}) // a pink cat-eye frame of titanium
	if r.Count != search.DefaultLimit || r.SearchType != search.ByBoth || r.Products[0].Image == nil {
		t.Fatalf("like EW-1156: %d products by %s", r.Count, r.SearchType)
	}
	for _, h := range r.Products {
		if h.ProductID == b.id("EW-1156") {
			t.Error("a product is like itself")
		}
	}
	if r = b.search(search.Request{Like: b.id("EW-1156"), Query: "in gold"}); r.Count == 0 || r.Products[0].FrameColor != "gold" {
		t.Errorf("like EW-1156 in gold: %+v", r.Products)
	}
}

// What is rarer than the nearest 1,000 can show is found all the same.
func TestRare(t *testing.T) {
	b := newBench(t)
	var file bytes.Buffer
	for range 1010 {
		file.WriteString(line(file.Len(), "black"))
	}
	file.WriteString(line(file.Len(), "white"))
	b.stock(b.config.Shop, file.Bytes())
	for color, want := range map[string]int{"black": 1010, "white": 1} {
		if r := b.search(search.Request{Filters: map[string]search.Choices{"color": {color}}}); r.Total != want || !r.Exhausted {
			t.Errorf("%s among 1,011: %d found, exhausted %v; want %d and true", color, r.Total, r.Exhausted, want)
		}
	}
}

// A product of several categories is found in each of them.
func TestSecondCategory(t *testing.T) {
	b := newBench(t)
	var file bytes.Buffer
	for i := range 40 {
		categories := []string{"Tents|Sale", "Tents|Sale", "Tents", "Bags"}[i%4]
		fmt.Fprintf(&file, `{"product_name":"Ware %c%[2]d","category":"Camping","sku":"W-%[2]d","key_features":["ware"],"facets":{"category":%[3]q}}`+"\n", 'A'+i%26, i, categories)
	}
	b.stock(b.config.Shop, file.Bytes())
	limit := search.MaxLimit
	for category, want := range map[string]int{"Sale": 20, "Tents": 30, "Bags": 10} {
		r := b.search(search.Request{Query: "ware", Filters: map[string]search.Choices{"category": {category}}, Limit: &limit})
		first := b.search(search.Request{Query: "ware", Filters: map[string]search.Choices{"category": {category}}})
		if r.Count != want || first.Count != search.DefaultLimit {
			t.Errorf("%s: found %d, and %d on a page of %d; want %d", category, r.Count, first.Count, search.DefaultLimit, want)
		}
	}
}

// A bound of a number holds for all products, whatever the number of values; one that nothing is
// within finds and counts nothing.
func TestNumbersOfManyValues(t *testing.T) {
	b := newBench(t)
	var file bytes.Buffer
	for i := range 400 {
		fmt.Fprintf(&file, `{"product_name":"Ware %c%[2]d","category":"Tents","sku":"W-%[2]d","key_features":["ware"],"facets":{"weight":"%[2]d g"}}`+"\n", 'A'+i%26, 1000+i)
	}
	b.stock(b.config.Shop, file.Bytes())
	for _, test := range []struct {
		min, max float64
		want     int
	}{{1395, 0, 5}, {1298, 1302, 5}, {0, 1003, 4}, {0, 500, 0}} {
		for _, intent := range []search.Intent{search.SearchProduct, search.CategoryStats} {
			b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(search.Understanding{
				Intent: intent, Counted: "category", Ranges: []search.Bounds{{Facet: "weight", Min: test.min, Max: test.max}},
			})})
			limit := search.MaxLimit
			r := b.search(search.Request{Query: fmt.Sprintf("what weighs %v to %v, %s?", test.min, test.max, intent), Limit: &limit})
			got := r.Count
			if r.Result.Stats != nil {
				got = int(r.Result.Stats.Total)
			}
			if got != test.want || r.Intent != intent {
				t.Errorf("%s from %v to %v g: %d of %d, ignored %v; want %d", r.Intent, test.min, test.max, got, r.Count, r.IgnoredFilters, test.want)
			}
		}
	}
}

// line returns a product in that colour.
func line(n int, color string) string {
	name := string(rune('a'+n%26)) + strings.Repeat("b", n%7) + string(rune('a'+n/26%26)) + string(rune('a'+n/676%26)) + string(rune('a'+n/17576%26))
	return `{"product_name":"` + name + `","brand":"B","category":"frames","sku":"` + name + `","key_features":["` + name + `"],"facets":{"color":"` + color + `"}}` + "\n"
}
