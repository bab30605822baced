package search_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/search"
)

// Every intent has its own route and answer.
func TestIntents(t *testing.T) {
	b := eyewear(t)
	tests := []struct {
		query  string
		intent search.Intent
		answer string // the field of result, or the figures of the products
		count  int
	}{
		{"kính râm nam màu đen", search.SearchProduct, "", 1},
		{"only round frames", search.FilterByFeature, "", 3},
		{"gợi ý kính râm cho nữ", search.Recommendation, "", 5},
		{"chi tiết EW-1006", search.ProductDetail, "product", 1},
		{"compare Gió 105 and Elm 110", search.CompareProducts, "comparison", 2},
		{"titan là gì", search.MaterialQuestion, "faq", 5},
		{"what are polarized lenses", search.MaterialQuestion, "faq", 0},
		{"EW-1066 còn hàng không", search.Availability, "availability", 1},
		{"có bao nhiêu kính theo màu", search.CategoryStats, "stats", 0},
		{"hello", search.UnknownIntent, "suggestions", 0},
	}
	seen := map[search.Intent]bool{}
	for _, test := range tests {
		r := b.search(search.Request{Query: test.query})
		seen[r.Intent] = true
		if r.Intent != test.intent || r.Count != test.count || len(r.Products) != test.count || r.Summary == "" {
			t.Errorf("%q: intent %s, %d products, summary %q; want %s, %d and a summary", test.query, r.Intent, r.Count, r.Summary, test.intent, test.count)
		}
		data, err := json.Marshal(r.Result)
		var fields map[string]any
		if err != nil || json.Unmarshal(data, &fields) != nil || strings.Join(slices.Sorted(maps.Keys(fields)), " ") != test.answer {
			t.Errorf("%q: result %s; want %q", test.query, data, test.answer)
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d intents were routed, want nine", len(seen))
	}
}

// The answers to intents are correct, not only present.
func TestAnswers(t *testing.T) {
	b := eyewear(t)
	if d := b.search(search.Request{Query: "chi tiết EW-1006"}).Result.Product; d == nil || d.SKU != "EW-1006" || d.Facets["color"] != "grey" || len(d.KeyFeatures) == 0 {
		t.Errorf("detail of EW-1006 = %+v", d)
	}
	c := b.search(search.Request{Query: "compare Gió 105 and Elm 110", Lang: "en"}).Result.Comparison
	var rows []string
	for _, row := range c.Rows {
		rows = append(rows, fmt.Sprint(row.Attribute, " ", row.Values, " ", row.Differ))
	}
	for _, want := range []string{"name [Gió 105 Elm 110] true", "color [grey rose gold] true", "frameShape [round round] false", "stock [9 5] true"} {
		if !slices.Contains(rows, want) {
			t.Errorf("the comparison has rows %q, want %s among them", rows, want)
		}
	}
	for query, unknown := range map[string]bool{"compare Gió 105 and Elm 110": false, "compare EW-1006 and EW-9999": true} {
		if r := b.search(search.Request{Query: query, Lang: "en"}); slices.Contains(r.Warnings, search.WarnNotExact) != unknown {
			t.Errorf("%q shows %q with the warnings %q; want not_exact: %v", query, namesOf(r), r.Warnings, unknown)
		}
	}
	if f := b.search(search.Request{Query: "titan là gì"}).Result.FAQ; !strings.Contains(f.Quote, "không gỉ") || f.Source != "facts#titanium" {
		t.Errorf("FAQ = %+v, want the Vietnamese quote with its source", f)
	}
	if s := b.search(search.Request{Query: "EW-1066 còn hàng không"}).Result.Availability; len(s) != 1 || s[0].Availability != "out_of_stock" || s[0].Amount != 1_140_000 {
		t.Errorf("availability of EW-1066 = %+v, want none in stock at 1,140,000", s)
	}
	stats := b.search(search.Request{Query: "how many sunglasses by colour are there"}).Result.Stats
	var total int64
	for _, n := range stats.Counts {
		total += n.Count
	}
	if want := int64(count(func(f samples.Frame) bool { return f.Category == "sunglasses" })); stats.Facet != "color" || stats.Total != want || total != want {
		t.Errorf("stats by %s: total %d, counts add up to %d; want colours and %d", stats.Facet, stats.Total, total, want)
	}
	if s := b.search(search.Request{Query: "hello"}).Result.Suggestions; len(s) != 3 {
		t.Errorf("suggestions %q, want three", s)
	}
}

// count returns how many frames in the tests' shop match.
func count(is func(samples.Frame) bool) (n int) {
	for i, f := range samples.Frames() {
		if i%each == 0 && is(f) {
			n++
		}
	}
	return n
}

// The agents run in order, each with its event, and no event contains a vector.
func TestSteps(t *testing.T) {
	b := eyewear(t)
	var steps []string
	_, err := b.pipeline.Run(t.Context(), search.Request{Query: "kính râm"}, func(e *agent.Event) {
		if e.Kind == agent.Finished {
			steps = append(steps, e.Author)
		}
		if data, _ := json.Marshal(e.Data); len(data) > 2000 {
			t.Errorf("%s shows %d bytes", e.Author, len(data))
		}
	})
	want := "intent_classifier intent_router attribute_extractor embed_query semantic_search format_response search_agent"
	if got := strings.Join(steps, " "); err != nil || got != want {
		t.Errorf("steps %q, %v; want %q", got, err, want)
	}
}

// Plain words take one embedding, others one structured call too, a picture alone one
// embedding, and repeated words nothing.
func TestCallCounts(t *testing.T) {
	b := eyewear(t)
	plain, words, picture := search.Request{Query: "kính râm nữ màu đỏ"}, search.Request{Query: "kính râm nữ trừ màu đỏ"}, search.Request{Image: frameOf(t, "EW-1016").PNG()}
	both := search.Request{Query: "kính râm nữ đẹp", Image: picture.Image}
	more := words
	more.Limit = new(int)
	*more.Limit = 20
	tests := []struct {
		name            string
		req             search.Request
		generate, embed int
	}{
		{"plain words", plain, 0, 1}, {"the same again", plain, 0, 0}, {"words", words, 1, 1}, {"the same words again", words, 0, 0}, {"more of them", more, 0, 0},
		{"a picture", picture, 0, 1}, {"the same picture again", picture, 0, 1},
		{"both", both, 1, 2}, {"more like it", search.Request{Like: b.id("EW-1016")}, 0, 0}, {"nothing to search", search.Request{Query: "hello"}, 1, 0},
	}
	for _, test := range tests {
		b.Gemini.ResetCalls()
		r := b.search(test.req)
		calls := b.calls()
		if calls[answers.KindIntent] != test.generate || calls[emulated.KindEmbed] != test.embed || len(b.Gemini.Calls()) != test.generate+test.embed {
			t.Errorf("%s: calls %v, want %d of the intent and %d embeddings", test.name, calls, test.generate, test.embed)
		}
		if want := (search.ModelCalls{Generate: test.generate, Embed: test.embed}); r.ModelCalls != want {
			t.Errorf("%s: model_calls %+v, want %+v", test.name, r.ModelCalls, want)
		}
	}
}

// The model's reading is the reading: nothing of it is dropped, and nothing that code has
// read is added. Unknown values are ignored.
func TestTheModelReads(t *testing.T) {
	b := eyewear(t)
	b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(search.Understanding{
		Lang: "en",
		Wanted: []search.Statement{
			{Facet: "color", Value: "black"}, {Facet: "color", Value: "gold"}, {Facet: "frameShape", Value: "triangle"}, {Facet: "brand", Value: "Gucci"},
			{Facet: "gender", Value: "Nữ"},
		},
		Unwanted:  []search.Statement{{Facet: "frameMaterial", Value: "wood"}},
		Preferred: []search.Statement{{Facet: "brand", Value: "Lunavelle"}},
		Ranges:    []search.Bounds{{Facet: "price", Max: 1_500_000, Unit: "vnd"}, {Facet: "price", Min: 9, Max: 3}},
	})})
	r := b.search(search.Request{Query: "something not black in red or brown"})
	a := r.ExtractedAttributes
	if r.Intent != search.SearchProduct || a.Gender != "women" || a.Color != "black" || len(a.Or) != 1 || a.Or[0].Code != "gold" || len(a.Not) != 1 || a.Not[0].Code != "wood" ||
		a.Price == nil || *a.Price != (search.PriceRange{Max: 1_500_000, Currency: "VND"}) {
		t.Errorf("intent %s, attributes %+v; want a search as the model reads it", r.Intent, a)
	}
	if !slices.Equal(a.PreferredBrands, []string{"lunavelle"}) {
		t.Errorf("preferred brands %q, want lunavelle", a.PreferredBrands)
	}
	want := []search.IgnoredFilter{{Facet: "frameShape", Value: "triangle"}, {Facet: "brand", Value: "Gucci"}, {Facet: "price", Value: "9–3"}}
	if !slices.Equal(r.IgnoredFilters, want) {
		t.Errorf("ignored_filters %+v, want %+v", r.IgnoredFilters, want)
	}
}

