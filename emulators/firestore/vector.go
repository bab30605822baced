package firestore

import (
	"math"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

const maxDimensions = 2048

// A vector holds its components in narrow when each of them is a float32,
// else in wide. Its length is at least 1.
type vector struct {
	narrow []float32
	wide   []float64
	norm   float64 // Euclidean length
}

// newVector packs components, which it may keep.
func newVector(components []float64) *vector {
	v := &vector{narrow: make([]float32, len(components))}
	var squares float64
	for i, c := range components {
		squares += c * c
		if v.wide != nil {
			continue
		}
		v.narrow[i] = float32(c)
		if float64(v.narrow[i]) != c {
			v.wide, v.narrow = components, nil
		}
	}
	v.norm = math.Sqrt(squares)
	return v
}

func (v *vector) len() int { return max(len(v.narrow), len(v.wide)) }

func (v *vector) at(i int) float64 {
	if v.wide != nil {
		return v.wide[i]
	}
	return float64(v.narrow[i])
}

func vectorFromProto(fields map[string]*pb.Value) (value, error) {
	list, ok := fields[valueKey].GetValueType().(*pb.Value_ArrayValue)
	if !ok {
		return nil, invalid("Vector map is missing key 'value'.")
	}
	if len(fields) != 2 {
		return nil, invalid("Vector Value map has extraneous entries.")
	}
	values := list.ArrayValue.GetValues()
	switch n := len(values); {
	case n == 0:
		return nil, invalid("Cannot have a zero length vector.")
	case n > maxDimensions:
		return nil, invalid("Vectors must be at most %d dimensions.", maxDimensions)
	}
	components := make([]float64, len(values))
	for i, c := range values {
		d, ok := c.GetValueType().(*pb.Value_DoubleValue)
		if !ok {
			return nil, invalid("Vector must only contain values of type 'double'")
		}
		if math.IsNaN(d.DoubleValue) {
			return nil, invalid("Vector cannot contain NaN values.")
		}
		components[i] = d.DoubleValue
	}
	return newVector(components), nil
}

func (v *vector) proto() *pb.Value {
	values := make([]*pb.Value, v.len())
	for i := range values {
		values[i] = toProto(v.at(i))
	}
	list := &pb.ArrayValue{Values: values}
	return mapToProto(map[string]*pb.Value{
		typeKey:  toProto(vectorType),
		valueKey: {ValueType: &pb.Value_ArrayValue{ArrayValue: list}},
	})
}

// cosine returns 1 minus the cosine of the angle between a and b, NaN when one of
// them is zero.
func cosine(a, b *vector) float64 { return 1 - dot(a, b)/(a.norm*b.norm) }

// euclidean returns the length of a − b.
func euclidean(a, b *vector) float64 {
	if a.narrow != nil && b.narrow != nil {
		return math.Sqrt(squaresNarrow(a.narrow, b.narrow))
	}
	var sum float64
	for i := range a.len() {
		d := a.at(i) - b.at(i)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// dot returns the inner product of two vectors of one length.
func dot(a, b *vector) float64 {
	if a.narrow != nil && b.narrow != nil {
		return dotNarrow(a.narrow, b.narrow)
	}
	var sum float64
	for i := range a.len() {
		sum += a.at(i) * b.at(i)
	}
	return sum
}

// dotNarrow and squaresNarrow keep four sums, so that one addition need not
// wait for the last.
func dotNarrow(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += float64(a[i]) * float64(b[i])
	}
	return s0 + s1 + s2 + s3
}

func squaresNarrow(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		d0, d1 := float64(a[0])-float64(b[0]), float64(a[1])-float64(b[1])
		d2, d3 := float64(a[2])-float64(b[2]), float64(a[3])-float64(b[3])
		s0, s1, s2, s3 = s0+d0*d0, s1+d1*d1, s2+d2*d2, s3+d3*d3
		a, b = a[4:], b[4:]
	}
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		s0 += d * d
	}
	return s0 + s1 + s2 + s3
}
