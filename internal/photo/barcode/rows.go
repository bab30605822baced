package barcode

import "math"

// rows are the lines across a region.
type rows struct {
	course      course
	first, last float64 // starts
	size        int     // of a block
	blocks      []place
}

// A place is the position of a block's middle: the start of the line through it, and the
// position along that line.
type place struct{ start, along float64 }

// across returns the lines across r, rotated by turn from its direction.
func (g *grid) across(r *region, turn float64) rows {
	angle := r.angle()
	out := rows{course: courseOf(angle+turn, angle), first: math.Inf(1), last: math.Inf(-1), size: g.size}
	for _, i := range r.blocks {
		x, y := int(i)%g.columns, int(i)/g.columns
		var p place
		p.start, p.along = out.course.start((float64(x)+0.5)*float64(g.size), (float64(y)+0.5)*float64(g.size))
		out.first, out.last = min(out.first, p.start), max(out.last, p.start)
		out.blocks = append(out.blocks, p)
	}
	half := float64(g.size) / 2
	out.first, out.last = out.first-half, out.last+half
	return out
}

// Limits of a row, in blocks.
const (
	bridged = 4 // largest gap
	beyond  = 2 // read on either side, besides a tenth of the row's length
)

// row reads the line from start where it crosses blocks of the region, and a little beyond,
// because the space beside a symbol must be checked.
func (s *scanner) row(r *rows, start float64, how manner) (all found) {
	clear(s.marks)
	reach := float64(r.size) / 2 * (1 + math.Abs(r.course.slope))
	for _, b := range r.blocks {
		if math.Abs(b.start-start) <= reach {
			s.marks[int(b.along)/r.size] = true
		}
	}
	from, last := -1, -1
	for i, marked := range s.marks {
		if from >= 0 && (i == len(s.marks)-1 || i-last > bridged) {
			f, t := from*r.size, (last+1)*r.size
			more := beyond*r.size + (t-f)/10
			if r.size == smallBlockSize {
				more = r.course.lineLength(s.plane)
			}
			all.add(s.read(r.course, start, max(0, f-more), t+more, how))
			from = -1
		}
		if marked {
			if from < 0 {
				from = i
			}
			last = i
		}
	}
	return all
}

// lineLength returns the full length of a line: in small pictures lines are read from end
// to end.
func (c course) lineLength(p plane) int {
	_, _, long, _ := c.strides(p)
	return long
}
