package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/search"
)

// outdoor returns a bench with a shop for tents and phones, some of whose data is odd.
func outdoor(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.config.Shop = "outdoor"
	b.open()
	var file strings.Builder
	for i := range 14 {
		weight := fmt.Sprintf("%.1f kg", 0.5+float64(i)/5)
		if i == 3 {
			weight = "N/A"
		}
		fmt.Fprintf(&file, `{"product_name":"Fjell %d dome tent","sku":"T-%[1]d","brand":"North Ridge","category":"Tents","price":%d,"currency":"EUR","key_features":["waterproof dome tent"],"facets":{"colour":%q,"weight":%q}}`+"\n",
			i, 49+10*i, []string{"green", "purple"}[i%2], weight)
	}
	for i := range 6 {
		fmt.Fprintf(&file, `{"product_name":"Shell %d","sku":"P-%[1]d","brand":"Marbles","category":"Phone cases","price":5,"currency":"EUR","key_features":["phone case"],"facets":{"colour":"black"}}`+"\n", i)
	}
	file.WriteString(`{"product_name":"Marbles lens filter","sku":"L-1","brand":"Marbles","category":"Optics","price":30,"currency":"EUR","key_features":["filter"]}` + "\n")
	return b.stock("outdoor", []byte(file.String()))
}

func say(pairs ...string) (all []search.Statement) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, search.Statement{Facet: pairs[i], Value: pairs[i+1]})
	}
	return all
}

// An answer says how many were found on all pages, and so does its summary, in each language.
func TestTotal(t *testing.T) {
	b := outdoor(t)
	limit := 6
	req := search.Request{Query: "the tents please", Limit: &limit}
	for lang, want := range map[string][2]string{
		"en": {"14 found, the first 6: ", "14 found, 7 to 12: "}, "vi": {"Tìm thấy 14 sản phẩm, đây là 6 sản phẩm đầu: ", "Tìm thấy 14 sản phẩm, đây là từ 7 đến 12: "}, "ko": {"14개를 찾았습니다, 처음 6개: ", "14개를 찾았습니다, 7~12번째: "},
	} {
		req.Lang, req.After = lang, ""
		u := search.Understanding{Lang: lang, Wanted: say("category", "Tents")}
		r := b.read(req, u)
		if r.Total != 14 || r.Count != 6 || !strings.HasPrefix(r.Summary, want[0]) {
			t.Errorf("%s: %d of %d: %q, want 6 of 14: %q", lang, r.Count, r.Total, r.Summary, want[0])
		}
		req.After = r.Next
		if r := b.read(req, u); r.Total != 14 || !strings.HasPrefix(r.Summary, want[1]) {
			t.Errorf("%s: %d of %d: %q, want %q", lang, r.Count, r.Total, r.Summary, want[1])
		}
	}
}

// Words and filters are "and", and what is counted beside words is what these found.
func TestWordsAndFilters(t *testing.T) {
	b := outdoor(t)
	r := b.read(search.Request{Query: "a lens filter", Filters: map[string]search.Choices{"brand": {"Marbles"}}, Counts: []string{"category"}}, search.Understanding{Meant: "lens filter"})
	if r.Total != 1 || len(r.Products) != 1 || r.Products[0].Name != "Marbles lens filter" || len(r.Counts) != 1 || r.Counts[0].Total != 1 {
		t.Errorf("found %+v of %d, counts %+v; want the filter alone", r.Products, r.Total, r.Counts)
	}
	for _, c := range r.Counts[0].Counts {
		if want := map[string]int64{"Optics": 1}[c.Code]; c.Count != want {
			t.Errorf("%d are %s, want %d", c.Count, c.Code, want)
		}
	}
}

// A filter is a value or a list of them.
func TestListsOfFilters(t *testing.T) {
	b := outdoor(t)
	for body, want := range map[string]int{
		`{"filters":{"color":"green"}}`: 7, `{"filters":{"color":["green"]}}`: 7, `{"filters":{"color":["green","black"]}}`: 13, `{"filters":{"color":"green|black"}}`: 13, `{"filters":{"color":["green|purple","black"]}}`: 20,
	} {
		var req search.Request
		if err := json.Unmarshal([]byte(body), &req); err != nil {
			t.Fatal(err)
		}
		if r := b.search(req); r.Total != want {
			t.Errorf("%s finds %d, want %d", body, r.Total, want)
		}
	}
}

// Nobody who wants a tent is shown something else because it is cheap: the cheapest tent is named.
func TestKindOfThingIsKept(t *testing.T) {
	b := outdoor(t)
	ten := []search.Bounds{{Facet: "price", Max: 10, Unit: "EUR"}}
	r := b.read(search.Request{Query: "tents under 10 euro"}, search.Understanding{Lang: "en", Wanted: say("category", "Tents"), Ranges: ten})
	if len(r.Products) > 0 || len(r.Relaxed) > 0 || !strings.HasSuffix(r.Summary, "The cheapest is Fjell 0 dome tent, 49 EUR.") {
		t.Errorf("%d products, relaxed %q, %q; want none, and the cheapest named", len(r.Products), r.Relaxed, r.Summary)
	}
	r = b.read(search.Request{Query: "a purple tent under 55 euro"}, search.Understanding{Lang: "en", Wanted: say("category", "Tents", "color", "purple"), Ranges: []search.Bounds{{Facet: "price", Max: 55, Unit: "EUR"}}})
	if len(r.Products) != 1 || r.Products[0].Name != "Fjell 0 dome tent" || !slices.Equal(r.Relaxed, []string{"color"}) || strings.Contains(r.Summary[:strings.Index(r.Summary, ".")], "purple") {
		t.Errorf("%d products, relaxed %q, %q; want the green tent, and nothing purple said to be found", len(r.Products), r.Relaxed, r.Summary)
	}
}

