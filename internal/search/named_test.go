package search_test

import (
	"slices"
	"testing"

	"example.com/whatis/internal/search"
)

// Words of a name bring its product first, wherever its vector is, if it meets the
// conditions; a SKU brings its product alone before all others.
func TestNames(t *testing.T) {
	b := newBench(t).stock("eyewear", []byte(`{"product_name":"Clubmaster Oak","sku":"AX-4410","brand":"Orvando","category":"Glasses","key_features":["x"],"price":5,"currency":"USD","facets":{"category":"frames","color":"black"}}
{"product_name":"Clubmaster Oak","sku":"AX-4411","brand":"Orvando","category":"Glasses","key_features":["x"],"price":5,"currency":"USD","facets":{"category":"frames","color":"gold"}}
{"product_name":"Quorra Long Distance Touring","sku":"Q-1","brand":"Sol Mare","category":"Glasses","key_features":["walnut","spring hinges","wide bridge","case"],"price":5,"currency":"USD","facets":{"category":"frames","color":"gold"}}
{"product_name":"Zed","sku":"Q-2","brand":"Zed","category":"Glasses","key_features":["quorra"],"description":"quorra quorra","price":5,"currency":"USD"}
{"product_name":"Pilot","sku":"PX-1","brand":"Sol Mare","category":"Glasses","key_features":["clubmasters oak clubmaster"],"description":"clubmaster clubmaster oak","price":5,"currency":"USD","facets":{"category":"frames","color":"gold"}}
`))
	b.config.Shop = "eyewear"
	b.open()
	for query, want := range map[string][]string{
		"clubmaster":          {"AX-4411", "PX-1"}, // AX-4410 is a variant
		"clubmaster black":    {"AX-4410"},
		"AX 4411":             {"AX-4411"},
		"clubmaster oak gold": {"AX-4411", "PX-1"},
		"mare zzyzx":          {"PX-1"},
		"quorra":              {"Q-1", "Q-2"},
	} {
		var got []string
		for _, hit := range b.search(search.Request{Query: query}).Products {
			d, err := b.pipeline.Product(t.Context(), "", hit.ProductID)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, d.SKU)
		}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q finds %q, want %q first", query, got, want)
		}
	}
}
