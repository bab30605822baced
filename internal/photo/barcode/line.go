package barcode

// A sweep is a family of parallel lines over a plane: y = start + slope·x.
type sweep struct {
	plane  plane
	turned bool // the plane's rows are the picture's columns
	slope  float64
	step   float64 // between lines
}

// slopes of the lines, in each of the two planes: 22.5° apart, so that a code
// is crossed at 11° or less.
var slopes = []float64{0, 0.4142, -0.4142}

// reach returns the first and the last start of a line that crosses the plane.
func (s sweep) reach() (first, last float64) {
	far := s.slope * float64(s.plane.width-1)
	return -max(0, far), float64(s.plane.height-1) - min(0, far)
}

// sample reads the line that begins at start into buf and returns its values,
// which are four times the grey, and the column of the first. A level line takes
// in half of the rows next to it, against noise; a slanting one lies between two.
func (s sweep) sample(start float64, buf []int32) ([]int32, int) {
	from, to := s.span(start)
	if to-from < 2 {
		return nil, 0
	}
	if s.slope == 0 && (start < 0 || int(start) >= s.plane.height) {
		return nil, 0
	}
	out, w := buf[:to-from], s.plane.width
	if s.slope == 0 {
		y := int(start)
		above, here, below := s.plane.row(max(0, y-1)), s.plane.row(y), s.plane.row(min(s.plane.height-1, y+1))
		for x := range out {
			out[x] = int32(above[x]) + 2*int32(here[x]) + int32(below[x])
		}
		return out, from
	}
	const one = 1 << 8
	y, step := int((start+s.slope*float64(from))*one), int(s.slope*one)
	for i := range out {
		at := y>>8*w + from + i
		part := int32(y & (one - 1))
		a, b := int32(s.plane.pix[at]), int32(s.plane.pix[at+w])
		out[i] = (a*(one-part) + b*part) >> 6
		y += step
	}
	return out, from
}

// span returns the columns at which the line has a row below and above it.
func (s sweep) span(start float64) (from, to int) {
	w, h := s.plane.width, float64(s.plane.height)
	if s.slope == 0 {
		return 0, w
	}
	enter, leave := -start/s.slope, (h-1-start)/s.slope
	if enter > leave {
		enter, leave = leave, enter
	}
	return max(0, int(enter)+2), min(w, int(leave)-2)
}