// A question about the purple one is answered for it, and not for the first that was shown.
func TestThePurpleOne(t *testing.T) {
	b := outdoor(t)
	tents := search.Understanding{Lang: "en", Wanted: say("category", "Tents")}
	first := b.read(search.Request{Query: "tents please", Session: search.NewSession}, tents)
	u := search.Understanding{Lang: "en", Wanted: say("category", "Tents", "color", "purple"), Reference: search.ToThese, Intent: search.Availability}
	r := b.read(search.Request{Query: "is the purple one available?", Session: first.Session}, u)
	if len(r.Result.Availability) == 0 || slices.ContainsFunc(r.Products, func(h search.Hit) bool { return h.FrameColor != "purple" }) {
		t.Errorf("the answer is about %+v, want purple ones", r.Products)
	}
	u.Wanted = say("category", "Tents")
	if r := b.read(search.Request{Query: "is it available?", Session: first.Session}, u); len(r.Products) != 1 || r.Products[0].ProductID != first.Products[0].ProductID {
		t.Errorf("\"it\" is %+v, want the first", r.Products)
	}
}

// Without a model, products are found by their words, and nothing is said not to be sold.
func TestModelsAreDown(t *testing.T) {
	b := outdoor(t)
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden})
	for query, want := range map[string]string{"do you have a lens filter?": "Marbles lens filter", "waterproof dome tents for two": "Fjell", "Marbles filter L-1": "Marbles lens filter"} {
		r := b.search(search.Request{Query: query})
		if len(r.Products) == 0 || !strings.HasPrefix(r.Products[0].Name, want) || slices.Contains(r.Warnings, search.WarnNotSold) {
			t.Errorf("%q finds %+v, warnings %q; want %s first", query, r.Products, r.Warnings, want)
		}
	}
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden, Kind: "intent"})
	if r := b.search(search.Request{Query: "something edible for dogs?"}); slices.Contains(r.Warnings, search.WarnNotSold) {
		t.Errorf("what code has read is not sold: %s", r.Summary)
	}
}

// A misspelt word is searched for as it may be meant, and the answer says so; a word that the shop has
// is not another.
func TestSpelled(t *testing.T) {
	b := outdoor(t)
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden})
	r := b.search(search.Request{Query: "watrproof"})
	if r.Total != 14 || !slices.Equal(r.Spelled, []search.Spelled{{Word: "watrproof", Found: "waterproof"}}) || !strings.Contains(r.Summary, `"waterproof" instead of "watrproof"`) {
		t.Errorf("found %d, spelled %+v: %s; want 14 by waterproof", r.Total, r.Spelled, r.Summary)
	}
	if r := b.search(search.Request{Query: "waterproof"}); r.Total != 14 || len(r.Spelled) > 0 {
		t.Errorf("found %d, spelled %+v; want 14", r.Total, r.Spelled)
	}
}

// A value that is no number is within no bounds, and costs the others nothing.
func TestOddNumbers(t *testing.T) {
	b := outdoor(t)
	r := b.read(search.Request{Query: "tents under 1 kg"}, search.Understanding{Lang: "en", Wanted: say("category", "Tents"), Ranges: []search.Bounds{{Facet: "weight", Max: 1, Unit: "kg"}}})
	if r.Total != 3 || len(r.IgnoredFilters) > 0 {
		t.Errorf("%d tents under 1 kg, ignored %v; want 3 (0.5, 0.7 and 0.9)", r.Total, r.IgnoredFilters)
	}
	f, err := b.pipeline.Filters(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, facet := range f.Facets {
		if want := map[string]int{"weight": 1}[facet.Facet]; len(facet.Odd) != want {
			t.Errorf("%s has the odd values %q, want %d", facet.Facet, facet.Odd, want)
		}
	}
}

// What is typed is completed from what the shop sells, without a model.
func TestSuggestions(t *testing.T) {
	b := outdoor(t)
	for typed, want := range map[string]string{"ten": "category Tents", "mar": "brand Marbles", "lens fil": "product Marbles lens filter", "zzz": "", "": ""} {
		s, err := b.pipeline.Suggest(t.Context(), "", typed)
		first := ""
		if len(s.Suggestions) > 0 {
			first = s.Suggestions[0].Kind + " " + s.Suggestions[0].Text
		}
		if err != nil || first != want || len(s.Suggestions) > search.MaxSuggestions {
			t.Errorf("Suggest(%q) = %+v, %v; want %q first", typed, s, err, want)
		}
	}
	if n := len(b.Gemini.Calls()); n > 0 {
		t.Errorf("%d calls of models, want none", n)
	}
}
