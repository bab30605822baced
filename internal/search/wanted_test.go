package search

import (
	"reflect"
	"testing"
)

// Of all that words say, nothing of a chosen facet is left, and all of others.
func TestUnderAChoice(t *testing.T) {
	a, b := Exclusion{Facet: "color", Code: "red"}, Exclusion{Facet: "size", Code: "L"}
	said := wanted{
		is:  map[string][]string{"color": {"red"}, "size": {"L"}},
		not: []Exclusion{a, b}, preferred: []Exclusion{a, b}, compared: []Exclusion{a, b},
		ranges: []Bounds{{Facet: "color", Min: 1}, {Facet: "size", Max: 2}},
		prices: []PriceRange{{Max: 50, Currency: "USD"}, {Max: 5, Currency: "EUR"}},
	}
	c := choice{facets: map[string][]string{"color": {"black"}}, price: PriceRange{Min: 10}, sort: PriceUp, inStock: true}
	want := wanted{
		is:  map[string][]string{"size": {"L"}},
		not: []Exclusion{b}, preferred: []Exclusion{b}, compared: []Exclusion{b},
		ranges: []Bounds{{Facet: "size", Max: 2}}, prices: []PriceRange{{Max: 50, Currency: "USD"}}, sort: PriceUp, inStock: true, chosen: c,
	}
	if got := said.under(c); !reflect.DeepEqual(got, want) {
		t.Errorf("under = %+v, want %+v", got, want)
	}
	if len(said.not) != 2 || len(said.is) != 2 || said.not[0] != a {
		t.Errorf("under has changed what was said: %+v", said)
	}
}
