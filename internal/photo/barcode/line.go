package barcode

import "math"

// A course is a set of parallel lines over a plane: along its rows or, if steep, along its
// columns, with a slope of so many pixels across per pixel along. A line is identified by
// its start: its position across at column, or row, 0.
type course struct {
	steep bool
	slope float64 // at most 1
	lean  float64 // how far bars shift along the line per pixel across it
	thin  bool    // the direction of the bars is unknown, so no pixels beside the line are averaged
}

// courseOf returns the course at an angle, in radians clockwise from the rows, over bars
// perpendicular to the angle across.
func courseOf(angle, across float64) course {
	sin, cos := math.Sincos(angle)
	if math.Abs(sin) > math.Abs(cos) {
		return course{steep: true, slope: cos / sin, lean: -1 / math.Tan(across)}
	}
	return course{slope: sin / cos, lean: -math.Tan(across)}
}

// start returns the start of the line through (x, y), and the position of that point along
// the line.
func (c course) start(x, y float64) (start, along float64) {
	if c.steep {
		x, y = y, x
	}
	return y - c.slope*x, x
}

// point returns the position of the line from start after along pixels.
func (c course) point(start float64, along float32) (x, y float32) {
	across := float32(start) + float32(c.slope)*along
	if c.steep {
		return across, along
	}
	return along, across
}

// box returns the box around a stretch of the line from start.
func (c course) box(start float64, from, to float32) box {
	x0, y0 := c.point(start, from)
	x1, y1 := c.point(start, to)
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// strides returns the offsets in p to the next pixel along c and across it, and the number
// of pixels in both directions.
func (c course) strides(p plane) (along, across, long, wide int) {
	if c.steep {
		return p.width, 1, p.height, p.width
	}
	return 1, p.width, p.width, p.height
}

// sample reads the line from start, between the positions from and to, into buf. It returns
// the values, which are four times the grey, and the position of the first. Each is
// averaged with pixels beside the line along the bars, to reduce noise.
func (p plane) sample(c course, start float64, from, to int, buf []int32) ([]int32, int) {
	along, across, long, wide := c.strides(p)
	margin := int(math.Ceil(2 * math.Abs(c.lean)))
	if c.thin {
		margin = 0
	}
	from, to = c.span(start, max(from, margin), min(to, long-margin), wide)
	if to-from < 2 {
		return nil, 0
	}
	const one = 1 << 16
	at, step := int((start+c.slope*float64(from))*one), int(c.slope*one)
	out, pix, base := buf[:to-from], p.pix, from*along
	if c.thin {
		for i := range out {
			j, f := base+at>>16*across, int32(at&(one-1)>>8)
			out[i] = (int32(pix[j])*(256-f) + int32(pix[j+across])*f) >> 6
			base += along
			at += step
		}
		return out, from
	}
	beside := func(k int) int { return k*across + int(math.Round(float64(k)*c.lean))*along }
	o0, o2, o3 := beside(-1), beside(1), beside(2)
	for i := range out {
		j, f := base+at>>16*across, int32(at&(one-1)>>8)
		a, b, d, e := int32(pix[j+o0]), int32(pix[j]), int32(pix[j+o2]), int32(pix[j+o3])
		out[i] = ((a+2*b+d)<<8 + f*(e+d-b-a)) >> 8
		base += along
		at += step
	}
	return out, from
}

// span returns the part of from to to in which the line has one pixel on one side and two
// on the other; wide is the plane's size across.
func (c course) span(start float64, from, to, wide int) (int, int) {
	low, high := 1.1, float64(wide)-3.1
	if low > high || c.slope == 0 && (start < low || start > high) {
		return 0, 0
	}
	if c.slope == 0 {
		return from, to
	}
	enter, leave := (low-start)/c.slope, (high-start)/c.slope
	if enter > leave {
		enter, leave = leave, enter
	}
	return max(from, int(math.Ceil(max(enter, -1)))), min(to, int(min(leave, float64(to))))
}

// average reads a line and `beside` lines on either side, and returns their mean along the
// bars.
func (s *scanner) average(c course, start float64, from, to, beside int) ([]int32, int) {
	sum, at := s.plane.sample(c, start, from, to, s.sum)
	from, to = at, at+len(sum)
	n := int32(1)
	for k := -beside; k <= beside; k++ {
		shift := int(math.Round(float64(k) * c.lean))
		to, from := to+shift, from+shift
		line, at := s.plane.sample(c, start+float64(k)-c.slope*float64(k)*c.lean, from, to, s.line)
		if k == 0 || at != from || len(line) != to-from {
			continue
		}
		n++
		for i, v := range line {
			sum[i] += v
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum, at
}
