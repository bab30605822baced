package barcode

import (
	"math"
	"slices"
)

// A pattern is a place where lines in both directions cross runs of 1, 1, 3, 1 and 1
// modules: probably a QR Code's finder pattern.
type pattern struct {
	x, y, module float32
	lines        int
}

// Limits of the search for finder patterns.
const (
	searched    = 90_000 // pixels of lines that are read
	textured    = 150    // energy of a block that may belong to a QR Code
	patterns    = 40     // the largest number kept
	wideModules = 6      // even blocks allowed between two blocks of a pattern
)

// patterns returns the finder patterns in g's plane.
func (s *scanner) patterns(g *grid) (all []pattern) {
	pixels := 0
	for _, b := range g.raw {
		if b.energy > textured {
			pixels += g.size * g.size
		}
	}
	step := max(2, pixels/searched)
	for y := step; y < g.rows*g.size && len(all) < patterns; y += step {
		from, last := -1, -1
		for x := 0; x <= g.columns; x++ {
			dense := x < g.columns && g.raw[y/g.size*g.columns+x].energy > textured
			if from >= 0 && (x == g.columns || !dense && x-last > wideModules) {
				all = s.crossed(all, y, (from-2)*g.size, (last+3)*g.size)
				from = -1
			}
			if dense {
				if from < 0 {
					from = x
				}
				last = x
			}
		}
	}
	return slices.DeleteFunc(all, func(p pattern) bool { return p.lines < 2 && int(3*p.module) >= 2*step })
}

// crossed appends to all the finder patterns that row y crosses between from and to.
func (s *scanner) crossed(all []pattern, y, from, to int) []pattern {
	for _, a := range s.finders(course{thin: true}, float64(y), from, to, nil) {
		b, ok := s.upright(a.x, float32(y), a.module)
		if !ok {
			continue
		}
		p := pattern{a.x, b.y, (a.module + b.module) / 2, 1}
		i := 0
		for i < len(all) && !all[i].same(p) {
			i++
		}
		if i == len(all) {
			all = append(all, p)
		} else {
			all[i].lines++
		}
	}
	return all
}

func (p pattern) same(o pattern) bool {
	far := 2 * max(p.module, o.module)
	return math.Abs(float64(p.x-o.x)) < float64(far) && math.Abs(float64(p.y-o.y)) < float64(far)
}

// upright finds the finder pattern around (x, y) on the column x.
func (s *scanner) upright(x, y, module float32) (pattern, bool) {
	far := 7 * module
	for _, b := range s.finders(course{steep: true, thin: true}, float64(x), int(y-far), int(y+far), nil) {
		if near(b.module, module, 0.5) && b.y-y < 2*module && y-b.y < 2*module {
			return b, true
		}
	}
	return pattern{}, false
}

// finders appends to out the places where the line from start has runs of 1, 1, 3, 1 and 1
// modules, beginning with dark.
func (s *scanner) finders(c course, start float64, from, to int, out []pattern) []pattern {
	line, from := s.plane.sample(c, start, max(0, from), to, s.line)
	if len(line) < narrowest/2 {
		return out
	}
	s.all = extremes(line, s.all[:0])
	s.kept = prune(s.all, s.kept[:0], parts[1])
	s.ahead.find(line, s.kept)
	at := s.ahead.at
	for i := s.ahead.dark; i+5 < len(at); i += 2 {
		if module := (at[i+5] - at[i]) / 7; module >= 1 && finderRuns(at[i:i+6], module) {
			x, y := c.point(start, float32(from)+(at[i+2]+at[i+3])/2)
			out = append(out, pattern{x: x, y: y, module: module})
		}
	}
	return out
}

// finderRuns reports whether the runs between the edges in at have 1, 1, 3, 1 and 1
// modules.
func finderRuns(at []float32, module float32) bool {
	for j := range 5 {
		want, off := module, 0.5*module
		if j == 2 {
			want, off = 3*module, 0.75*module
		}
		if d := at[j+1] - at[j] - want; d > off || -d > off {
			return false
		}
	}
	return true
}
