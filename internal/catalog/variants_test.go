package catalog_test

import (
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

func TestVariantKey(t *testing.T) {
	for _, test := range []struct {
		a, b catalog.Product
		same bool
	}{
		{catalog.Product{ProductName: "Aria", SKU: "1"}, catalog.Product{ProductName: "ARIA", SKU: "2"}, true},
		{catalog.Product{ProductName: "Aria", Brand: "A", SKU: "1"}, catalog.Product{ProductName: "Aria", Brand: "B", SKU: "2"}, false},
		{catalog.Product{ProductName: "Aria", SKU: "1"}, catalog.Product{ProductName: "Aria 2", SKU: "2"}, false},
		{catalog.Product{ProductName: "Aria", SKU: "1"}, catalog.Product{ProductName: "Aria"}, false}, // one is learnt, or has no number
		{catalog.Product{ProductName: "Tent S", VariantOf: "T-2"}, catalog.Product{ProductName: "Tent L", VariantOf: "t-2 "}, true},
		{catalog.Product{ProductName: "Tent", SKU: "1", VariantOf: "T-2"}, catalog.Product{ProductName: "Tent", SKU: "2", VariantOf: "T.2"}, false},
		{catalog.Product{ProductName: "Tent"}, catalog.Product{ProductName: "Tent"}, false},
	} {
		a, hasA := test.a.VariantKey()
		b, hasB := test.b.VariantKey()
		if same := hasA && hasB && a == b; same != test.same {
			t.Errorf("%+v and %+v: %v, want %v", test.a, test.b, same, test.same)
		}
	}
}

// Two variants are noted, of one file or of two, and are found by their key.
func TestVariants(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	variants := func(want bool) {
		t.Helper()
		if of, err := im.Catalog.ShopValues(t.Context(), im.Shop); err != nil || of.Variants != want {
			t.Errorf("ShopValues(%s).Variants = %v, %v; want %v", im.Shop, of.Variants, err, want)
		}
	}
	run := func(file string) {
		t.Helper()
		if _, err := im.Run(t.Context(), strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
	}
	black, red := line("Aria", `,"sku":"A-1","facets":{"color":"black"}`), line("Aria", `,"sku":"A-2","facets":{"color":"red"}`)
	run(black)
	run(line("Vega", `,"sku":"V-1"`))
	variants(false)
	run(red)
	variants(true)
	key, _ := catalog.Product{ProductName: "Aria", Brand: "Lune", SKU: "A-1"}.VariantKey()
	if found, err := im.Catalog.Variants(t.Context(), im.Shop, im.Space.ID(), []catalog.Key{key}, 9); err != nil || len(found) != 2 {
		t.Errorf("Variants = %+v, %v; want both", found, err)
	}
	im.Shop = "both"
	run(black + red)
	variants(true)
	im.Shop = "one"
	run(line("Aria", `,"variant_of":"A"`))
	variants(true)
}
