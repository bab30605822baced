package firestore_test

import (
	"fmt"
	"math"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/status"
)

const (
	euclidean = firestore.DistanceMeasureEuclidean
	cosine    = firestore.DistanceMeasureCosine
	dot       = firestore.DistanceMeasureDotProduct
)

// vectors holds two-dimensional ones, and what FindNearest must pass over.
func vectors(t *testing.T, c *firestore.Client) *firestore.CollectionRef {
	put(t, c,
		"v/a", fields{"e": firestore.Vector32{1, 0}, "g": 0},
		"v/b", fields{"e": firestore.Vector64{0, 1}, "g": 1},
		"v/c", fields{"e": firestore.Vector32{1, 1}, "g": 0},
		"v/d", fields{"e": firestore.Vector32{2, 0}, "g": 1},
		"v/e", fields{"e": firestore.Vector32{0, 0}, "g": 0},
		"v/f", fields{"e": firestore.Vector64{-1, 0}, "g": 1},
		"v/g", fields{"e": firestore.Vector32{1, 0, 0}, "g": 0},
		"v/h", fields{"e": nil, "g": 0},
		"v/i", fields{"e": "x", "g": 0},
		"v/j", fields{"e": []any{1.0, 0.0}, "g": 0},
		"v/k", fields{"g": 0})
	return c.Collection("v")
}

// nearestIDs is found for a vector query.
func nearestIDs(t *testing.T, q query, v any, limit int, measure firestore.DistanceMeasure, opts *firestore.FindNearestOptions) string {
	vq := q.FindNearest("e", v, limit, measure, opts)
	return found(vq.Documents(ctx(t)))
}

func testNearest(t *testing.T, c *firestore.Client) {
	all := vectors(t, c)
	at := func(threshold float64) *firestore.FindNearestOptions {
		return &firestore.FindNearestOptions{DistanceThreshold: &threshold}
	}
	east, none := firestore.Vector32{1, 0}, firestore.Vector32{0, 0}
	for _, row := range []struct {
		name    string
		q       query
		v       any
		limit   int
		measure firestore.DistanceMeasure
		opts    *firestore.FindNearestOptions
		want    string
	}{
		{"euclidean", all.Query, east, 10, euclidean, nil, "a c d e b f"},
		{"cosine, zero vector last", all.Query, east, 10, cosine, nil, "a d c b f e"},
		{"dot product, largest first", all.Query, east, 10, dot, nil, "d a c b e f"},
		{"float64 query", all.Query, firestore.Vector64{1, 0}, 2, cosine, nil, "a d"},
		{"limit", all.Query, east, 3, cosine, nil, "a d c"},
		{"limit 1000", all.Query, east, 1000, cosine, nil, "a d c b f e"},
		{"zero query, all NaN, by name", all.Query, none, 10, cosine, nil, "a b c d e f"},
		{"three dimensions", all.Query, firestore.Vector32{0, 0, 1}, 10, euclidean, nil, "g"},
		{"four dimensions", all.Query, firestore.Vector32{0, 0, 1, 0}, 10, euclidean, nil, ""},
		{"euclidean threshold is included", all.Query, east, 10, euclidean, at(1), "a c d e"},
		{"cosine threshold excludes NaN", all.Query, east, 10, cosine, at(1), "a d c b"},
		{"dot product threshold is a least", all.Query, east, 10, dot, at(1), "d a c"},
		{"threshold 0", all.Query, east, 10, euclidean, at(0), "a"},
		{"where equal", all.Where("g", "==", 1), east, 10, cosine, nil, "d b f"},
		{"where in", all.Where("g", "in", []any{1, 2}), east, 2, cosine, nil, "d b"},
		{"where nothing", all.Where("g", "==", 9), east, 10, cosine, nil, ""},
		{"collection group", c.CollectionGroup("v").Query, east, 1, cosine, nil, "a"},
	} {
		wantEqual(t, row.name, nearestIDs(t, row.q, row.v, row.limit, row.measure, row.opts), row.want)
	}
}

func testNearestDistances(t *testing.T, c *firestore.Client) {
	all := vectors(t, c)
	for _, row := range []struct {
		measure firestore.DistanceMeasure
		want    map[string]float64
	}{
		{euclidean, map[string]float64{"a": 0, "c": 1, "d": 1, "e": 1, "b": math.Sqrt2, "f": 2}},
		{cosine, map[string]float64{"a": 0, "d": 0, "c": 1 - math.Sqrt2/2, "b": 1, "f": 2, "e": math.NaN()}},
		{dot, map[string]float64{"d": 2, "a": 1, "c": 1, "b": 0, "e": 0, "f": -1}},
	} {
		q := all.FindNearest("e", firestore.Vector32{1, 0}, 10, row.measure, &firestore.FindNearestOptions{DistanceResultField: "far"})
		docs, err := q.Documents(ctx(t)).GetAll()
		if err != nil || len(docs) != len(row.want) {
			t.Fatalf("measure %v: %d documents, %v", row.measure, len(docs), err)
		}
		for _, d := range docs {
			got, want := d.Data()["far"].(float64), row.want[d.Ref.ID]
			if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
				t.Errorf("measure %v, distance of %s = %v, want %v", row.measure, d.Ref.ID, got, want)
			}
		}
	}
}

