package firestore

import (
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// The most operands that the operators with a list take.
const (
	maxIn    = 30
	maxNotIn = 10
)

// fieldTest is op with its operand. Nothing compares with null or NaN: such an
// operand matches no document, except that != NaN matches all but null.
func fieldTest(op pb.StructuredQuery_FieldFilter_Operator, operand value) (test, error) {
	switch op {
	case pb.StructuredQuery_FieldFilter_LESS_THAN:
		return compared(operand, func(c int) bool { return c < 0 }), nil
	case pb.StructuredQuery_FieldFilter_LESS_THAN_OR_EQUAL:
		return compared(operand, func(c int) bool { return c <= 0 }), nil
	case pb.StructuredQuery_FieldFilter_GREATER_THAN:
		return compared(operand, func(c int) bool { return c > 0 }), nil
	case pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL:
		return compared(operand, func(c int) bool { return c >= 0 }), nil
	case pb.StructuredQuery_FieldFilter_EQUAL:
		return equal(operand), nil
	case pb.StructuredQuery_FieldFilter_NOT_EQUAL:
		return noneOf(array{operand}), nil
	case pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS:
		return holds(array{operand}), nil
	}
	return listTest(op, operand)
}

// listTest is fieldTest for the operators whose operand is a list.
func listTest(op pb.StructuredQuery_FieldFilter_Operator, operand value) (test, error) {
	build, most := anyOf, maxIn
	switch op {
	case pb.StructuredQuery_FieldFilter_IN:
	case pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY:
		build = holds
	case pb.StructuredQuery_FieldFilter_NOT_IN:
		build, most = noneOf, maxNotIn
	default:
		return nil, invalid("Unknown FieldFilter operator.")
	}
	operands, ok := operand.(array)
	switch {
	case !ok:
		return nil, invalid("'%s' requires an ArrayValue.", op)
	case len(operands) == 0:
		return nil, invalid("'%s' requires an non-empty ArrayValue.", op)
	case len(operands) > most:
		return nil, invalid("'%s' supports up to %d comparison values.", op, most)
	}
	return build(operands), nil
}

// compared holds for values of the operand's rank whose comparison with it
// passes.
func compared(operand value, pass func(int) bool) test {
	return func(v value) bool {
		return ordinary(v) && ordinary(operand) && rank(v) == rank(operand) && pass(compareValues(v, operand))
	}
}

// ordinary is false of null and NaN.
func ordinary(v value) bool { return v != nil && !isNaN(v) }

func equal(operand value) test {
	return compared(operand, func(c int) bool { return c == 0 })
}

// anyOf holds for values equal to an operand.
func anyOf(operands array) test {
	return func(v value) bool {
		return slices.ContainsFunc(operands, func(o value) bool { return equal(o)(v) })
	}
}

// noneOf holds for values that are not null and equal no operand; a null
// operand makes it hold for none.
func noneOf(operands array) test {
	null := slices.Contains(operands, nil)
	among := anyOf(operands)
	return func(v value) bool { return v != nil && !null && !among(v) }
}

// holds returns true of arrays with an element equal to an operand.
func holds(operands array) test {
	among := anyOf(operands)
	return func(v value) bool {
		elements, _ := v.(array)
		return slices.ContainsFunc(elements, among)
	}
}
