package catalog

import (
	"testing"
	"time"
)

// What is remembered of a large brand is of that brand, however it is written, and of that shop,
// and for five minutes.
func TestRememberedBrand(t *testing.T) {
	t.Parallel()
	var l largeBrands
	keys := func(shop string, brands ...string) Keys { return Keys{Shop: shop, Brands: brands} }
	if !l.remember(keys("a", "Kraft", "Heinz"), []Product{{Brand: "Kraft", ProductName: "Mac & Cheese"}}) {
		t.Fatal("nothing is remembered")
	}
	looked := func(name string, k Keys, known, rest int) {
		t.Helper()
		if left, products := l.of(k); len(products) != known || len(left.Brands) != rest {
			t.Errorf("%s: %d products remembered and %q left to be looked up, want %d and %d", name, len(products), left.Brands, known, rest)
		}
	}
	looked("the brand", keys("a", "KRAFT", "Kraft"), 1, 0)
	looked("a brand of which nothing was found", keys("a", "Heinz"), 0, 1)
	looked("another beside it", keys("a", "Kraft", "Maggi"), 1, 1)
	looked("another shop", keys("b", "Kraft"), 0, 1)
	l.found[brandOf{"a", "kraft"}] = sample{l.found[brandOf{"a", "kraft"}].products, time.Now().Add(-rememberBrand)}
	looked("five minutes later", keys("a", "Kraft"), 0, 1)
}
