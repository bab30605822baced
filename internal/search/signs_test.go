package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

// Products whose names differ in a sign alone are different: none is a variant of another, none is named
// exactly by another's name, and their values are different filters.
func TestSignsTellProductsApart(t *testing.T) {
	b := newBench(t)
	pairs := [][2]string{{"Learning C++", "Learning C#"}, {"Water 2.5 l", "Water 25 l"}, {"Socket 1/2", "Socket 12"}, {"Galaxy S23", "Galaxy S23+"}, {"Lens -2.50", "Lens +2.50"}}
	var file, kinds strings.Builder
	for i, pair := range pairs {
		for j, name := range pair {
			fmt.Fprintf(&file, `{"product_name":%q,"brand":"A","sku":"%d-%d","key_features":["a"]}`+"\n", name, i, j)
			fmt.Fprintf(&kinds, `{"product_name":"A %d","sku":"%d-%d","key_features":["a"],"facets":{"kind":%q}}`+"\n", 2*i+j, i, j, name)
		}
	}
	b.stock("signs", []byte(file.String())).stock("kinds", []byte(kinds.String()))
	for n, pair := range pairs {
		for i, name := range pair {
			r := b.search(search.Request{Shop: "signs", Query: name})
			if len(r.Products) < 2 || r.Products[0].Name != name || r.Products[0].Variants != nil {
				t.Errorf("%q finds %q with %+v first, want it without variants", name, namesOf(r), r.Products[0].Variants)
			}
			for _, h := range r.Products {
				if h.Name == pair[1-i] && slices.Contains(h.Why, "named exactly") {
					t.Errorf("%q names %q exactly", name, h.Name)
				}
			}
			if got := namesOf(b.search(search.Request{Shop: "kinds", Filters: map[string]search.Choices{"kind": {name}}})); !slices.Equal(got, []string{fmt.Sprint("A ", 2*n+i)}) {
				t.Errorf("the filter %q finds %q", name, got)
			}
		}
	}
	if r := b.search(search.Request{Shop: "signs", Query: "Water 2,5 l"}); r.Products[0].Name != "Water 2.5 l" || !slices.Contains(r.Products[0].Why, "named exactly") {
		t.Errorf("a decimal comma finds %q, %q", namesOf(r), r.Products[0].Why)
	}
}
