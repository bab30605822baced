package store

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// Count returns how many documents q matches.
func Count(ctx context.Context, q firestore.Query) (int, error) {
	n, err := aggregate(ctx, q.NewAggregationQuery().WithCount(result))
	return int(n), err
}

// Sum adds up a field of the documents that q matches.
func Sum(ctx context.Context, q firestore.Query, field string) (float64, error) {
	return aggregate(ctx, q.NewAggregationQuery().WithSum(field, result))
}

// result is the aggregation's name in its response.
const result = "result"

func aggregate(ctx context.Context, q *firestore.AggregationQuery) (float64, error) {
	all, err := q.Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("store: aggregate: %w", err)
	}
	v, ok := all[result].(*firestorepb.Value)
	if !ok {
		return 0, fmt.Errorf("store: aggregate: the response is a %T, want a value", all[result])
	}
	if n := v.GetIntegerValue(); n != 0 {
		return float64(n), nil
	}
	return v.GetDoubleValue(), nil
}
