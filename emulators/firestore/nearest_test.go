package firestore

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Of many rows, most of them as far as others, those come that come first in a stable order of all.
func TestRankOfEquals(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var rows []row
	for i := range 500 {
		v := newVector([]float64{float64(r.IntN(4)), float64(r.IntN(2))}) // some of length 0: their distance is NaN
		rows = append(rows, row{document: &document{path: fmt.Sprintf("c/%03d", i), fields: object{"embedding": v}}})
	}
	for _, limit := range []int{1, 7, 100, 400, 600} {
		n := &nearest{field: fieldPath{"embedding"}, query: newVector([]float64{1, 1}), distance: cosine, limit: limit}
		var want []hit
		for _, r := range rows {
			v, _ := r.get(n.field)
			want = append(want, hit{r.document, cosine(n.query, v.(*vector))})
		}
		slices.SortStableFunc(want, n.compare)
		want = want[:min(limit, len(want))]
		got := n.rank(rows)
		if !slices.EqualFunc(got, want, func(a, b hit) bool { return a.document == b.document }) || n.compared != len(rows) {
			t.Errorf("rank of %d gives others than the first of all in order; it compared %d of %d", limit, n.compared, len(rows))
		}
	}
}

const (
	manyVectors = 10_000
	dimensions  = 768
)

// filled returns a tree of manyVectors documents in collection c.
func filled() tree {
	r := rand.New(rand.NewPCG(1, 2))
	t := tree{}
	for i := range manyVectors {
		path := fmt.Sprintf("c/%05d", i)
		t.put(&document{
			name: "projects/p/databases/d/documents/" + path, path: path,
			fields: object{"embedding": randomVector(r), "embedder": "e", "name": path},
		})
	}
	return t
}

func randomVector(r *rand.Rand) *vector {
	components := make([]float64, dimensions)
	for i := range components {
		components[i] = float64(float32(r.NormFloat64()))
	}
	return newVector(components)
}

func nearestPlan(tb testing.TB, measure pb.StructuredQuery_FindNearest_DistanceMeasure) *plan {
	p, err := newPlan("", &pb.StructuredQuery{
		From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}},
		Where: &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: "embedder"},
			Op:    pb.StructuredQuery_FieldFilter_EQUAL,
			Value: toProto("e"),
		}}},
		FindNearest: &pb.StructuredQuery_FindNearest{
			VectorField:     &pb.StructuredQuery_FieldReference{FieldPath: "embedding"},
			QueryVector:     randomVector(rand.New(rand.NewPCG(3, 4))).proto(),
			DistanceMeasure: measure,
			Limit:           wrapperspb.Int32(3),
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// 10,000 vectors of 768 float32 take 31 MB, with all that is around them well
// below 100.
func TestVectorsAreSmall(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	held := filled()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if mb := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20; mb > 60 {
		t.Errorf("%d vectors of %d dimensions hold %d MB, want at most 60", manyVectors, dimensions, mb)
	}
	runtime.KeepAlive(held)
}

func BenchmarkFindNearest(b *testing.B) {
	held := filled()
	for _, measure := range []pb.StructuredQuery_FindNearest_DistanceMeasure{
		pb.StructuredQuery_FindNearest_COSINE,
		pb.StructuredQuery_FindNearest_EUCLIDEAN,
		pb.StructuredQuery_FindNearest_DOT_PRODUCT,
	} {
		p := nearestPlan(b, measure)
		b.Run(measure.String(), func(b *testing.B) {
			for b.Loop() {
				if got := p.run(held); len(got) != 3 {
					b.Fatalf("run = %d hits, want 3", len(got))
				}
			}
		})
	}
}

// BenchmarkStart measures a server from nothing to its first answer and away.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := Start(Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
