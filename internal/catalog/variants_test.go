package catalog_test

import (
	"testing"

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
