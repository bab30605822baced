package barcode

import (
	"cmp"
	"slices"
)

// ink tells dark from bright in the middle of a picture: a pixel is dark when
// it is darker than the mean around it.
type ink struct {
	part   plane
	x0, y0 int // where the part is in the picture
	limits []uint8
	blocks int // of limits in a row
}

// central is the longest side, in pixels, of the middle of the picture in which
// a Data Matrix symbol is looked for.
const central = 640

// cell is the side of the blocks of pixels that have one limit.
const cell = 8

// noise is by how much a dark pixel is darker than the mean, at least.
const noise = 8

// inkOf takes the means of 5 by 5 blocks.
func inkOf(p plane) *ink {
	k := &ink{part: plane{width: min(p.width, central), height: min(p.height, central)}}
	k.x0, k.y0 = (p.width-k.part.width)/2, (p.height-k.part.height)/2
	k.part.pix = make([]uint8, 0, k.part.width*k.part.height)
	for y := range k.part.height {
		k.part.pix = append(k.part.pix, p.row(k.y0 + y)[k.x0:k.x0+k.part.width]...)
	}
	k.blocks = max(1, k.part.width/cell)
	rows := max(1, k.part.height/cell)
	means := make([]int, k.blocks*rows)
	for i := range means {
		means[i] = k.mean(i%k.blocks, i/k.blocks)
	}
	k.limits = make([]uint8, len(means))
	for i := range k.limits {
		x, y := i%k.blocks, i/k.blocks
		sum, count := 0, 0
		for v := max(0, y-2); v < min(rows, y+3); v++ {
			for _, m := range means[v*k.blocks:][max(0, x-2):min(k.blocks, x+3)] {
				sum, count = sum+m, count+1
			}
		}
		k.limits[i] = uint8(max(0, sum/count-noise))
	}
	return k
}

// mean is that of every other row of a block.
func (k *ink) mean(x, y int) int {
	sum, count := 0, 0
	for v := y * cell; v < min((y+1)*cell, k.part.height); v += 2 {
		for _, p := range k.part.row(v)[x*cell : min((x+1)*cell, k.part.width)] {
			sum, count = sum+int(p), count+1
		}
	}
	return sum / count
}

// row returns the limits of a row of pixels; the last one counts for the rest.
func (k *ink) row(y int) []uint8 {
	from := min(y/cell*k.blocks, len(k.limits)-k.blocks)
	return k.limits[from : from+k.blocks]
}

// dark reports on a pixel; outside of the part none is.
func (k *ink) dark(a point) bool {
	if !(a.x >= 0 && a.y >= 0 && a.x < float64(k.part.width) && a.y < float64(k.part.height)) {
		return false
	}
	x, y := int(a.x), int(a.y)
	return k.part.row(y)[x] < k.row(y)[min(x/cell, k.blocks-1)]
}

// A run is dark pixels side by side; to is the first that is not, and of the
// first known run that it touches.
type run struct{ y, from, to, of int32 }

// runs returns those of the whole part.
func (k *ink) runs() []run {
	all := make([]run, 0, 32*k.part.height)
	above := 0 // the first run of the row above
	for y := range k.part.height {
		start := len(all)
		all = k.inRow(y, all)
		join(all, above, start)
		above = start
	}
	return all
}

func (k *ink) inRow(y int, all []run) []run {
	line, limits, from := k.part.row(y), k.row(y), -1
	for b, limit := range limits {
		end := (b + 1) * cell
		if b == len(limits)-1 {
			end = len(line)
		}
		for x := b * cell; x < end; x++ {
			if dark := line[x] < limit; dark != (from >= 0) {
				if dark {
					from = x
					continue
				}
				all = append(all, run{int32(y), int32(from), int32(x), int32(len(all))})
				from = -1
			}
		}
	}
	if from >= 0 {
		all = append(all, run{int32(y), int32(from), int32(len(line)), int32(len(all))})
	}
	return all
}

// join makes one of the runs from start on and those from above on that touch
// them, be it at a corner.
func join(all []run, above, start int) {
	a := above
	for i := start; i < len(all); i++ {
		for a < start && all[a].to < all[i].from {
			a++
		}
		for b := a; b < start && all[b].from <= all[i].to; b++ {
			x, y := first(all, int32(i)), first(all, int32(b))
			all[max(x, y)].of = min(x, y)
		}
	}
}

// first returns the first run of the blot that run i belongs to.
func first(all []run, i int32) int32 {
	for all[i].of != i {
		all[i].of = all[all[i].of].of
		i = all[i].of
	}
	return i
}

// A blot is runs that touch each other.
type blot struct {
	box  box
	area int32
	runs []run
}

// blots returns the largest blots that may be the two solid sides of a symbol
// with what touches them, 24 at most.
func (k *ink) blots() []blot {
	runs := k.runs()
	var all []blot
	of := make([]int32, len(runs)) // the blot of a run
	for i, r := range runs {
		if r.of == int32(i) {
			of[i] = int32(len(all))
			all = append(all, blot{box: r.box()})
		}
		of[i] = of[first(runs, int32(i))]
		b := &all[of[i]]
		b.box, b.area = b.box.with(r.box()), b.area+r.to-r.from
	}
	var likely []int32
	for i := range all {
		if all[i].likely() {
			likely = append(likely, int32(i))
		}
	}
	slices.SortStableFunc(likely, func(a, b int32) int { return cmp.Compare(all[b].size(), all[a].size()) })
	likely = likely[:min(len(likely), 24)]
	for i, r := range runs {
		if slices.Contains(likely, of[i]) {
			all[of[i]].runs = append(all[of[i]].runs, r)
		}
	}
	out := make([]blot, len(likely))
	for i, at := range likely {
		out[i] = all[at]
	}
	return out
}

func (r run) box() box { return box{float32(r.from), float32(r.y), float32(r.to), float32(r.y + 1)} }

// size is the longer side of b's box.
func (b *blot) size() float32 { return max(b.box.x1-b.box.x0, b.box.y1-b.box.y0) }

// likely reports that b is not too small, too long or too full.
func (b *blot) likely() bool {
	w, h := b.box.x1-b.box.x0, b.box.y1-b.box.y0
	return min(w, h) >= 9 && max(w, h) >= 13 && max(w, h) < 6*min(w, h) && float32(b.area) < 0.85*w*h && float32(b.area) > 0.04*w*h
}
