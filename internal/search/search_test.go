package search_test

import (
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
	if f := b.search(search.Request{Query: "titan là gì"}).Result.FAQ; !strings.Contains(f.Quote, "không gỉ") || f.Source != "materials.json#titanium" {
		t.Errorf("FAQ = %+v, want the Vietnamese quote with its source", f)
	}
	if s := b.search(search.Request{Query: "EW-1066 còn hàng không"}).Result.Availability; len(s) != 1 || s[0].Available != "no" || s[0].Price != 1_140_000 {
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
		if i%every == 0 && is(f) {
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

// Words take one structured call and one embedding, a picture alone one embedding, and a
// repeated query none.
func TestCallCounts(t *testing.T) {
	b := eyewear(t)
	words, picture := search.Request{Query: "kính râm nữ màu đỏ"}, search.Request{Image: frameOf(t, "EW-1016").PNG()}
	both := search.Request{Query: "kính râm nữ", Image: picture.Image}
	tests := []struct {
		name            string
		req             search.Request
		generate, embed int
	}{
		{"words", words, 1, 1}, {"the same words again", words, 1, 0}, {"a picture", picture, 0, 1}, {"the same picture again", picture, 0, 1},
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

// The model's reading is validated: unknown values are ignored, an unknown intent is a
// search, and what code has read is not changed.
func TestTheModelIsChecked(t *testing.T) {
	b := eyewear(t)
	b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: map[string]any{
		"wanted": []map[string]string{
			{"facet": "color", "value": "black"}, {"facet": "frameShape", "value": "triangle"}, {"facet": "brand", "value": "Gucci"},
			{"facet": "gender", "value": "Nữ"}, {"facet": "taste", "value": "sweet"},
		},
		"unwanted": []any{}, "preferred_brands": []string{"Lunavelle"}, "products": []string{}, "min_price": -1, "max_price": 3, "currency": "?", "counted": "", "intent": "buy_it_now",
	}})
	r := b.search(search.Request{Query: "something not black in red or brown"})
	a := r.ExtractedAttributes
	if r.Intent != search.SearchProduct || a.Gender != "women" || a.Color != "red" || len(a.Or) != 1 || len(a.Not) != 1 || a.Not[0].Code != "black" || a.Price != nil {
		t.Errorf("intent %s, attributes %+v; want a search for women, red or brown, not black, at any price", r.Intent, a)
	}
	if !slices.Equal(a.PreferredBrands, []string{"lunavelle"}) {
		t.Errorf("preferred brands %q, want lunavelle", a.PreferredBrands)
	}
	want := []search.IgnoredFilter{{Facet: "frameShape", Value: "triangle"}, {Facet: "brand", Value: "Gucci"}, {Facet: "taste", Value: "sweet"}}
	if !slices.Equal(r.IgnoredFilters, want) {
		t.Errorf("ignored_filters %+v, want %+v", r.IgnoredFilters, want)
	}
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
