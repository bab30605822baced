package barcode

import (
	"context"
	"math"
)

// A vote is a line's reading, with its place in the picture.
type vote struct {
	read
	box box
}

// A box is a rectangle of pixels.
type box struct{ x0, y0, x1, y1 float32 }

// A scanner holds the buffers and results of reading lines of a plane.
type scanner struct {
	plane       plane
	line, sum   []int32
	all, kept   []extreme
	ahead, back edges
	twice       []int32
	marks       []bool
	votes       []vote
}

func newScanner(p plane) *scanner {
	n := max(p.width, p.height)
	return &scanner{plane: p, line: make([]int32, n), sum: make([]int32, n), marks: make([]bool, n/smallBlockSize+2)}
}

// A manner says how lines are read.
type manner struct {
	doubled bool // with interpolated values between pixels
	beside  int  // how many lines on either side are averaged
}

// A found counts what a line shows.
type found struct {
	pixels int
	edges  int // that may be those of bars
	likely int // symbols whose guards and digits have plausible widths
}

func (f *found) add(o found) {
	f.pixels, f.edges, f.likely = f.pixels+o.pixels, max(f.edges, o.edges), f.likely+o.likely
}

// read reads a line between from and to.
func (s *scanner) read(c course, start float64, from, to int, how manner) found {
	var line []int32
	if how.beside > 0 {
		line, from = s.average(c, start, from, to, how.beside)
	} else {
		line, from = s.plane.sample(c, start, from, to, s.line)
	}
	if len(line) < narrowest {
		return found{}
	}
	f := found{pixels: len(line) * (1 + how.beside)}
	if how.doubled {
		s.twice = doubled(line, s.twice[:0])
		line = s.twice
	}
	s.all = extremes(line, s.all[:0])
	for _, part := range parts {
		if len(s.all) <= shortest {
			break
		}
		s.kept = prune(s.all, s.kept[:0], part)
		s.ahead.find(line, s.kept)
		if how.doubled {
			s.ahead.halve()
		}
		f.edges = max(f.edges, len(s.ahead.at))
		f.likely += s.decode(c, start, float32(from))
	}
	return f
}

// narrowest is the smallest number of pixels of a line that can contain readable bars.
const narrowest = 30

// shortest is the number of edges of the shortest symbol, a UPC-E.
const shortest = 34

// decode reads the edges in both directions; from is the position of the line's first
// value.
func (s *scanner) decode(c course, start float64, from float32) (likely int) {
	if len(s.ahead.at) < shortest {
		return 0
	}
	likely = decode(&s.ahead, func(r read) { s.vote(r, c, start, from+r.from, from+r.to) })
	s.ahead.reversed(&s.back)
	end := from + s.back.length
	return likely + decode(&s.back, func(r read) { s.vote(r, c, start, end-r.to, end-r.from) })
}

func (s *scanner) vote(r read, c course, start float64, from, to float32) {
	s.votes = append(s.votes, vote{r, c.box(start, from, to)})
}

// parts are the changes that count as a bar's edge, in 256ths of the local contrast: low
// for glare, higher for rough print.
var parts = []int32{14, 44}

// doubled appends line with values interpolated between its own, on a cubic curve through
// four neighbours: bars of little more than a pixel have their extremes there.
func doubled(line, out []int32) []int32 {
	n := len(line)
	for i, v := range line {
		a, c := line[max(0, i-1)], line[min(n-1, i+1)]
		d := line[min(n-1, i+2)]
		out = append(out, v, (9*(v+c)-a-d)/16)
	}
	return out
}

// sweep reads lines at all angles over the whole plane.
func (s *scanner) sweep(ctx context.Context, how manner) {
	w, h := float64(s.plane.width), float64(s.plane.height)
	step := max(apart, w*h/sweeping)
	for i := range 8 {
		c := courseOf(float64(i)*math.Pi/8, 0)
		c.thin, c.lean = true, 0
		first, last := math.Inf(1), math.Inf(-1)
		for _, corner := range [4][2]float64{{0, 0}, {w, 0}, {0, h}, {w, h}} {
			start, _ := c.start(corner[0], corner[1])
			first, last = min(first, start), max(last, start)
		}
		for ; first < last && ctx.Err() == nil; first += step {
			s.read(c, first, 0, math.MaxInt32, how)
		}
	}
}

// Limits of a sweep.
const (
	apart    = 1.5    // smallest distance of lines in pixels
	sweeping = 40_000 // largest number of pixels along the lines at one angle
)
