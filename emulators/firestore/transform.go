package firestore

import (
	"math"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// A transform computes a field from what it holds. apply gets nil where there
// is no such field, and the time of the commit.
type transform struct {
	path  fieldPath
	apply func(old value, at timestamp) value
	array bool // the result is not told
}

// result returns what the write's answer says about the transform.
func (t transform) result(v value) *pb.Value {
	if t.array {
		v = nil
	}
	return toProto(v)
}

func parseTransforms(ts []*pb.DocumentTransform_FieldTransform) ([]transform, error) {
	var parsed []transform
	for _, t := range ts {
		p, err := parseTransform(t)
		if err != nil {
			return nil, err
		}
		if p.path, err = parseFieldPath(t.GetFieldPath()); err != nil {
			return nil, err
		}
		parsed = append(parsed, p)
	}
	return parsed, nil
}

func parseTransform(t *pb.DocumentTransform_FieldTransform) (transform, error) {
	switch k := t.GetTransformType().(type) {
	case *pb.DocumentTransform_FieldTransform_SetToServerValue:
		if k.SetToServerValue == pb.DocumentTransform_FieldTransform_REQUEST_TIME {
			return transform{apply: requestTime}, nil
		}
	case *pb.DocumentTransform_FieldTransform_Increment:
		return numberTransform(k.Increment, increment)
	case *pb.DocumentTransform_FieldTransform_Maximum:
		return numberTransform(k.Maximum, maximum)
	case *pb.DocumentTransform_FieldTransform_Minimum:
		return numberTransform(k.Minimum, minimum)
	case *pb.DocumentTransform_FieldTransform_AppendMissingElements:
		return arrayTransform(k.AppendMissingElements, appendMissing)
	case *pb.DocumentTransform_FieldTransform_RemoveAllFromArray:
		return arrayTransform(k.RemoveAllFromArray, removeAll)
	}
	return transform{}, invalid("Unknown field transform.")
}

// requestTime has millisecond precision, as documented.
func requestTime(_ value, at timestamp) value { return at - at%1000 }

// numberTransform combines the field with operand; a field that holds no
// number becomes the operand.
func numberTransform(operand *pb.Value, combine func(old, operand value) value) (transform, error) {
	v, err := fromProto("", operand, 1)
	if err != nil {
		return transform{}, err
	}
	if rank(v) != rank(int64(0)) {
		return transform{}, invalid("Input must be int64 or double.")
	}
	return transform{apply: func(old value, _ timestamp) value {
		if rank(old) != rank(v) {
			return v
		}
		return combine(old, v)
	}}, nil
}

// increment adds; integers stop at the largest and smallest there are.
func increment(old, by value) value {
	a, aInt := old.(int64)
	b, bInt := by.(int64)
	switch {
	case !aInt || !bInt:
		return toFloat(old) + toFloat(by)
	case b > 0 && a > math.MaxInt64-b:
		return int64(math.MaxInt64)
	case b < 0 && a < math.MinInt64-b:
		return int64(math.MinInt64)
	}
	return a + b
}

func toFloat(number value) float64 {
	if i, ok := number.(int64); ok {
		return float64(i)
	}
	return number.(float64)
}

// maximum keeps old when both are equal, and NaN wins.
func maximum(old, v value) value {
	if isNaN(v) || !isNaN(old) && compareValues(v, old) > 0 {
		return v
	}
	return old
}

// minimum keeps old when both are equal, and NaN wins, being the least number.
func minimum(old, v value) value {
	if compareValues(v, old) < 0 {
		return v
	}
	return old
}

func isNaN(v value) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}

// arrayTransform combines the field with elements; a field that holds no array
// counts as empty.
func arrayTransform(elements *pb.ArrayValue, combine func(old, elements array) array) (transform, error) {
	v, err := arrayFromProto("", elements.GetValues(), 1)
	if err != nil {
		return transform{}, err
	}
	return transform{array: true, apply: func(old value, _ timestamp) value {
		a, _ := old.(array)
		return combine(a, v.(array))
	}}, nil
}

func appendMissing(old, elements array) array {
	joined := slices.Clone(old)
	for _, e := range elements {
		if !contains(joined, e) {
			joined = append(joined, e)
		}
	}
	return joined
}

func removeAll(old, elements array) array {
	return slices.DeleteFunc(slices.Clone(old), func(e value) bool { return contains(elements, e) })
}

func contains(a array, v value) bool {
	return slices.ContainsFunc(a, func(e value) bool { return compareValues(e, v) == 0 })
}