// What code would misread is as the model says.
func TestHardQueries(t *testing.T) {
	b := eyewear(t)
	model := func(u search.Understanding) {
		b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(u)})
	}
	say := func(facetsAndValues ...string) (all []search.Statement) {
		for i := 0; i < len(facetsAndValues); i += 2 {
			all = append(all, search.Statement{Facet: facetsAndValues[i], Value: facetsAndValues[i+1]})
		}
		return all
	}
	limit := search.MaxLimit
	tests := []struct {
		query string
		u     search.Understanding
		holds func(search.Result) bool
	}{
		{"kính râm khoảng 1 triệu rưỡi", search.Understanding{Wanted: say("category", "sunglasses"), Ranges: []search.Bounds{{Facet: "price", Min: 1_200_000, Max: 1_800_000}}},
			func(r search.Result) bool {
				return every(r, func(h search.Hit) bool { return h.Amount >= 1_200_000 && h.Amount <= 1_800_000 })
			}},
		{"tôi cao 1m70, kính râm nam", search.Understanding{Wanted: say("category", "sunglasses", "gender", "men")},
			func(r search.Result) bool { return r.ExtractedAttributes.Price == nil && r.Count > 3 }},
		{"clubmaster gold black", search.Understanding{Wanted: say("frameShape", "browline", "color", "gold", "color", "black")},
			func(r search.Result) bool {
				return r.ExtractedAttributes.Color == "gold" && len(r.ExtractedAttributes.Or) == 1 && r.ExtractedAttributes.Or[0].Code == "black"
			}},
		{"Lunavelle vs Orvando", search.Understanding{Compared: say("brand", "Lunavelle", "brand", "Orvando"), Intent: search.CompareProducts},
			func(r search.Result) bool {
				brands := map[string]int{}
				for _, h := range r.Products {
					brands[h.Brand]++
				}
				return brands["Lunavelle"] == 2 && brands["Orvando"] == 2 && r.Result.Comparison != nil && len(r.Result.Comparison.Products) == 4
			}},
		{"kính râm rẻ nhất", search.Understanding{Lang: "vi", Wanted: say("category", "sunglasses"), Sort: search.PriceUp},
			func(r search.Result) bool {
				return every(r, func(h search.Hit) bool { return h.Category == "sunglasses" }) && slices.IsSortedFunc(inStockOf(r), func(a, b search.Hit) int { return int(a.Amount - b.Amount) }) &&
					r.Products[0].Amount == float64(cheapest("sunglasses"))
			}},
		{"the most expensive sunglasses", search.Understanding{Wanted: say("category", "sunglasses"), Sort: search.PriceDown},
			func(r search.Result) bool {
				return slices.IsSortedFunc(inStockOf(r), func(a, b search.Hit) int { return int(b.Amount - a.Amount) })
			}},
		{"black ones that I can have today", search.Understanding{Wanted: say("color", "black"), InStock: true},
			func(r search.Result) bool {
				return every(r, func(h search.Hit) bool { return h.FrameColor == "black" && *h.Stock > 0 })
			}},
		{"lunettes de soleil", search.Understanding{Lang: "fr", Wanted: say("category", "sunglasses")},
			func(r search.Result) bool {
				return r.Lang == "fr" && strings.HasPrefix(r.Summary, fmt.Sprint(r.Total)) && r.Count < r.Total
			}},
		{"둥근 얼굴에 어울리는 안경테", search.Understanding{Lang: "ko", Wanted: say("category", "frames"), Face: "round", Intent: search.Recommendation},
			func(r search.Result) bool {
				return len(r.Advice) == 1 && len(r.RecommendedShapes) > 3 && strings.Contains(r.Summary, "찾았습니다")
			}},
		{"titanium or acetate, which is lighter?", search.Understanding{About: []string{"titanium", "acetate"}, Intent: search.MaterialQuestion},
			func(r search.Result) bool {
				return r.Result.FAQ != nil && r.Result.FAQ.About == "Titanium" && len(r.Result.Facts) == 1 && r.Result.Facts[0].About == "Acetate"
			}},
		{"how many Gucci have you got", search.Understanding{Wanted: say("brand", "Gucci"), Counted: "brand", Intent: search.CategoryStats},
			func(r search.Result) bool { return r.Result.Stats != nil && r.Result.Stats.Total == 0 }},
		{"how many are not black", search.Understanding{Unwanted: say("color", "black"), Counted: "category", Intent: search.CategoryStats},
			func(r search.Result) bool {
				return r.Result.Stats != nil && r.Result.Stats.Total == int64(count(func(f samples.Frame) bool { return f.Color != "black" }))
			}},
		{"how many under a million, black or red", search.Understanding{Wanted: say("color", "black", "color", "red"), Ranges: []search.Bounds{{Facet: "price", Max: 1_000_000}}, Counted: "color", Intent: search.CategoryStats},
			func(r search.Result) bool {
				return r.Result.Stats != nil && r.Result.Stats.Total == int64(count(func(f samples.Frame) bool {
					return (f.Color == "black" || f.Color == "red") && f.Price <= 1_000_000
				}))
			}},
	}
	for _, test := range tests {
		model(test.u)
		req := search.Request{Query: test.query}
		if test.u.Sort != "" || test.u.InStock {
			req.Limit = &limit
		}
		if r := b.search(req); !test.holds(r) {
			t.Errorf("%q: %s, %d found with %+v, relaxed %q: %s; answer %s", test.query, r.Intent, r.Count, r.ExtractedAttributes, r.Relaxed, r.Summary, asJSON(r.Result))
		}
	}
}