func testNearestAnswer(t *testing.T, c *firestore.Client) {
	all := vectors(t, c)
	v := firestore.Vector64{1, 0}
	for _, row := range []struct {
		name  string
		q     query
		field string
		want  fields
	}{
		{"all fields", all.Query, "", fields{"e": v, "g": int64(0)}},
		{"with distance", all.Query, "far", fields{"e": v, "g": int64(0), "far": 0.0}},
		{"distance over a field", all.Query, "g", fields{"e": v, "g": 0.0}},
		{"distance under a dotted name", all.Query, "a.b", fields{"e": v, "g": int64(0), "a.b": 0.0}},
		{"selected without the vector", all.Select("g", "far"), "far", fields{"g": int64(0), "far": 0.0}},
		{"selected without the distance", all.Select("g"), "far", fields{"g": int64(0)}},
	} {
		vq := row.q.FindNearest("e", firestore.Vector32{1, 0}, 1, cosine, &firestore.FindNearestOptions{DistanceResultField: row.field})
		docs, err := vq.Documents(ctx(t)).GetAll()
		if err != nil || len(docs) != 1 {
			t.Fatalf("%s: %d documents, %v", row.name, len(docs), err)
		}
		wantEqual(t, row.name, docs[0].Data(), row.want)
	}
}

func testRefusedVectors(t *testing.T, c *firestore.Client) {
	put(t, c, "v/a", fields{"e": firestore.Vector32{1, 0}})
	all := c.Collection("v").Query
	east := firestore.Vector32{1, 0}
	for _, row := range []struct {
		name string
		got  string
	}{
		{"limit 0", nearestIDs(t, all, east, 0, cosine, nil)},
		{"limit 1001", nearestIDs(t, all, east, 1001, cosine, nil)},
		{"empty query", nearestIDs(t, all, firestore.Vector32{}, 1, cosine, nil)},
		{"2049 dimensions", nearestIDs(t, all, make(firestore.Vector32, 2049), 1, cosine, nil)},
		{"no measure", nearestIDs(t, all, east, 1, 0, nil)},
		{"query limit", nearestIDs(t, all.Limit(1), east, 1, cosine, nil)},
		{"query offset", nearestIDs(t, all.Offset(1), east, 1, cosine, nil)},
		{"reserved distance field", nearestIDs(t, all, east, 1, cosine, &firestore.FindNearestOptions{DistanceResultField: "__x__"})},
		{"stored: empty", setCode(t, c, firestore.Vector32{})},
		{"stored: 2049 dimensions", setCode(t, c, make(firestore.Vector32, 2049))},
		{"stored: NaN", setCode(t, c, firestore.Vector64{math.NaN()})},
		{"stored: in an array", setCode(t, c, []any{east})},
	} {
		wantEqual(t, row.name, row.got, "InvalidArgument")
	}
	wantEqual(t, "stored: 2048 dimensions", setCode(t, c, make(firestore.Vector32, 2048)), "OK")
	wantEqual(t, "stored: infinite", setCode(t, c, firestore.Vector64{math.Inf(1)}), "OK")
}

func setCode(t *testing.T, c *firestore.Client, v any) string {
	_, err := c.Doc("v/new").Set(ctx(t), fields{"e": v})
	return status.Code(err).String()
}

func testVectorsReadBack(t *testing.T, c *firestore.Client) {
	for i, v := range []firestore.Vector64{
		{1, -2.5, 0},
		{0.1, 1. / 3, math.Pi},
		{1, 2, 0.1, 4},
		{math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(-1)},
		{float64(float32(0.1)), math.MaxFloat32, math.SmallestNonzeroFloat32},
	} {
		path := fmt.Sprintf("v/%d", i)
		put(t, c, path, fields{"e": v, "in": fields{"deep": v}})
		wantEqual(t, "vector", stored(t, c, path).Data(), fields{"e": v, "in": fields{"deep": v}})
	}
	put(t, c, "v/nil", fields{"e": firestore.Vector32(nil)})
	wantEqual(t, "nil vector", stored(t, c, "v/nil").Data(), fields{"e": nil})
}
