package barcode

import (
	"cmp"
	"slices"
)

// A guess is a symbol's size and where it is.
type guess struct {
	size  dmSize
	at    quad
	match float64
}

func (g guess) view() view {
	w, h := float64(g.size.columns), float64(g.size.rows)
	return viewOf(quad{{0, 0}, {w, 0}, {w, h}, {0, h}}, g.at)
}

// dataMatrix reads the symbol whose solid sides are q's left and bottom.
func (p plane) dataMatrix(q quad) (c Code, v view, size dmSize, ok bool) {
	for _, g := range p.guesses(q) {
		g = p.settled(g)
		v, size = g.view(), g.size
		values := p.sample(v, size.columns, size.rows)
		for _, values := range [][]float64{values, sharpened(values, size.columns)} {
			m := told(values, size.columns)
			if !framed(m, size) {
				continue
			}
			if said, ok := dmRead(m, size); ok {
				c, ok := said.code("DataMatrix")
				return c, v, size, ok
			}
		}
	}
	return Code{}, v, size, false
}

// guesses returns the three sizes whose timing patterns match best, each with
// the fourth corner where it does.
func (p plane) guesses(q quad) []guess {
	height, width := q[0].minus(q[3]).length(), q[2].minus(q[3]).length()
	var all []guess
	for _, size := range dmSizes {
		w, h := width/float64(size.columns), height/float64(size.rows)
		if min(w, h) < 1.1 || w > 1.7*h || h > 1.7*w {
			continue
		}
		if g := p.fourth(guess{size: size, at: q}); g.match > alike {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(b.match, a.match) })
	return all[:min(len(all), 3)]
}

// fourth moves the corner between the timing patterns to where they match best:
// first their outer edges, however the symbol is tilted, then about a module.
func (p plane) fourth(g guess) guess {
	right, down := g.sides()
	top := p.edge(g.at[0], g.at[1], right, down)
	side := p.edge(g.at[2], g.at[1], down.times(-1), right.times(-1))
	from, to, other := g.at[0], top.minus(g.at[0]), side.minus(g.at[2])
	start := from.plus(to.times(g.at[2].minus(from).cross(other) / to.cross(other)))
	best := g
	for y := -1.0; y <= 1; y += 0.5 {
		for x := -1.0; x <= 1; x += 0.5 {
			try := g
			try.at[1] = start.plus(right.times(x)).plus(down.times(y))
			if try.match = p.timed(try); try.match > best.match {
				best = try
			}
		}
	}
	return best
}

// sides returns those of a module, to the right and down.
func (g guess) sides() (right, down point) {
	return g.at[2].minus(g.at[3]).times(1 / float64(g.size.columns)), g.at[3].minus(g.at[0]).times(1 / float64(g.size.rows))
}

// edge turns the line between two corners about the first to where the picture
// is brightest beyond it beside how dark it is within; along and inward are a
// module's sides.
func (p plane) edge(from, to, along, inward point) point {
	n := int(to.minus(from).length()/along.length() + 0.5)
	best, most := to, -255.0
	for off := -0.3 * float64(n); off <= 0.3*float64(n); off += 0.5 {
		end := to.plus(inward.times(off))
		step, at := end.minus(from).times(0.5/float64(n)), from.plus(inward.times(-0.5))
		sum := 0.0
		for range 2 * n {
			at = at.plus(step)
			sum += p.value(at) - p.value(at.plus(inward))
		}
		if sum > most {
			best, most = end, sum
		}
	}
	return best
}

// timed is how like the timing patterns and the space beyond them g's are.
func (p plane) timed(g guess) float64 {
	v, w, h := g.view(), float64(g.size.columns), float64(g.size.rows)
	var t contrasts
	for x := range g.size.columns {
		t.add(p.value(v.at(float64(x)+0.5, 0.5)), x%2 == 0)
		t.add(p.value(v.at(float64(x)+0.5, -0.6)), false)
	}
	for y := range g.size.rows {
		t.add(p.value(v.at(w-0.5, float64(y)+0.5)), y%2 == 1)
		t.add(p.value(v.at(w+0.6, h-float64(y)-0.5)), false)
	}
	return t.likeness()
}

// solidity adds to the timing patterns the solid sides and the space beyond.
func (p plane) solidity(g guess) float64 {
	v, w, h := g.view(), float64(g.size.columns), float64(g.size.rows)
	var t contrasts
	for x := 0.5; x < w; x++ {
		t.add(p.value(v.at(x, h-0.5)), true)
		t.add(p.value(v.at(x, h+0.6)), false)
	}
	for y := 0.5; y < h; y++ {
		t.add(p.value(v.at(0.5, y)), true)
		t.add(p.value(v.at(-0.6, y)), false)
	}
	return t.likeness() + p.timed(g)
}

// settled moves the corners to where the finder pattern matches best.
func (p plane) settled(g guess) guess {
	right, down := g.sides()
	g.match = p.solidity(g)
	for step := 0.4; step > 0.06; step /= 2 {
		for range 4 {
			before := g.match
			for corner := range g.at {
				for _, by := range []point{right, down, right.times(-1), down.times(-1)} {
					try := g
					try.at[corner] = g.at[corner].plus(by.times(step))
					if try.match = p.solidity(try); try.match > g.match {
						g = try
					}
				}
			}
			if g.match == before {
				break
			}
		}
	}
	return g
}

// framed reports that nine of ten modules of the finder patterns, those between
// regions too, are as they must be.
func framed(m modules, size dmSize) bool {
	h, w := size.rows/size.down, size.columns/size.across
	right, all := 0, 0
	for y := range m.rows {
		for x := range m.columns {
			dark, known := true, true
			switch {
			case x%w == 0 || y%h == h-1:
			case y%h == 0:
				dark = x%2 == 0
			case x%w == w-1:
				dark = y%2 == 1
			default:
				known = false
			}
			if known {
				all++
			}
			if known && m.at(x, y) == dark {
				right++
			}
		}
	}
	return right*10 >= all*9
}
