package search_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	emulated "example.com/whatis/emulators/gemini"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/search"
)

// Of what a shop does not sell nothing is shown: the answer says so in its language, and suggests the
// nearest category, which finds something.
func TestNotSold(t *testing.T) {
	b := eyewear(t)
	for _, test := range []struct{ query, lang, summary string }{
		{"iphone 15", "en", "We do not have this: iphone 15. The nearest that we have: "},
		{"nồi cơm điện", "vi", "Cửa hàng không có thứ này: nồi cơm điện. Gần nhất mà cửa hàng có: "},
		{"냉장고", "ko", "이 상품은 없습니다: 냉장고. 가장 가까운 상품 종류: "},
		{"iphone 15 under 20 million", "en", "We do not have this: iphone 15 under 20 million."},
	} {
		r := b.search(search.Request{Query: test.query, Lang: test.lang})
		if r.Count != 0 || !strings.HasPrefix(r.Summary, test.summary) || !slices.Contains(r.Warnings, search.WarnNotSold) || len(r.Result.Suggestions) != 1 || r.Next != "" {
			t.Errorf("%q: %d products, warnings %q, suggestions %q, %q; want none, and %q", test.query, r.Count, r.Warnings, r.Result.Suggestions, r.Summary, test.summary)
			continue
		}
		if found := b.search(search.Request{Query: r.Result.Suggestions[0]}); found.Count == 0 || slices.Contains(found.Warnings, search.WarnNotSold) {
			t.Errorf("the suggestion %q finds %d products: %s", r.Result.Suggestions[0], found.Count, found.Summary)
		}
	}
}

// What has values that are asked for, or is named, is found however unlike the words are;
// and so is what is like them.
func TestBeyondTheFloor(t *testing.T) {
	b := eyewear(t)
	for name, test := range map[string]struct {
		req search.Request
		u   search.Understanding
	}{
		"a colour": {req: search.Request{Query: "the iphone 15 in black"}, u: search.Understanding{Wanted: []search.Statement{{Facet: "color", Value: "black"}}, Meant: "iphone 15"}},
		"a name":   {req: search.Request{Query: "a phone or Gió 305"}, u: search.Understanding{Meant: "phone", Products: []string{"Gió 305"}}},
		"likeness": {req: search.Request{Query: "something rimless"}, u: search.Understanding{Meant: "không viền"}},
	} {
		b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(test.u)})
		if r := b.search(test.req); r.Count == 0 || slices.Contains(r.Warnings, search.WarnNotSold) {
			t.Errorf("%s: %d products, warnings %q, %s", name, r.Count, r.Warnings, r.Summary)
		}
	}
}

// A chosen filter is a condition beside the words, and not in place of them.
func TestFilterKeepsTheFloor(t *testing.T) {
	b := eyewear(t)
	if r := b.search(search.Request{Query: "iphone 15", Filters: map[string]search.Choices{"category": {"sunglasses"}}}); r.Count != 0 || r.Total != 0 || !slices.Contains(r.Warnings, search.WarnNotSold) {
		t.Errorf("%d of %d products, %q: %s; want none", r.Count, r.Total, r.Warnings, r.Summary)
	}
}

// What was shown is not said not to be sold, where others are asked for and there are none.
func TestNoOthersAreSold(t *testing.T) {
	b := eyewear(t)
	limit := search.MaxLimit
	u := search.Understanding{Lang: "en", Meant: "không viền"}
	first := b.read(search.Request{Query: "something rimless", Session: search.NewSession, Limit: &limit}, u)
	u.Reference = search.ToOthers
	r := b.read(search.Request{Query: "show me others", Session: first.Session, Limit: &limit}, u)
	if first.Count == 0 || r.Count != 0 || r.Summary != "Nothing was found: show me others." || len(r.Warnings) > 1 {
		t.Errorf("after %d: %d, %q, %q; want nothing, and no more said than that", first.Count, r.Count, r.Summary, r.Warnings)
	}
}

// Of more products than are compared here Firestore finds the nearest: these are the same ones, with the
// same scores to a thousandth.
func TestNearestByFirestore(t *testing.T) {
	b := eyewear(t)
	asked := []search.Request{
		{Query: "something rimless"},
		{Query: "sunglasses"},
		{Image: frameOf(t, "EW-1001").PNG()},
		{Query: "like this in black", Image: frameOf(t, "EW-1001").PNG()},
		{Query: "iphone 15"},
	}
	answer := func() (all []search.Result) {
		for _, req := range asked {
			all = append(all, b.search(req))
		}
		return all
	}
	here := answer()
	b.config.Compared = 1
	b.open()
	b.Firestore.ResetCalls()
	there := answer()
	if n := b.Firestore.Reads().Vectors; n == 0 {
		t.Error("Firestore has compared no vectors")
	}
	for i, req := range asked {
		if len(here[i].Products) != len(there[i].Products) || !slices.Equal(here[i].Warnings, there[i].Warnings) {
			t.Errorf("%q: %d products, %q; by Firestore %d, %q", req.Query, here[i].Count, here[i].Warnings, there[i].Count, there[i].Warnings)
			continue
		}
		for j, hit := range here[i].Products {
			if other := there[i].Products[j]; math.Abs(hit.Score-other.Score) > 0.001 {
				t.Errorf("%q, product %d: %s %v; by Firestore %s %v", req.Query, j+1, hit.Name, hit.Score, other.Name, other.Score)
			}
		}
	}
}
