package firestore_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
)

func testAggregation(t *testing.T, c *firestore.Client) {
	put(t, c,
		"c/a", fields{"n": 1, "f": 0.5, "big": int64(math.MaxInt64), "back": int64(math.MaxInt64)},
		"c/b", fields{"n": 2, "f": 1, "big": 1, "back": 1},
		"c/c", fields{"n": 4, "f": "x", "nan": math.NaN(), "back": -5},
		"c/d", fields{"n": nil})
	all := c.Collection("c")
	agg := func(q query) *firestore.AggregationQuery { return q.NewAggregationQuery() }
	for _, row := range []struct {
		name string
		q    *firestore.AggregationQuery
		want string
	}{
		{"count", agg(all.Query).WithCount("x"), "x=4"},
		{"count where", agg(all.Where("n", ">", 1)).WithCount("x"), "x=2"},
		{"count limited", agg(all.Limit(3)).WithCount("x"), "x=3"},
		{"count none", agg(all.Where("n", "==", 9)).WithCount("x"), "x=0"},
		{"count ordered, lacking it excluded", agg(all.OrderBy("f", firestore.Asc)).WithCount("x"), "x=3"},
		{"sum of integers", agg(all.Query).WithSum("n", "x"), "x=7"},
		{"sum and average of mixed", agg(all.Query).WithSum("f", "x").WithAvg("f", "y"), "x=1.5 y=0.75"},
		{"sum past the integers", agg(all.Query).WithSum("big", "x"), "x=9.223372036854776e+18"},
		{"sum past the integers and back", agg(all.Query).WithSum("back", "x"), "x=9223372036854775803"},
		{"sum of one, the least", agg(all.Limit(1)).WithSum("big", "x"), "x=1"},
		{"sum with NaN", agg(all.Query).WithSum("nan", "x"), "x=NaN"},
		{"sum of nothing", agg(all.Query).WithSum("none", "x").WithAvg("none", "y"), "x=0 y=null"},
		{"average", agg(all.Where("n", "<", 3)).WithAvg("n", "y"), "y=1.5"},
		{"all three, only documents with the field", agg(all.Query).WithCount("c").WithSum("f", "s").WithAvg("n", "a"), "a=2.3333333333333335 c=3 s=1.5"},
	} {
		got, err := row.q.Get(ctx(t))
		if err != nil {
			t.Errorf("%s = %v", row.name, err)
			continue
		}
		wantEqual(t, row.name, aggregates(got), row.want)
	}
	byName := all.Where(firestore.DocumentID, ">", all.Doc("a"))
	_, err := agg(byName).WithSum("n", "x").Get(ctx(t))
	wantCode(t, "sum where the name is greater", err, codes.InvalidArgument)
}

// aggregates prints an aggregation's answer, by name.
func aggregates(r firestore.AggregationResult) string {
	var parts []string
	for _, name := range []string{"a", "c", "s", "x", "y"} {
		v, ok := r[name].(*firestorepb.Value)
		if !ok {
			continue
		}
		switch t := v.GetValueType().(type) {
		case *firestorepb.Value_IntegerValue:
			parts = append(parts, fmt.Sprintf("%s=%d", name, t.IntegerValue))
		case *firestorepb.Value_DoubleValue:
			parts = append(parts, fmt.Sprintf("%s=%v", name, t.DoubleValue))
		default:
			parts = append(parts, name+"=null")
		}
	}
	return strings.Join(parts, " ")
}
