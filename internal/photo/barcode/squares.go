package barcode

import (
	"cmp"
	"slices"
)

// triples returns the boxes around three finder patterns that may belong to a QR Code, the
// likeliest first.
func triples(all []pattern) []box {
	type triple struct {
		box box
		off float32
	}
	var found []triple
	for i, a := range all {
		for j, b := range all[:i] {
			for _, c := range all[:j] {
				if off, ok := corners(a, b, c); ok {
					found = append(found, triple{squareOf(a, b, c), off})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b triple) int { return cmp.Compare(a.off, b.off) })
	var out []box
	for _, t := range found {
		if len(out) < tried && !slices.ContainsFunc(out, t.box.over) {
			out = append(out, t.box)
		}
	}
	return out
}

// corners reports whether three patterns are placed like those of a QR Code, and how far
// they are from a right angle and equal sides.
func corners(a, b, c pattern) (off float32, ok bool) {
	least, most := min(a.module, b.module, c.module), max(a.module, b.module, c.module)
	sides := []float32{square(a, b), square(b, c), square(a, c)}
	slices.Sort(sides)
	off = (sides[1]-sides[0])/sides[1] + abs(sides[0]+sides[1]-sides[2])/sides[2]
	return off, most < 1.5*least && off < 0.6 && sides[0] > 10*10*least*least && sides[0] < 200*200*most*most
}

func abs(v float32) float32 { return max(v, -v) }

// square returns the squared distance of two patterns.
func square(a, b pattern) float32 { return (a.x-b.x)*(a.x-b.x) + (a.y-b.y)*(a.y-b.y) }

// squareOf returns the box around the QR Code with three patterns.
func squareOf(a, b, c pattern) box {
	out := box{a.x, a.y, a.x, a.y}
	// The pattern opposite the longest side is the corner between the other two; the fourth
	// corner is opposite to it.
	switch longest := max(square(a, b), square(b, c), square(a, c)); longest {
	case square(a, b):
		a, c = c, a
	case square(a, c):
		a, b = b, a
	}
	for _, p := range [][2]float32{{a.x, a.y}, {b.x, b.y}, {c.x, c.y}, {b.x + c.x - a.x, b.y + c.y - a.y}} {
		out = out.with(box{p[0], p[1], p[0], p[1]})
	}
	return out
}

// levels are thresholds for blocks of a Data Matrix symbol, relative to the energy of the
// densest blocks: the symbol may be on plain ground or on a pattern.
var levels = []float32{0.4, 0.15, 0.05}

// squares returns the boxes around connected blocks of high energy that are about as wide
// as high. Large ones whose gradients have many directions come first.
func (g *grid) squares() []box {
	type square struct {
		box    box
		energy float32
	}
	var found []square
	most := g.densest()
	for _, blocks := range [][]block{g.raw, g.smooth} {
		for _, level := range levels {
			for _, r := range g.dense(blocks, max(most*level, faintest)) {
				if b := g.box(&r); g.squarish(b, len(r.blocks)) {
					found = append(found, square{b, r.weight * min(b.x1-b.x0, b.y1-b.y0)})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b square) int { return cmp.Compare(b.energy, a.energy) })
	var out []box
	for _, f := range found {
		if len(out) < 12 && !slices.ContainsFunc(out, f.box.alike) {
			out = append(out, f.box)
		}
	}
	return out
}

// squarish reports whether a box with so many dense blocks may surround a symbol.
func (g *grid) squarish(b box, blocks int) bool {
	w, h := (b.x1-b.x0)/float32(g.size), (b.y1-b.y0)/float32(g.size)
	return float32(blocks) > 0.4*w*h && min(w, h) >= 2 && max(w, h) < 5*min(w, h) && max(w, h) <= 48
}

// alike reports whether two boxes are about the same.
func (b box) alike(o box) bool {
	far := (b.x1 - b.x0 + b.y1 - b.y0) / 16
	return abs(b.x0-o.x0) < far && abs(b.y0-o.y0) < far && abs(b.x1-o.x1) < far && abs(b.y1-o.y1) < far
}

// densest returns the energy that one block in a hundred exceeds.
func (g *grid) densest() float32 {
	if len(g.raw) == 0 {
		return 0
	}
	all := make([]float32, 0, len(g.raw)/7+1)
	for i := 0; i < len(g.raw); i += 7 {
		all = append(all, g.raw[i].energy)
	}
	slices.Sort(all)
	return all[len(all)-1-len(all)/100]
}

// dense returns the sets of connected blocks with at least the energy least. A region's
// weight is the mean energy that has no single direction.
func (g *grid) dense(blocks []block, least float32) (all []region) {
	seen := make([]bool, len(blocks))
	for i := range blocks {
		if seen[i] || blocks[i].energy < least {
			continue
		}
		seen[i] = true
		r := region{blocks: []int32{int32(i)}}
		for at := 0; at < len(r.blocks); at++ {
			n := int(r.blocks[at])
			r.weight += blocks[n].energy * (1 - blocks[n].coherence())
			x, y := n%g.columns, n/g.columns
			for by := max(0, y-1); by <= min(g.rows-1, y+1); by++ {
				for bx := max(0, x-1); bx <= min(g.columns-1, x+1); bx++ {
					if j := by*g.columns + bx; !seen[j] && blocks[j].energy >= least {
						seen[j] = true
						r.blocks = append(r.blocks, int32(j))
					}
				}
			}
		}
		r.weight /= float32(len(r.blocks))
		all = append(all, r)
	}
	return all
}
