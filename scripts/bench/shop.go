//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
)

const (
	defaultShop   = "default"
	stocked       = 1000
	forSale       = 100
	smallShop     = "small"
	smallProducts = 374
	largeShop     = "large"
	largeProducts = 10_000
)

// fillShop imports lines of products into a shop. Their vectors are drawn, not embedded:
// unit vectors in all directions.
func fillShop(ctx context.Context, products *catalog.Catalog, space catalog.VectorSpace, shop string, lines []byte) error {
	draw := rand.New(rand.NewPCG(1, 2))
	texts := func(_ context.Context, texts []string) ([][]float32, error) { return drawn(draw, len(texts)), nil }
	done, err := catalog.Import{
		Catalog: products, Shop: shop, Space: space, Country: "VN", Lang: "vi", Embed: texts, EmbedDocuments: texts,
		EmbedImages: func(_ context.Context, pictures []*catalog.Picture) error {
			for i, v := range drawn(draw, len(pictures)) {
				pictures[i].Vector = v
			}
			return nil
		},
	}.Run(ctx, bytes.NewReader(lines))
	if n := bytes.Count(lines, []byte("\n")); err == nil && done.New != n {
		err = fmt.Errorf("the shop has %d products, want %d", done.New, n)
	}
	return err
}

// packs returns n products of packs for an import, 50 of each brand.
func packs(n int) []byte {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	for i := range n {
		brand := "Haetsal"
		if i >= 49 { // and the one of stock
			brand = fmt.Sprintf("Brand %d", (i+1)/50)
		}
		_ = lines.Encode(map[string]any{"product_name": fmt.Sprintf("Pack %d", i), "brand": brand, "category": "Snack", "key_features": []string{"crisps", "salted"}, "country": "US", "lang": "en"})
	}
	return b.Bytes()
}

// frames returns n products of every facet for an import: the sample frames again and again,
// under other names and at other prices.
func frames(n int) []byte {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	all := samples.Frames()
	for i := range n {
		f := all[i%len(all)]
		_ = lines.Encode(map[string]any{ // into memory, strings and numbers
			"product_name": fmt.Sprintf("%s %d", f.Name, i), "brand": f.Brand, "category": f.Category, "key_features": []string{f.Shape, f.Color},
			"sku": fmt.Sprintf("L-%05d", i), "price": 100_000 + i*7919%4_000_000, "currency": "VND", "stock": f.Stock,
			"image_uri": "gs://none/" + f.SKU + ".png",
			"facets":    map[string]string{"category": f.Category, "gender": f.Gender, "color": f.Color, "frameMaterial": f.Material, "frameShape": f.Shape},
		})
	}
	return b.Bytes()
}

// drawn returns n random unit vectors.
func drawn(r *rand.Rand, n int) [][]float32 {
	vectors := make([][]float32, n)
	for i := range vectors {
		v, squares := make([]float32, catalog.Dimensions), 0.0
		for j := range v {
			x := r.NormFloat64()
			v[j], squares = float32(x), squares+x*x
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(squares))
		}
		vectors[i] = v
	}
	return vectors
}
