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

// A pattern is a finder pattern that lines of both directions crossed.
type pattern struct {
	point
	level, turned float64 // module along level lines and along turned ones
	lines         int
}

// patterns returns the most crossed finder patterns of hits, 20 at most.
func patterns(hits []finder) []pattern {
	level, turned := split(hits)
	var found []pattern
	for _, a := range level {
		i := slices.IndexFunc(found, func(p pattern) bool { return p.holds(a) })
		if i < 0 {
			b, ok := crossed(a, turned)
			if !ok {
				continue
			}
			i, found = len(found), append(found, pattern{turned: float64(b.module)})
		}
		found[i].add(a)
	}
	slices.SortStableFunc(found, func(a, b pattern) int { return cmp.Compare(b.lines, a.lines) })
	return found[:min(len(found), 20)]
}

// holds reports that a's line may have crossed p.
func (p pattern) holds(a finder) bool {
	return math.Abs(float64(a.x)-p.x) < 2*p.level && math.Abs(float64(a.y)-p.y) < 2.5*max(p.level, p.turned)
}

// add takes a line's place into the mean.
func (p *pattern) add(a finder) {
	p.lines++
	part := 1 / float64(p.lines)
	p.point = p.plus(point{float64(a.x), float64(a.y)}.minus(p.point).times(part))
	p.level += (float64(a.module) - p.level) * part
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

// crossed returns a turned line's finder pattern in the same place.
func crossed(a finder, turned []finder) (b finder, ok bool) {
	from, _ := slices.BinarySearchFunc(turned, a.x-2*a.module, func(f finder, x float32) int { return cmp.Compare(f.x, x) })
	for _, b := range turned[from:] {
		if b.x > a.x+2*a.module {
			return finder{}, false
		}
		if beside(a, b) && near(a.module, b.module, 0.4) {
			return b, true
		}
	}
	return finder{}, false
}

// beside reports that two finders may be of one pattern.
func beside(a, b finder) bool {
	far := 2 * max(a.module, b.module)
	return a.x-b.x < far && b.x-a.x < far && a.y-b.y < far && b.y-a.y < far
}
