package analyze

import "math"

// A Box is where something stands in a photo: the top, left, bottom and right of
// it in thousandths of the photo's height and width. Nil is nowhere in particular, and
// so is a list of another length.
type Box []float64

// tidy is b in whole numbers, nil when it is no box: models give some that are
// turned over, empty or off the photo.
func (b Box) tidy() Box {
	if len(b) != 4 {
		return nil
	}
	var out Box
	for _, v := range b {
		if !(v >= 0 && v <= 1000) {
			return nil
		}
		out = append(out, math.Round(v))
	}
	if out[0] >= out[2] || out[1] >= out[3] {
		return nil
	}
	return out
}

// thousandths are the edges of b as whole numbers; b is tidy.
func (b Box) thousandths() [4]int {
	return [4]int{int(b[0]), int(b[1]), int(b[2]), int(b[3])}
}

// and is the box around b and c, nil when either is.
func (b Box) and(c Box) Box {
	if b == nil || c == nil {
		return nil
	}
	return Box{min(b[0], c[0]), min(b[1], c[1]), max(b[2], c[2]), max(b[3], c[3])}
}

// meets reports that b and c have a point in common.
func (b Box) meets(c Box) bool {
	return b != nil && c != nil && b[0] < c[2] && c[0] < b[2] && b[1] < c[3] && c[1] < b[3]
}

// area is the size of b in millionths of the photo, 0 for nil.
func (b Box) area() float64 {
	if b == nil {
		return 0
	}
	return (b[2] - b[0]) * (b[3] - b[1])
}

// shared is the area that b and c have in common.
func (b Box) shared(c Box) float64 {
	if !b.meets(c) {
		return 0
	}
	return (min(b[2], c[2]) - max(b[0], c[0])) * (min(b[3], c[3]) - max(b[1], c[1]))
}
