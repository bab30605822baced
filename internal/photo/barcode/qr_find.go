package barcode

import (
	"cmp"
	"math"
	"slices"
)

// A corner is three finder patterns that may be a QR Code's.
type corner struct {
	topLeft, topRight, bottomLeft point
	across, along                 float64 // modules from the top left to the others
	off                           float64 // from a right angle with equal legs
	match                         float64 // of the finder patterns
}

// qrCode returns the first QR Code of p that holds GS1 data.
func qrCode(p plane, hits []finder) (c Code, ok bool) {
	for _, k := range p.clearest(corners(patterns(hits))) {
		for _, version := range p.versions(k) {
			if c, ok := p.qr(k, version); ok {
				return c, true
			}
		}
	}
	return Code{}, false
}

// alike is how like what they should be the patterns of a symbol are, at least.
const alike = 0.6

// faint is how like they are before they are centred.
const faint = 0.12

// clearest returns the corners whose finder patterns are, four at most, those
// that match best first.
func (p plane) clearest(all []corner) []corner {
	var out []corner
	for _, k := range all {
		if _, k.match = p.centred(k, k.across, k.along); k.match > alike {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b corner) int { return cmp.Compare(b.match, a.match) })
	return out[:min(len(out), 4)]
}

// corners returns the threes of patterns that look most like a QR Code's.
func corners(found []pattern) []corner {
	var all []corner
	for i, a := range found {
		for j, b := range found {
			for _, c := range found[:j] {
				if i == j || a == c {
					continue
				}
				if k, ok := cornerOf(a, b, c); ok {
					all = append(all, k)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b corner) int { return cmp.Compare(a.off, b.off) })
	return all[:min(len(all), 120)]
}

// cornerOf returns the corner that a is the top left of.
func cornerOf(a, b, c pattern) (k corner, ok bool) {
	right, down := b.minus(a.point), c.minus(a.point)
	if right.cross(down) < 0 {
		b, c, right, down = c, b, down, right
	}
	legs := right.length() / down.length()
	angle := right.dot(down) / (right.length() * down.length())
	if legs > 1.7 || legs < 1/1.7 || math.Abs(angle) > 0.5 {
		return corner{}, false
	}
	across, along := modulesBetween(a, b), modulesBetween(a, c)
	k = corner{a.point, b.point, c.point, across, along, 0, 0}
	k.off = math.Abs(math.Log(legs)) + math.Abs(angle) + math.Abs(math.Log(across/along))
	return k, across > 11 && across < 210 && across < 1.6*along && along < 1.6*across
}

// modulesBetween is how many modules a is away from b.
func modulesBetween(a, b pattern) float64 {
	by := b.minus(a.point)
	return max(math.Abs(by.x)/(a.level+b.level), math.Abs(by.y)/(a.turned+b.turned)) * 2 * by.dot(by) / max(by.x*by.x, by.y*by.y)
}

// versions returns the versions that a QR Code at k may have: by the modules of
// its timing patterns and by its size.
func (p plane) versions(k corner) []int {
	right := k.topRight.minus(k.topLeft).times(3 / k.across)
	down := k.bottomLeft.minus(k.topLeft).times(3 / k.along)
	size := (k.across+k.along)/2 + 7
	sizes := []float64{
		float64(p.turnsBetween(k.topLeft.plus(down), k.topRight.plus(down))),
		float64(p.turnsBetween(k.topLeft.plus(right), k.bottomLeft.plus(right))),
		size,
	}
	var all []int
	for _, s := range sizes {
		v := int(math.Round((s - 17) / 4))
		for _, v := range []int{v, v + 1, v - 1} {
			likely := near(float32(v*4+17), float32(size), 0.3)
			if v >= 1 && v <= 40 && likely && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all[:min(len(all), 5)]
}

// turnsBetween returns how many modules a QR Code has whose timing pattern runs
// from a, in the middle of a finder pattern's edge, to b.
func (p plane) turnsBetween(a, b point) int {
	n := int(b.minus(a).length())
	if n < 2 {
		return 0
	}
	line := make([]int32, 0, n)
	for i := range n {
		line = append(line, int32(4*p.value(a.plus(b.minus(a).times((float64(i)+0.5)/float64(n))))))
	}
	turns := len(prune(extremes(line, nil), nil, parts[1])) - 1
	return turns + 13
}

// A stencil is a pattern around its middle: what is dark and what is bright.
type stencil struct{ dark, bright []point }

// rings draws squares around a middle: dark where the distance's bit is set.
func rings(farthest int, dark uint) *stencil {
	s := &stencil{}
	for y := -farthest; y <= farthest; y++ {
		for x := -farthest; x <= farthest; x++ {
			at := point{float64(x), float64(y)}
			if dark>>max(x, -x, y, -y)&1 == 1 {
				s.dark = append(s.dark, at)
			} else {
				s.bright = append(s.bright, at)
			}
		}
	}
	return s
}

var finderStencil, alignmentStencil = rings(4, 0b01011), rings(2, 0b101)

// A spot is a place with the sides of a module there.
type spot struct{ middle, right, down point }

// match is how like s the picture around a spot is.
func (p plane) match(s *stencil, at spot) float64 {
	var t contrasts
	for _, m := range s.dark {
		t.add(p.value(at.middle.plus(at.right.times(m.x)).plus(at.down.times(m.y))), true)
	}
	for _, m := range s.bright {
		t.add(p.value(at.middle.plus(at.right.times(m.x)).plus(at.down.times(m.y))), false)
	}
	return t.likeness()
}

// climb moves and stretches a spot to where s matches best, in steps that become
// smaller.
func (p plane) climb(s *stencil, at spot) (spot, float64) {
	best := p.match(s, at)
	for step := 0.5; step > 0.05; step /= 2 {
		for range 6 {
			before := best
			for _, try := range at.moved(step) {
				if v := p.match(s, try); v > best {
					at, best = try, v
				}
			}
			if best == before {
				break
			}
		}
	}
	return at, best
}

// moved returns the spots around a, so many modules away, and those of modules
// of other sides.
func (a spot) moved(step float64) []spot {
	more, less := 1+step/6, 1-step/6
	return []spot{
		{a.middle.plus(a.right.times(step)), a.right, a.down}, {a.middle.plus(a.right.times(-step)), a.right, a.down},
		{a.middle.plus(a.down.times(step)), a.right, a.down}, {a.middle.plus(a.down.times(-step)), a.right, a.down},
		{a.middle, a.right.times(more), a.down}, {a.middle, a.right.times(less), a.down},
		{a.middle, a.right, a.down.times(more)}, {a.middle, a.right, a.down.times(less)},
	}
}
