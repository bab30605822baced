package barcode

// A vote is a line's read with its place in the picture.
type vote struct {
	read
	box   box
	sweep sweep
	start float64
}

// A box is a rectangle of pixels.
type box struct{ x0, y0, x1, y1 float32 }

// A scanner holds what reading a line needs.
type scanner struct {
	line        []int32
	all, kept   []extreme
	ahead, back edges
	doubled     bool // read lines with values between the pixels'
	twice       []int32
	turns       int // of the level lines
	hits        []finder
	votes       []vote
}

func newScanner(p plane) *scanner {
	return &scanner{line: make([]int32, max(p.width, p.height))}
}

// read reads the line that begins at start.
func (s *scanner) read(sw sweep, start float64) {
	line, from := sw.sample(start, s.line)
	s.all = s.all[:0]
	if len(line) < narrowest {
		return
	}
	if s.doubled {
		s.twice = doubled(line, s.twice[:0])
		line = s.twice
	}
	s.all = extremes(line, s.all)
	for _, part := range parts {
		s.kept = prune(s.all, s.kept[:0], part)
		s.ahead.find(line, s.kept)
		if s.doubled {
			s.ahead.halve()
		} else if sw.slope == 0 {
			s.finders(sw, start)
		}
		if len(s.ahead.at) >= shortest {
			s.decode(sw, start, float32(from))
		}
	}
}

// narrowest is how many pixels a line has at least: no QR code and no bars are
// readable in fewer.
const narrowest = 30

// shortest is how many edges the symbol with the fewest, a UPC-E, has.
const shortest = 34

// decode reads the edges in both directions; from is the line's first column.
func (s *scanner) decode(sw sweep, start float64, from float32) {
	decode(&s.ahead, func(r read) { s.vote(r, sw, start, from+r.from, from+r.to) })
	s.ahead.reversed(&s.back)
	end := from + s.back.length
	decode(&s.back, func(r read) { s.vote(r, sw, start, end-r.to, end-r.from) })
}

func (s *scanner) vote(r read, sw sweep, start float64, x0, x1 float32) {
	s.votes = append(s.votes, vote{r, sw.box(start, x0, x1), sw, start})
}

// parts are the turns that count as a bar's, in 256ths of the contrast around
// it: little where light glares, more where a print is rough.
var parts = []int32{14, 44}

// box returns where the line from start has its columns from x0 to x1.
func (s sweep) box(start float64, x0, x1 float32) box {
	y0, y1 := float32(start)+float32(s.slope)*x0, float32(start)+float32(s.slope)*x1
	b := box{x0, min(y0, y1), x1, max(y0, y1)}
	if s.turned {
		b = box{b.y0, b.x0, b.y1, b.x1}
	}
	return b
}

// doubled appends line and the values between its own, on a curve through the
// four next to each: bars of little more than a pixel have their extremes there.
func doubled(line, out []int32) []int32 {
	n := len(line)
	for i, v := range line {
		a, c := line[max(0, i-1)], line[min(n-1, i+1)]
		d := line[min(n-1, i+2)]
		out = append(out, v, (9*(v+c)-a-d)/16)
	}
	return out
}
