package query

import (
	"slices"
	"strings"
	"testing"
)

// A shop of another domain has its own words: those of the file count only for facets
// whose values are the file's.
func TestOfAnotherDomain(t *testing.T) {
	v := vocabulary(t).Of(map[string][]Held{
		"category": {{"Tents", 40}, {"Sleeping Bags", 22}},
		Brand:      {{"North Ridge", 12}, {"North Peak", 9}, {"Tundra Works", 3}},
		"color":    {{"Navy Blue", 7}, {"blue", 5}, {"Moss", 2}},
		"weight":   {{"1.8 kg", 4}, {"2.5 kg", 6}, {"4 kg", 1}},
		"persons":  {{"2", 6}, {"3", 1}},
	})
	var names []string
	for _, f := range v.Facets {
		names = append(names, f.Name)
	}
	if got, want := strings.Join(names, " "), "category color brand persons weight"; got != want {
		t.Errorf("facets %q, want %q", got, want)
	}
	if v.Domain != "Tents, Sleeping Bags" || len(v.Advice) > 0 {
		t.Errorf("domain %q with %d pieces of advice, want the categories and none", v.Domain, len(v.Advice))
	}
	blue, _ := v.Value("color", "blue")
	if blue.Count != 12 || !slices.Equal(slices.Sorted(slices.Values(blue.Keys)), []string{"blue", "navyblue"}) {
		t.Errorf("blue = %+v, want 12 products, Navy Blue among them", blue)
	}
	weight := v.Facet("weight")
	if got := within(weight, 0, 2.6); !weight.Number || weight.Unit != "kg" || !slices.Equal(slices.Sorted(slices.Values(got)), []string{"1.8 kg", "2.5 kg"}) {
		t.Errorf("weight %+v up to 2.6: %q", weight, got)
	}
	tests := []struct{ query, is string }{
		{"tents", "category=Tents"}, {"sleeping bag", "category=Sleeping Bags"}, {"tent in màu xanh navy", "category=Tents color=blue"},
		{"moss tents", "category=Tents color=Moss"}, {"tundra", "brand=tundraworks"}, {"north", ""}, {"tent for 2", "category=Tents"}, {"round frames", ""},
	}
	for _, test := range tests {
		r := v.Read(test.query, languagesOf(t))
		var is []string
		for _, f := range v.Facets {
			if len(r.Is[f.Name]) > 0 {
				is = append(is, f.Name+"="+strings.Join(r.Is[f.Name], "|"))
			}
		}
		if got := strings.Join(is, " "); got != test.is {
			t.Errorf("Read(%q) is %q, want %q", test.query, got, test.is)
		}
	}
}

// One word in common makes no shop of the domain: bicycles have frames too, and are lent no shapes, no advice
// and no words.
func TestOneWordInCommon(t *testing.T) {
	v := vocabulary(t).Of(map[string][]Held{
		"category":   {{"Frames", 5}, {"Saddles", 30}, {"Brakes", 20}},
		"frameShape": {{"Diamond", 4}, {"round", 1}},
	})
	if v.Domain != "Saddles, Brakes, Frames" || len(v.Advice) > 0 || len(v.Pictures.Other) > 0 {
		t.Errorf("domain %q, %d pieces of advice, pictures %+v; want the categories and none", v.Domain, len(v.Advice), v.Pictures)
	}
	for _, facet := range []string{"category", "frameShape"} {
		for _, value := range v.Facet(facet).Values {
			if value.Count == 0 || value.Vi != value.En {
				t.Errorf("%s has %+v, which the shop does not say", facet, value)
			}
		}
	}
}

// A few values that are no number do not cost a facet its bounds; many make it one of texts.
func TestOddValues(t *testing.T) {
	for _, test := range []struct {
		odd    int64
		number bool
	}{{1, true}, {2, true}, {3, false}} {
		f := vocabulary(t).Of(map[string][]Held{"category": {{"Tents", 9}}, "weight": {{"1 kg", 12}, {"900 g", 8}, {"N/A", test.odd}}}).Facet("weight")
		if got := within(f, 0, 0.95); f.Number != test.number || test.number && (f.Unit != "kg" || !slices.Equal(f.Odd, []string{"N/A"}) || !slices.Equal(got, []string{"900 g"})) {
			t.Errorf("with %d odd of 20: %+v, under 0.95 %q; want a number: %v", test.odd, f, got, test.number)
		}
	}
}

// Of a shop of the domain, each value is counted, and what is in no file is one too.
func TestOfTheDomain(t *testing.T) {
	v := vocabulary(t).Of(map[string][]Held{"category": {{"sunglasses", 3}, {"Goggles", 1}}, "color": {{"black", 4}}})
	if g, ok := v.Value("category", "Goggles"); !ok || g.Count != 1 || v.Domain != "eyewear" || len(v.Advice) == 0 {
		t.Errorf("Goggles = %+v, %v in %s", g, ok, v.Domain)
	}
	if red, ok := v.Value("color", "red"); !ok || red.Count != 0 {
		t.Errorf("red = %+v, %v; want a word that is known and no product", red, ok)
	}
	if _, ok := v.Value("frameShape", "round"); ok {
		t.Error("the shop has shapes, which no product has")
	}
}

// Numbers keep their signs and decimals, and units that shops mix are converted.
func TestNumbers(t *testing.T) {
	v := vocabulary(t).Of(map[string][]Held{"category": {{"Tents", 9}}, "weight": {{"1.8 kg", 3}, {"18 kg", 2}, {"420 g", 1}, {"1,5 kg", 1}}, "comfort": {{"-5 °C", 2}, {"5 °C", 1}, {"−20 °C", 1}}})
	for _, test := range []struct {
		facet     string
		low, high float64
		want      string
	}{
		{"weight", 0, 2, "1.8 kg, 1,5 kg, 420 g"}, {"weight", 1.6, 0, "1.8 kg, 18 kg"}, {"comfort", 0, -5, "-5 °C, −20 °C"}, {"comfort", -5, 5, "-5 °C, 5 °C"},
	} {
		f := v.Facet(test.facet)
		if got := strings.Join(within(f, test.low, test.high), ", "); got != test.want || !f.Number {
			t.Errorf("%s from %v to %v = %q, number %v; want %q", test.facet, test.low, test.high, got, f.Number, test.want)
		}
	}
	if code, _ := v.Code("weight", "1.5 kg"); code != "1,5 kg" {
		t.Errorf("Code(1.5 kg) = %q, want that of 1,5 kg", code)
	}
	if code, _ := v.Code("comfort", "5 °C"); code != "5 °C" {
		t.Errorf("Code(5 °C) = %q", code)
	}
}

// within returns the codes of a facet's values from low to high.
func within(f Facet, low, high float64) (codes []string) {
	for _, value := range f.Values {
		if f.Between(value.En, low, high) {
			codes = append(codes, value.Code)
		}
	}
	return codes
}
