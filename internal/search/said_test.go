package search_test

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

// What was given up is not said to be found.
func TestGivenUpIsNotFound(t *testing.T) {
	b := eyewear(t)
	r := b.search(search.Request{Query: "oval titanium black women"})
	if want := "2 found: women, oval. Nothing met every wish, so these were given up: material, colour."; r.Summary != want {
		t.Errorf("%q, want %q", r.Summary, want)
	}
	all := []search.Statement{{Facet: "frameShape", Value: "round"}, {Facet: "category", Value: "sunglasses"}}
	r = b.read(search.Request{Query: "those round sunglasses", Filters: map[string]search.Choices{"color": {"tortoise"}, "frameMaterial": {"titanium"}}}, search.Understanding{Lang: "en", Wanted: all})
	if want := "Nothing was found: sunglasses, round."; r.Summary != want || r.Count > 0 || len(r.Relaxed) > 0 { // other things are none
		t.Errorf("%q, want %q", r.Summary, want)
	}
}

// Of what is named, and of what was shown before, no more is said than it is: a wish that it does not
// meet is given up, and of its variants those that meet it are told of.
func TestWishOfWhatIsNamed(t *testing.T) {
	b := eyewear(t)
	purple := []search.Statement{{Facet: "color", Value: "purple"}}
	first := b.search(search.Request{Query: "EW-1006", Session: search.NewSession})
	for summary, test := range map[string]struct {
		query string
		u     search.Understanding
	}{
		"1 found: glasses. Nothing met every wish, so these were given up: colour.": {"is EW-1006 there in purple?", search.Understanding{Intent: search.Availability, Products: []string{"EW-1006"}, Wanted: purple}},
		"5 found: glasses.": {"EW-1006 in purple", search.Understanding{Products: []string{"EW-1006"}, Wanted: purple}},
		"1 found: " + first.Products[0].Name + ". Nothing met every wish, so these were given up: colour.": {"is it purple, and under 1000?", search.Understanding{
			Intent: search.Availability, Reference: search.ToThese, Shown: []int{1}, Wanted: purple, Ranges: []search.Bounds{{Facet: "price", Max: 1000, Unit: "VND"}},
		}},
	} {
		test.u.Lang = "en"
		r := b.read(search.Request{Query: test.query, Session: first.Session}, test.u)
		if r.Summary != summary || r.Products[0].ProductID != b.id("EW-1006") || slices.Contains(r.Products[0].Why, "named exactly") == (test.u.Products == nil) {
			t.Errorf("%q: %q, %+v; want %q", test.query, r.Summary, r.Products[0], summary)
		}
	}
	b.stock("shop", eachInColors(1, map[string]int{"black": 1}))
	for color, state := range map[string]string{"red": "out_of_stock", "black": "in_stock"} {
		for _, intent := range []search.Intent{search.Availability, search.ProductDetail} {
			u := search.Understanding{Lang: "en", Intent: intent, Products: []string{"Aria 0"}, Wanted: []search.Statement{{Facet: "color", Value: color}}}
			r := b.read(search.Request{Shop: "shop", Query: string(intent) + " of Aria 0 in " + color}, u)
			if r.Count != 1 || r.Products[0].FrameColor != color || string(r.Products[0].Availability) != state || r.Summary != "1 found: "+color+"." {
				t.Errorf("%s, %s: %+v, %q; want that one", intent, color, r.Products, r.Summary)
			}
		}
	}
}

// Whether single articles are in stock is told of them, not of others that are.
func TestStockOfWhatIsNamed(t *testing.T) {
	b := eyewear(t)
	u := search.Understanding{Lang: "en", Intent: search.Availability, InStock: true, Products: []string{"EW-1066"}}
	soldOut := func(name string, r search.Result) {
		t.Helper()
		if a := r.Result.Availability; len(a) != 1 || a[0].ProductID != b.id("EW-1066") || a[0].Availability != "out_of_stock" || slices.Contains(r.Products[0].Why, "in stock") || strings.Contains(r.Summary, "in stock.") {
			t.Errorf("%s: %+v, %q; want EW-1066, which is sold out", name, a, r.Summary)
		}
	}
	soldOut("named", b.read(search.Request{Query: "can I get EW-1066 now?"}, u))
	first := b.search(search.Request{Query: "EW-1066", Session: search.NewSession})
	u.Products, u.Reference, u.Shown = nil, search.ToThese, []int{1}
	soldOut("shown before", b.read(search.Request{Query: "can I get it now?", Session: first.Session}, u))
	if r := b.read(search.Request{Query: "can I get it, in stock?", Session: first.Session, InStock: true}, u); slices.Contains(r.Products[0].Why, "in stock") {
		t.Errorf("what is sold out is there as %q", r.Products[0].Why)
	}
}

// That no product is called so is said where one is named, and what is compared is each a product of
// its own.
func TestNothingIsNamed(t *testing.T) {
	b := newBench(t).stock("shop", []byte(`{"sku":"1","product_name":"Two Tone","brand":"A","key_features":["frames"],"facets":{"category":"frames","color":"black|red"}}
{"sku":"2","product_name":"Night","brand":"A","key_features":["frames"],"facets":{"category":"frames","color":"black"}}
{"sku":"3","product_name":"Rose","brand":"A","key_features":["frames"],"facets":{"category":"frames","color":"red"}}
`))
	black, red := search.Statement{Facet: "color", Value: "black"}, search.Statement{Facet: "color", Value: "red"}
	for query, u := range map[string]search.Understanding{
		"compare black and red ones": {Intent: search.CompareProducts, Compared: []search.Statement{black, red}},
		"are black ones in stock?":   {Intent: search.Availability, Wanted: []search.Statement{black}},
	} {
		u.Lang = "en"
		r := b.read(search.Request{Shop: "shop", Query: query}, u)
		ids := idsOf(r)
		if slices.Sort(ids); r.Count < 2 || len(slices.Compact(ids)) != r.Count || slices.Contains(r.Warnings, search.WarnNotExact) {
			t.Errorf("%q: %q, warnings %q; want each once, and that nothing is said of names", query, namesOf(r), r.Warnings)
		}
	}
}

