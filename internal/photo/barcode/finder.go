package barcode

import (
	"cmp"
	"math"
	"slices"
)

// A finder is where a line crossed runs of 1, 1, 3, 1 and 1 modules.
type finder struct {
	x, y, module float32
	turned       bool
}

// finders adds the places of e, on a level line, that look like the middle of
// a QR code's finder pattern.
func (s *scanner) finders(sw sweep, start float64) {
	at := s.ahead.at
	for i := s.ahead.dark; i+5 < len(at); i += 2 {
		module := (at[i+5] - at[i]) / 7
		mid := at[i+3] - at[i+2]
		if !near(mid, 3*module, 0.25) || module < 1 {
			continue
		}
		even := true
		for j := range 5 {
			even = even && (j == 2 || math.Abs(float64(at[i+j+1]-at[i+j]-module)) < 0.5*float64(module))
		}
		if even && len(s.hits) < 4000 {
			f := finder{(at[i+2] + at[i+3]) / 2, float32(start) + 0.5, module, sw.turned}
			if sw.turned {
				f.x, f.y = f.y, f.x
			}
			s.hits = append(s.hits, f)
		}
	}
}

// square returns a box around three finder patterns, each crossed by lines of
// both directions, and their code.
func square(hits []finder) (box, bool) {
	level, turned := split(hits)
	var found []finder
	for _, a := range level {
		if crossed(a, turned) && !known(a, found) {
			found = append(found, a)
		}
	}
	if len(found) < 3 {
		return box{}, false
	}
	b := box{found[0].x, found[0].y, found[0].x, found[0].y}
	for _, f := range found {
		edge := 10 * f.module
		b = b.with(box{f.x - edge, f.y - edge, f.x + edge, f.y + edge})
	}
	return b, true
}

// split returns the finders of the two directions, the turned by x.
func split(hits []finder) (level, turned []finder) {
	for _, f := range hits {
		if f.turned {
			turned = append(turned, f)
		} else {
			level = append(level, f)
		}
	}
	slices.SortStableFunc(turned, func(a, b finder) int { return cmp.Compare(a.x, b.x) })
	return level, turned
}

// crossed reports that a turned line has a finder pattern in the same place.
func crossed(a finder, turned []finder) bool {
	from, _ := slices.BinarySearchFunc(turned, a.x-2*a.module, func(f finder, x float32) int { return cmp.Compare(f.x, x) })
	for _, b := range turned[from:] {
		if b.x > a.x+2*a.module {
			return false
		}
		if beside(a, b) && near(a.module, b.module, 0.4) {
			return true
		}
	}
	return false
}

func known(a finder, found []finder) bool {
	for _, b := range found {
		if beside(a, b) {
			return true
		}
	}
	return false
}

// beside reports that two finders may be of one pattern.
func beside(a, b finder) bool {
	far := 2 * max(a.module, b.module)
	return a.x-b.x < far && b.x-a.x < far && a.y-b.y < far && b.y-a.y < far
}
