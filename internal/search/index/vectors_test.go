package index

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"example.com/whatis/internal/catalog"
)

// Scores are the cosines of the vectors that the catalogue has, to a thousandth, before and after the file is
// written and products change; what is removed or lacks a vector has none.
func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	vector := func() []float32 {
		v := make([]float32, catalog.Dimensions)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		return v
	}
	goods := goodsOf(60)
	for i := range goods {
		goods[i].Vectors = catalog.Vectors{Embedder: "space", SearchEmbedding: vector()}
		if i%3 > 0 {
			goods[i].Vectors.ImageEmbedding = vector()
		}
	}
	goods[5].Vectors.Embedder = "other"
	of := About{Database: "db", Shop: "shop", Space: "space"}
	x, err := Create(t.Context(), filepath.Join(t.TempDir(), "index.sqlite"), of)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	to := Vectors{unit(vector()), unit(vector())}
	compare := func(x *Index, f Filter, want ...catalog.Product) {
		t.Helper()
		all, err := x.Compare(t.Context(), f, to, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Scores{}
		for id, scores := range all {
			got[id] = scores
		}
		if len(got) != len(want) {
			t.Errorf("Compare(%+v) = %d products, want %d", f, len(got), len(want))
		}
		for _, p := range want {
			v := p.In("space")
			for i, of := range [][]float32{v.SearchEmbedding, v.ImageEmbedding} {
				if score, has := got[p.ID]; !has || !(math.Abs(score[i]-cosine(to[i], of)) < 0.001) && !(math.IsNaN(score[i]) && len(of) == 0) {
					t.Errorf("Compare(%+v) = %v for %s, want %v", f, got[p.ID], p.ID, cosine(to[i], of))
				}
			}
		}
	}
	if err := x.Put(t.Context(), goods[:40]...); err != nil {
		t.Fatal(err)
	}
	compare(x, Filter{}, goods[:40]...)
	goods[7].Vectors.SearchEmbedding = vector() // with nothing else
	goods[8].ProductName = "Another"
	if err := x.Put(t.Context(), goods...); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete(t.Context(), goods[0].ID); err != nil {
		t.Fatal(err)
	}
	compare(x, Filter{}, goods[1:]...)
	black := Filter{Any: []Values{{"color", []string{"black"}}}}
	selected := plain(goods[1:], Query{Filter: black, All: true, Limit: 100})
	compare(x, black, slices.DeleteFunc(slices.Clone(goods), func(p catalog.Product) bool { return !slices.Contains(selected, p.ID) })...)
	if none, err := x.Compare(t.Context(), Filter{}, to, 10); err != nil || none != nil {
		t.Errorf("Compare of 59 products, 10 at most = %v, %v; want none", none, err)
	}
	path := filepath.Join(t.TempDir(), "snapshot.sqlite")
	if err := x.Snapshot(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), path, of)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	compare(again, Filter{}, goods[1:]...)
	v, err := again.VectorsOf(t.Context(), goods[7].ID)
	if err != nil || cosine(v[0], goods[7].Vectors.SearchEmbedding) < 0.999 || cosine(v[1], goods[7].Vectors.ImageEmbedding) < 0.999 {
		t.Errorf("VectorsOf = %v, %v; want those of the product", v, err)
	}
}

func unit(v []float32) []float32 {
	length := math.Sqrt(dot(v, v))
	for i := range v {
		v[i] /= float32(length)
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b))
}