// whole returns u with the words for what it does not say, as a model gives them.
func whole(u search.Understanding) search.Understanding {
	u.Intent, u.Sort = cmp.Or(u.Intent, search.SearchProduct), cmp.Or(u.Sort, search.ByRelevance)
	u.Reference, u.Shown = cmp.Or(u.Reference, "none"), append([]int{}, u.Shown...)
	u.Face, u.Skin, u.Counted = cmp.Or(u.Face, "none"), cmp.Or(u.Skin, "none"), cmp.Or(u.Counted, "none")
	for _, list := range []*[]search.Statement{&u.Wanted, &u.Unwanted, &u.Preferred, &u.Compared} {
		*list = append([]search.Statement{}, *list...)
	}
	u.Ranges, u.Products, u.About = append([]search.Bounds{}, u.Ranges...), append([]string{}, u.Products...), append([]string{}, u.About...)
	return u
}

func asJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// every reports whether there are products, and each is so.
func every(r search.Result, is func(search.Hit) bool) bool {
	return r.Count > 0 && !slices.ContainsFunc(r.Products, func(h search.Hit) bool { return !is(h) })
}

// inStockOf returns the products before those that are sold out.
func inStockOf(r search.Result) []search.Hit {
	return slices.DeleteFunc(slices.Clone(r.Products), func(h search.Hit) bool { return h.Stock != nil && *h.Stock == 0 })
}

