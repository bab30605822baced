package search_test

import (
	"fmt"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
)

// read runs a search whose query the model reads so.
func (b *bench) read(req search.Request, u search.Understanding) search.Result {
	b.t.Helper()
	b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(u)})
	defer b.Gemini.ResetScript()
	return b.search(req)
}

// A count is of what is said beside it: of what was chosen too, of nothing only where that is asked
// for, and not by a price that cannot be compared.
func TestCountsSayOfWhat(t *testing.T) {
	b := eyewear(t)
	black := count(func(f samples.Frame) bool { return f.Color == "black" })
	all := count(func(samples.Frame) bool { return true })
	nikes := []search.Statement{{Facet: "brand", Value: "Nike"}}
	cheap := count(func(f samples.Frame) bool { return f.Price <= 500_000 })
	for name, test := range map[string]struct {
		req     search.Request
		u       search.Understanding
		total   int
		summary string
	}{
		"of what is chosen": {search.Request{Query: "how many products do you have?", Filters: map[string]search.Choices{"color": {"black"}}}, search.Understanding{}, black, "%d products: black. By category:"},
		"of a chosen price": {search.Request{Query: "how many are there?", Price: &search.PriceRange{Max: 500_000}}, search.Understanding{}, cheap, "%d products: up to 500,000. By category:"},
		"of none":           {search.Request{Query: "how many Nikes do you have?"}, search.Understanding{Wanted: nikes, Counted: "brand"}, 0, "%d products: Nike. By brand:"},
		"of a chosen brand in place of none": {
			search.Request{Query: "how many by Nike are there?", Filters: map[string]search.Choices{"color": {"black"}, "brand": {"Orvando"}}}, search.Understanding{Wanted: nikes},
			count(func(f samples.Frame) bool { return f.Color == "black" && f.Brand == "Orvando" }), `%d products: Orvando, black. By category: "Nike" is not known here and was left out.`,
		},
		"in another currency": {
			search.Request{Query: "how many are under 80 USD?"}, search.Understanding{Ranges: []search.Bounds{{Facet: "price", Max: 80, Unit: "USD"}}},
			all, `The shop has %d products; by category: "0–80 USD" is not known here and was left out.`,
		},
	} {
		test.u.Lang, test.u.Intent = "en", search.CategoryStats
		r := b.read(test.req, test.u)
		if want := fmt.Sprintf(test.summary, test.total); r.Result.Stats.Total != int64(test.total) || r.Summary != want {
			t.Errorf("%s: %d, %q; want %d, %q", name, r.Result.Stats.Total, r.Summary, test.total, want)
		}
	}
}
