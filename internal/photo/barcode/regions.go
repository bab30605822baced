package barcode

import (
	"cmp"
	"math"
	"slices"
)

// A region is a set of connected blocks with gradients of about the same direction: it may
// contain bars.
type region struct {
	cos, sin float32 // sum of the blocks' directions across the bars, angles doubled
	blocks   []int32
	weight   float32 // sum of the blocks' coherence
}

// Limits for blocks that may contain bars.
const (
	faintest   = 20   // smallest energy of a block
	incoherent = 0.35 // blocks with less coherence contain no bars
	sameWay    = 0.85 // smallest cosine of twice the angle between a block and its region
	reachOut   = 2    // largest gap, in blocks, within a region
)

// regions returns the regions of g, those that look most like bars first.
func (g *grid) regions() []region {
	coherence := make([]float32, len(g.smooth))
	var order []int32
	for i, b := range g.smooth {
		if b.energy < faintest {
			continue
		}
		if c := b.coherence(); c > incoherent {
			coherence[i] = c
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(coherence[b], coherence[a]) })
	var all []region
	for _, i := range order {
		if coherence[i] > 0 {
			if r := g.grow(i, coherence); len(r.blocks) >= 4 {
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b region) int { return cmp.Compare(b.weight, a.weight) })
	return all
}

// grow returns the region around block first, and sets the coherence of its blocks to 0.
func (g *grid) grow(first int32, coherence []float32) region {
	r := region{}
	take := func(i int32) {
		c, s := g.smooth[i].direction()
		r.cos, r.sin = r.cos+c, r.sin+s
		r.weight += coherence[i]
		r.blocks = append(r.blocks, i)
		coherence[i] = 0
	}
	take(first)
	for at := 0; at < len(r.blocks); at++ {
		x, y := int(r.blocks[at])%g.columns, int(r.blocks[at])/g.columns
		for by := max(0, y-reachOut); by <= min(g.rows-1, y+reachOut); by++ {
			for bx := max(0, x-reachOut); bx <= min(g.columns-1, x+reachOut); bx++ {
				if i := int32(by*g.columns + bx); coherence[i] > 0 && r.along(g.smooth[i]) {
					take(i)
				}
			}
		}
	}
	return r
}

// along reports whether b's gradients have about the region's direction.
func (r *region) along(b block) bool {
	c, s := b.direction()
	length := float32(math.Sqrt(float64(r.cos*r.cos + r.sin*r.sin)))
	return c*r.cos+s*r.sin > sameWay*length
}

// angle returns the direction across the bars, in radians clockwise from the rows.
func (r *region) angle() float64 { return math.Atan2(float64(r.sin), float64(r.cos)) / 2 }

// box returns the box around the blocks of r.
func (g *grid) box(r *region) box {
	size := float32(g.size)
	var out box
	for n, i := range r.blocks {
		x, y := float32(int(i)%g.columns)*size, float32(int(i)/g.columns)*size
		b := box{x, y, x + size, y + size}
		if n == 0 {
			out = b
		}
		out = out.with(b)
	}
	return out
}