// cheapest returns the lowest price of what is in stock of a category in the tests' shop.
func cheapest(category string) (price int) {
	for i, f := range samples.Frames() {
		if i%each == 0 && f.Category == category && f.Stock > 0 && (price == 0 || f.Price < price) {
			price = f.Price
		}
	}
	return price
}

// send sends the agent a message by ADK's runner.
func (b *bench) send(message *genai.Content) iter.Seq2[*session.Event, error] {
	b.t.Helper()
	a, err := b.pipeline.Agent()
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := runner.New(runner.Config{AppName: a.Name(), Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Run(b.t.Context(), "u", "s", message, adk.RunConfig{})
}

// Programs that speak by messages, as ADK's page, send words and a picture.
func TestAgent(t *testing.T) {
	b := eyewear(t)
	message := genai.NewContentFromParts([]*genai.Part{
		genai.NewPartFromText("kính râm"), genai.NewPartFromBytes(frameOf(t, "EW-1001").PNG(), "image/png"),
	}, genai.RoleUser)
	var last string
	for e, err := range b.send(message) {
		if err != nil {
			t.Fatal(err)
		}
		if text := agent.Text(e); text != "" {
			last = text
		}
	}
	var r search.Result
	if err := json.Unmarshal([]byte(last), &r); err != nil || r.SearchType != search.ByBoth || r.Products[0].ProductID != b.id("EW-1001") {
		t.Errorf("the last event says %.200s, %v; want the result of both", last, err)
	}
	for _, err := range b.send(genai.NewContentFromText(" ", genai.RoleUser)) {
		if err == nil {
			t.Error("an empty message is answered")
		}
	}
}

// The summary is in the language of the query, the normalised query in that of the shop.
func TestSummarySpeaksTheQuerysLanguage(t *testing.T) {
	b := eyewear(t)
	tests := []struct{ query, summary string }{
		{"only round or oval frames", "frames, round or oval."},
		{"gọng kính tròn", "Gọng Kính kiểu dáng tròn."},
	}
	for _, test := range tests {
		r := b.search(search.Request{Query: test.query})
		if !strings.HasSuffix(r.Summary, test.summary) || !strings.HasPrefix(r.NormalizedQuery, "Gọng Kính kiểu dáng tròn") {
			t.Errorf("%q: summary %q, normalized %q; want …%s, and the shop's own words", test.query, r.Summary, r.NormalizedQuery, test.summary)
		}
	}
}