// An answer is rendered in its own language, whatever the query's is called.
func TestRenderedInTheAnswersLanguage(t *testing.T) {
	b := eyewear(t)
	for _, test := range []struct{ lang, of, price, stock string }{{"en", "vi", "290,000 VND", "in stock: 2"}, {"", "vi-VN", "290.000 VND", "còn hàng: 2"}, {"ko", "en", "290,000 VND", "재고 있음: 2"}, {"", "de", "290,000 VND", "in stock: 2"}} {
		r := b.read(search.Request{Query: "cheap ones, " + test.of, Lang: test.lang, Sort: search.PriceUp}, search.Understanding{Lang: test.of, Wanted: []search.Statement{{Facet: "brand", Value: "Halvorsen Optik"}}})
		if text := r.Render().Text; !strings.Contains(text, "Corvo 390, Halvorsen Optik · "+test.price+" · "+test.stock) || r.Lang != test.of {
			t.Errorf("%q of %q in %q: %q; want %s, %s", r.Lang, test.of, r.AnswerLang, text, test.price, test.stock)
		}
	}
}

// A face is no picture that products are like.
func TestNotLikeAFace(t *testing.T) {
	b := eyewear(t)
	selfie := image.NewRGBA(image.Rect(0, 0, 200, 150))
	draw.Draw(selfie, selfie.Rect, image.NewUniform(color.RGBA{220, 180, 150, 255}), image.Point{}, draw.Src)
	r := b.search(search.Request{Image: asJPEG(t, selfie), Analysis: &search.FaceAnalysis{FaceDetected: true, RecommendedFrameShapes: []string{"round"}}})
	if r.Count == 0 || strings.Contains(r.Summary, "by the picture") || strings.Contains(strings.Join(r.Products[0].Why, ";"), "like the picture") {
		t.Errorf("%q, %+v; want round ones, for no other reason", r.Summary, r.Products)
	}
}

// A fact is quoted in the language of the question, also in one that answers are not written in,
// unless the request asks for another.
func TestFactInTheQuestionsLanguage(t *testing.T) {
	b := newBench(t).stock("shop", []byte(`{"sku":"1","product_name":"Night","key_features":["frames"]}`))
	facts, err := search.ParseFacts([]byte("## Returns\n\nSend it back.\n\n[de] Zurücksenden.\n\n[vi] Gửi lại.\n"))
	if err != nil {
		t.Fatal(err)
	}
	b.config.Facts = facts
	b.open()
	for of, want := range map[string]string{"de": "Zurücksenden.", "de-AT": "Zurücksenden.", "vi": "Gửi lại.", "es": "Send it back.", "en": "Send it back."} {
		u := search.Understanding{Lang: of, Intent: search.MaterialQuestion, About: []string{"returns"}}
		if r := b.read(search.Request{Shop: "shop", Query: "returns, in " + of}, u); r.Result.FAQ.Quote != want {
			t.Errorf("asked in %s: %q, want %q", of, r.Result.FAQ.Quote, want)
		}
		if r := b.read(search.Request{Shop: "shop", Query: "returns, in " + of, Lang: "vi"}, u); r.Result.FAQ.Quote != "Gửi lại." {
			t.Errorf("asked in %s for Vietnamese: %q", of, r.Result.FAQ.Quote)
		}
	}
}

// Bounds of a number are compared and said in the facet's unit, whatever unit they are read in.
func TestBoundsInTheirUnit(t *testing.T) {
	b := newBench(t).stock("shop", []byte(`{"sku":"1","product_name":"Light","key_features":["bag"],"facets":{"weight":"0.8 kg","comfort":"-5 °C"}}
{"sku":"2","product_name":"Heavy","key_features":["bag"],"facets":{"weight":"2.5 kg","comfort":"5 °C"}}
`))
	for summary, r := range map[string]search.Bounds{
		"1 found: up to 0.9 kg.":  {Facet: "weight", Max: 900, Unit: "g"},
		"1 found: up to 0.95 kg.": {Facet: "weight", Max: 0.95, Unit: "kg"},
		"1 found: up to 1 kg.":    {Facet: "weight", Max: 1, Unit: ""},
		"1 found: up to -4 °C.":   {Facet: "comfort", Max: -4, Unit: "°C"},
		"1 found: -6 °C to 1 °C.": {Facet: "comfort", Min: -6, Max: 1},
		"2 found: from -20 °C.":   {Facet: "comfort", Min: -20},
	} {
		got := b.read(search.Request{Shop: "shop", Query: "bags, " + summary}, search.Understanding{Lang: "en", Ranges: []search.Bounds{r}})
		if got.Summary != summary || !slices.Contains(namesOf(got), "Light") {
			t.Errorf("%+v: %q, %q; want %q", r, got.Summary, namesOf(got), summary)
		}
	}
}
