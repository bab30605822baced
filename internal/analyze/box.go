package analyze

import "math"

// A Box is a rectangle in a photo: top, left, bottom and right, in thousandths of
// the photo's height and width. Nil, or a list of another length, means that the
// place is unknown.
type Box []float64

// tidy returns b rounded to whole numbers, or nil for an invalid box: models give
// some that are inverted, empty or outside the photo.
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

// thousandths returns the edges of b as integers; b must be tidy.
func (b Box) thousandths() [4]int {
	return [4]int{int(b[0]), int(b[1]), int(b[2]), int(b[3])}
}

// and returns the smallest box around b and c, nil if either is nil.
func (b Box) and(c Box) Box {
	if b == nil || c == nil {
		return nil
	}
	return Box{min(b[0], c[0]), min(b[1], c[1]), max(b[2], c[2]), max(b[3], c[3])}
}

// meets reports whether b and c overlap.
func (b Box) meets(c Box) bool {
	return b != nil && c != nil && b[0] < c[2] && c[0] < b[2] && b[1] < c[3] && c[1] < b[3]
}

// near reports whether c is within half of b's longer side of b, as digits are of their
// bars, or may be, because one place is unknown.
func (b Box) near(c Box) bool {
	if b == nil || c == nil {
		return true
	}
	by := max(b[2]-b[0], b[3]-b[1]) / 2
	return Box{b[0] - by, b[1] - by, b[2] + by, b[3] + by}.meets(c)
}

// hides reports whether b covers more than half of c.
func (b Box) hides(c Box) bool {
	if !b.meets(c) {
		return false
	}
	shared := (min(b[2], c[2]) - max(b[0], c[0])) * (min(b[3], c[3]) - max(b[1], c[1]))
	return 2*shared > (c[2]-c[0])*(c[3]-c[1])
}
