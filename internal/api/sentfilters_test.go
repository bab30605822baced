package api

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

// The filters that are sent are those that the shop has now: kept while they are the same ones,
// and made anew when they are others, or another shop's.
func TestSentFilters(t *testing.T) {
	t.Parallel()
	var sent sentFilters
	got := func(f *search.Filters) (body, tag string) {
		t.Helper()
		w := httptest.NewRecorder()
		if err := sent.of(f)(w, httptest.NewRequest("GET", "/search/filters", nil)); err != nil {
			t.Fatal(err)
		}
		return w.Body.String(), w.Header().Get("ETag")
	}
	filters := func(shop, color string) *search.Filters {
		return &search.Filters{Shop: shop, Facets: []search.FacetFilter{{Facet: "color", Values: []search.FilterValue{{Code: color}}}}}
	}
	blue, moss, other := filters("a", "blue"), filters("a", "moss"), filters("b", "sage")
	tags := map[string]bool{}
	for _, f := range []*search.Filters{blue, moss, other, blue} {
		body, tag := got(f)
		tags[tag] = true
		if want := f.Facets[0].Values[0].Code; !strings.Contains(body, want) {
			t.Errorf("the filters of %s are sent as %s, want %s", f.Shop, body, want)
		}
	}
	if len(tags) != 3 {
		t.Errorf("three filters have the tags %v", tags)
	}
	blue.Facets = nil // as nobody does: what was sent once is not encoded again
	if body, _ := got(blue); !strings.Contains(body, "blue") {
		t.Errorf("the same filters are encoded again: %s", body)
	}
}
