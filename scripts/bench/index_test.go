//go:build linux

package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/index"
)

// What an index of 10,000 products takes, or of as many as WHATIS_SHOP says: to be compared as a whole and in
// part, to be read from the file first, and for a page and a count.
func BenchmarkIndex(b *testing.B) {
	n, _ := strconv.Atoi(cmp.Or(os.Getenv("WHATIS_SHOP"), "10000"))
	of := index.About{Shop: "shop", Space: "space"}
	path := filepath.Join(b.TempDir(), "index.sqlite")
	x, err := index.Create(b.Context(), path, of)
	if err != nil {
		b.Fatal(err)
	}
	random, all := rand.New(rand.NewPCG(1, 2)), samples.Frames()
	for from := 0; from < n; from += 1000 {
		var some []catalog.Product
		for i, v := range drawn(random, min(1000, n-from)) {
			f := all[(from+i)%len(all)]
			some = append(some, catalog.Product{
				ID: fmt.Sprintf("%032x", from+i), Shop: "shop", ProductName: fmt.Sprintf("%s %d", f.Name, from+i), Brand: f.Brand, Category: f.Category, SKU: fmt.Sprintf("L-%05d", from+i),
				Price:   catalog.Price{Amount: float64(100_000 + (from+i)*7919%4_000_000), Currency: "VND"},
				Facets:  map[string]string{"category": f.Category, "gender": f.Gender, "color": f.Color, "frameMaterial": f.Material, "frameShape": f.Shape},
				Vectors: catalog.Vectors{Embedder: "space", SearchEmbedding: v, ImageEmbedding: v},
			})
		}
		if err := x.Put(b.Context(), some...); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	if info, err := os.Stat(path); err == nil {
		b.Logf("%d products are %d bytes", n, info.Size())
	}
	to := index.Vectors{drawn(random, 1)[0], nil}
	red := index.Filter{Any: []index.Values{{Facet: "color", Keys: []string{"red"}}}}
	compare := func(x *index.Index, f index.Filter) int {
		found, err := x.Compare(b.Context(), f, to, n)
		if err != nil {
			b.Fatal(err)
		}
		compared := 0
		for range found {
			compared++
		}
		return compared
	}
	b.Run("opened and compared for the first time", func(b *testing.B) {
		for b.Loop() {
			x, err := index.Open(b.Context(), path, of)
			if err != nil {
				b.Fatal(err)
			}
			compare(x, index.Filter{})
			x.Close()
		}
	})
	if x, err = index.Open(b.Context(), path, of); err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	compare(x, index.Filter{}) // reads the vectors
	for name, f := range map[string]index.Filter{"compared": {}, "the red ones compared": red} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(compare(x, f)), "products")
			}
		})
	}
	q := index.Query{Filter: red, All: true, Order: index.Cheapest, Currencies: []string{"VND"}, Limit: 20}
	b.Run("the cheapest red ones", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := x.Find(b.Context(), "shop", q); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("counts of their shapes", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := x.Count(b.Context(), q, "frameShape"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
