package firestore

import (
	"fmt"
	"math/big"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

const maxAggregations = 5

// An aggregation is one checked count, sum or average, under the name it is
// answered by.
type aggregation struct {
	alias string
	field fieldPath // nil for a count
	upTo  int64     // of a count; negative: none
	total func(*tally) value
}

// A tally adds up one field over the results of a query: integers exactly,
// doubles on their own in the order they come.
type tally struct {
	documents int64
	numbers   int64 // of the documents: those whose field is a number
	doubles   int64 // of the numbers
	ints      big.Int
	floats    float64
}

// parseAggregations also returns the fields that are added up.
func parseAggregations(from []*pb.StructuredAggregationQuery_Aggregation) ([]aggregation, []fieldPath, error) {
	if len(from) == 0 {
		return nil, nil, invalid("Aggregations can not be empty.")
	}
	if len(from) > maxAggregations {
		return nil, nil, invalid("The maximum number of aggregations allowed in an aggregation query is %d. Received: %d", maxAggregations, len(from))
	}
	var all []aggregation
	var fields []fieldPath
	aliases := map[string]bool{}
	for i, f := range from {
		a, err := parseAggregation(f)
		if err != nil {
			return nil, nil, err
		}
		if a.alias == "" {
			a.alias = fmt.Sprintf("field_%d", i+1)
		}
		if aliases[a.alias] {
			return nil, nil, invalid("Aggregation aliases contain duplicate alias: %s.", a.alias)
		}
		aliases[a.alias] = true
		all = append(all, a)
		if a.field != nil {
			fields = append(fields, a.field)
		}
	}
	return all, fields, nil
}

func parseAggregation(from *pb.StructuredAggregationQuery_Aggregation) (aggregation, error) {
	a := aggregation{alias: from.GetAlias(), upTo: -1}
	if reserved(a.alias) {
		return a, invalid("The property.name %q is reserved.", a.alias)
	}
	var err error
	switch op := from.GetOperator().(type) {
	case *pb.StructuredAggregationQuery_Aggregation_Count_:
		if op.Count.GetUpTo() != nil {
			a.upTo = op.Count.GetUpTo().GetValue()
		}
		a.total = a.count
	case *pb.StructuredAggregationQuery_Aggregation_Sum_:
		a.total = (*tally).sum
		a.field, err = parseFieldPath(op.Sum.GetField().GetFieldPath())
	case *pb.StructuredAggregationQuery_Aggregation_Avg_:
		a.total = (*tally).average
		a.field, err = parseFieldPath(op.Avg.GetField().GetFieldPath())
	default:
		return a, invalid("Operator field in Aggregation is not set.")
	}
	return a, err
}

// over computes the aggregation of hits.
func (a aggregation) over(hits []hit) value {
	t := &tally{documents: int64(len(hits))}
	if a.field != nil {
		for _, h := range hits {
			v, _ := h.get(a.field)
			t.add(v)
		}
	}
	return a.total(t)
}

func (a aggregation) count(t *tally) value {
	if a.upTo >= 0 {
		return min(a.upTo, t.documents)
	}
	return t.documents
}

// add counts v in when it is a number.
func (t *tally) add(v value) {
	switch v := v.(type) {
	case int64:
		t.numbers++
		t.ints.Add(&t.ints, big.NewInt(v))
	case float64:
		t.numbers++
		t.doubles++
		t.floats += v
	}
}

// sum returns an integer when all numbers are and it fits.
func (t *tally) sum() value {
	if t.doubles == 0 && t.ints.IsInt64() {
		return t.ints.Int64()
	}
	return t.float()
}

func (t *tally) float() float64 {
	ints, _ := t.ints.Float64()
	return ints + t.floats
}

// average is null when there are no numbers.
func (t *tally) average() value {
	if t.numbers == 0 {
		return nil
	}
	return t.float() / float64(t.numbers)
}
