package barcode

import (
	"cmp"
	"slices"
)

// dataMatrixCode returns the first Data Matrix symbol in the middle of p that
// holds GS1 data.
func dataMatrixCode(p plane) (Code, bool) {
	k := inkOf(p)
	tries := 0
	for _, b := range k.blots() {
		for _, q := range k.symbols(b) {
			if tries++; tries > 6 {
				return Code{}, false
			}
			if c, v, size, ok := k.part.dataMatrix(q); ok {
				at := v.box(size.columns, size.rows)
				x, y := float32(k.x0), float32(k.y0)
				c.Box = box{at.x0 + x, at.y0 + y, at.x1 + x, at.y1 + y}.thousandths(p)
				return c, true
			}
		}
	}
	return Code{}, false
}

// symbols returns the places of symbols whose solid sides b may be: two sides of
// its hull that meet at nearly a right angle and are dark within from end to end.
// The fourth corner is as if the symbol were seen straight on.
func (k *ink) symbols(b blot) []quad {
	sides := sidesOf(hull(b.runs))
	var all []quad
	for _, left := range sides {
		for _, bottom := range sides {
			if q, ok := meet(left, bottom); ok && k.framed(q) {
				all = append(all, q)
			}
		}
	}
	return all
}

// A side is a straight part of a hull.
type side struct{ from, to point }

func (s side) length() float64 { return s.to.minus(s.from).length() }

// slack is how far from a side the hull's corners on it may be.
func (s side) slack() float64 { return 1 + 0.012*s.length() }

// meet returns the symbol with these solid sides, where the one ends about where
// the other begins.
func meet(left, bottom side) (quad, bool) {
	a, b := left.to.minus(left.from), bottom.to.minus(bottom.from)
	long, short := max(a.length(), b.length()), min(a.length(), b.length())
	sine := b.cross(a) / (a.length() * b.length())
	if sine < 0.7 || left.to.minus(bottom.from).length() > max(3, 0.2*short) || long > 6*short {
		return quad{}, false
	}
	along := bottom.from.minus(left.from).cross(b) / a.cross(b)
	corner := left.from.plus(a.times(along))
	return quad{left.from, left.from.plus(bottom.to).minus(corner), bottom.to, corner}, true
}

// framed reports that q's left and bottom are solid, with bright beyond, and its
// other sides are not.
func (k *ink) framed(q quad) bool {
	const within = 1.2
	left, bottom := side{q[0], q[3]}, side{q[3], q[2]}
	return k.share(q[0], q[3], within) >= 0.9 && k.share(q[3], q[2], within) >= 0.9 &&
		k.share(q[2], q[1], within) < 0.9 && k.share(q[1], q[0], within) < 0.9 &&
		k.share(q[0], q[3], -1-left.slack()) < 0.4 && k.share(q[3], q[2], -1-bottom.slack()) < 0.4
}

// share is how much is dark beside the line from a to b, so many pixels to its
// left, as a symbol's inside is in the order of left and bottom.
func (k *ink) share(a, b point, off float64) float64 {
	along := b.minus(a)
	n := int(along.length())
	beside := point{along.y, -along.x}.times(off / along.length())
	dark := 0
	for i := range n {
		if k.dark(a.plus(along.times((float64(i) + 0.5) / float64(n))).plus(beside)) {
			dark++
		}
	}
	return float64(dark) / float64(max(1, n))
}

// hull returns the corners of the hull around runs, in the order in which a
// symbol's left side is followed by its bottom.
func hull(runs []run) []point {
	var left, right []point // each row's ends, of which a hull has no more
	for i, r := range runs {
		if i == 0 || r.y != runs[i-1].y {
			left = append(left, point{float64(r.from), float64(r.y)}, point{float64(r.from), float64(r.y + 1)})
		}
		if i == len(runs)-1 || r.y != runs[i+1].y {
			right = append(right, point{float64(r.to), float64(r.y)}, point{float64(r.to), float64(r.y + 1)})
		}
	}
	slices.Reverse(right)
	return append(bulge(left), bulge(right)...)
}

// bulge returns those of points that a string around them would touch.
func bulge(points []point) []point {
	var out []point
	for _, a := range points {
		for n := len(out); n > 1 && out[n-1].minus(out[n-2]).cross(a.minus(out[n-1])) >= 0; n-- {
			out = out[:n-1]
		}
		out = append(out, a)
	}
	return out
}

// sidesOf returns the longest straight parts of a hull, 6 at most: its corners
// on them are less than a pixel or so off.
func sidesOf(hull []point) []side {
	n := len(hull)
	var all []side
	for i := range hull {
		best := 0
		for j := 1; j < n && straight(hull, i, j); j++ {
			best = j
		}
		if best > 0 {
			all = append(all, side{hull[i], hull[(i+best)%n]})
		}
	}
	slices.SortStableFunc(all, func(a, b side) int { return cmp.Compare(b.length(), a.length()) })
	var out []side
	for _, s := range all {
		known := slices.ContainsFunc(out, func(o side) bool { return o.overlaps(s) })
		if !known && s.length() >= 7 && len(out) < 6 {
			out = append(out, s)
		}
	}
	return out
}

// straight reports that the corners from the i-th on are close to a line to the
// j-th after it.
func straight(hull []point, i, j int) bool {
	a, b := hull[i], hull[(i+j)%len(hull)]
	along := b.minus(a)
	limit := side{a, b}.slack() * along.length()
	for m := 1; m < j; m++ {
		if off := along.cross(hull[(i+m)%len(hull)].minus(a)); off > limit || off < -limit {
			return false
		}
	}
	return true
}

// overlaps reports that o runs along half of s or more.
func (s side) overlaps(o side) bool {
	along := s.to.minus(s.from).times(1 / s.length())
	if along.dot(o.to.minus(o.from)) < 0.9*o.length() {
		return false
	}
	from, to := along.dot(o.from.minus(s.from)), along.dot(o.to.minus(s.from))
	return min(to, s.length())-max(from, 0) > o.length()/2
}
