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

// clearest returns the corners whose finder patterns show best, four at most.
func (p plane) clearest(all []corner) []corner {
	type clear struct {
		corner
		contrast float64
	}
	var order []clear
	for _, k := range all {
		_, contrast := p.centred(k, k.across, k.along)
		order = append(order, clear{k, contrast})
	}
	slices.SortStableFunc(order, func(a, b clear) int { return cmp.Compare(b.contrast, a.contrast) })
	var out []corner
	for _, c := range order[:min(len(order), 4)] {
		if c.contrast > order[0].contrast/2 && c.contrast > noise {
			out = append(out, c.corner)
		}
	}
	return out
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
	return all[:min(len(all), 30)]
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
	k = corner{a.point, b.point, c.point, across, along, 0}
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
func rings(farthest int, dark uint) (s stencil) {
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

// match is by how much the bright places of s around middle are brighter than
// the dark ones; right and down are a module's sides.
func (p plane) match(s stencil, middle, right, down point) float64 {
	mean := func(places []point) float64 {
		sum := 0.0
		for _, m := range places {
			sum += p.value(middle.plus(right.times(m.x)).plus(down.times(m.y)))
		}
		return sum / float64(len(places))
	}
	return mean(s.bright) - mean(s.dark)
}

// climb moves middle to where s matches best, in steps that become smaller.
func (p plane) climb(s stencil, middle, right, down point) (point, float64) {
	best := p.match(s, middle, right, down)
	for step := 0.5; step > 0.05; step /= 2 {
		for range 6 {
			moved := false
			for _, by := range []point{right, down, right.times(-1), down.times(-1)} {
				at := middle.plus(by.times(step))
				if v := p.match(s, at, right, down); v > best {
					middle, best, moved = at, v, true
				}
			}
			if !moved {
				break
			}
		}
	}
	return middle, best
}
