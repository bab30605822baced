package analyze

import (
	"testing"

	"example.com/whatis/internal/catalog"
)

// Signs that make another name tell products apart; those that only write it otherwise do not.
func TestDiffer(t *testing.T) {
	for _, test := range []struct {
		a, b       Analysis
		different  bool
		otherBrand bool
	}{
		{Analysis{ProductName: "Orion S23", Brand: "Vela"}, Analysis{ProductName: "Orion S23+", Brand: "Vela"}, true, false},
		{Analysis{ProductName: "Learning C#"}, Analysis{ProductName: "Learning C++"}, true, false},
		{Analysis{ProductName: "Socket M1/2"}, Analysis{ProductName: "Socket M12"}, true, false},
		{Analysis{ProductName: "Tent", Brand: "Vela+"}, Analysis{ProductName: "Tent", Brand: "Vela#"}, true, true},

		{Analysis{ProductName: "Orion S23+"}, Analysis{ProductName: "ORION S23+™"}, false, false},
		{Analysis{ProductName: "Orion Tea 2.5 l"}, Analysis{ProductName: "Orion Tea 2,5L"}, false, false},
		{Analysis{ProductName: "Orion Tea 500ml"}, Analysis{ProductName: "Orion Tea 1.5l"}, false, false}, // quantities aside
		{Analysis{ProductName: "Sun Milk 50+"}, Analysis{ProductName: "Sun Milk 50"}, false, false},
		{Analysis{ProductName: "Orion-Tea", Brand: "Vela®"}, Analysis{ProductName: "Orion Tea", Brand: "VELA"}, false, false},
		{Analysis{ProductName: "Farmer's Tea"}, Analysis{ProductName: "Farmer’s Tea"}, false, false},
		{Analysis{ProductName: "Tea", Brand: "Vela & Co."}, Analysis{ProductName: "Tea", Brand: "Vela"}, false, false},
	} {
		for _, pair := range [][2]Analysis{{test.a, test.b}, {test.b, test.a}} {
			if got, other := differ(pair[0], pair[1]), otherBrands(pair[0], pair[1]); got != test.different || other != test.otherBrand {
				t.Errorf("%q of %q and %q of %q: differ %v, brands %v; want %v, %v", pair[0].ProductName, pair[0].Brand, pair[1].ProductName, pair[1].Brand, got, other, test.different, test.otherBrand)
			}
		}
	}
}

// The catalogue's other names are those of the product that is named, not of one with another sign.
func TestSignsInTheCatalogue(t *testing.T) {
	found := []catalog.Product{{ProductName: "Orion S23", Aliases: []string{"오리온 S23"}, Brand: "Vela", BrandAliases: []string{"벨라"}}}
	k := knowledge(Analysis{Brand: "Vela"}, found)
	for _, test := range []struct {
		name, brand string
		same        bool
	}{
		{"Orion S23+", "Vela+", false}, {"Orion S2.3", "Vela#", false}, {"ORION S-23™", "VELA®", true}, {"orion s23", "vela", true},
	} {
		if got := len(aliases(found, test.name, productNames)) > 0; got != test.same {
			t.Errorf("aliases of %q: %v, want %v", test.name, got, test.same)
		}
		if got := pairs(found, productNames, test.name, "오리온 S23"); got != test.same {
			t.Errorf("%q is paired: %v, want %v", test.name, got, test.same)
		}
		if got := k.is(brandWords(test.brand)); got != test.same {
			t.Errorf("%q is a brand of the catalogue: %v, want %v", test.brand, got, test.same)
		}
	}
}

// Of another maker is a product whose brand is known to be another, under all of its names, and in whose
// own name the brand that was read does not stand.
func TestOtherMaker(t *testing.T) {
	for _, test := range []struct {
		read, printed, product string
		brands                 []string
		want                   bool
	}{
		{"Vela", "", "Tea", []string{"Orion"}, true},
		{"Vela", "", "Tea", []string{"Orion", "Vela"}, false}, // an alias
		{"Vela", "", "Vela Tea", []string{"Orion"}, false},    // a line of Orion's
		{"Vela", "Sola", "Sola Tea", []string{"Orion"}, false},
		{"Vela", "", "Tea", []string{""}, false}, // a record without a brand
		{"Vela", "", "Tea", []string{"오리온"}, false},
		{"", "", "Tea", []string{"Orion"}, false},
	} {
		if got := (Analysis{Brand: test.read, BrandAsPrinted: test.printed}).otherMaker(test.product, test.brands...); got != test.want {
			t.Errorf("otherMaker(%q as %q, %q of %q) = %v, want %v", test.read, test.printed, test.product, test.brands, got, test.want)
		}
	}
}
