package barcode

// grain is the smallest change, of 4 × 255, that is not noise.
const grain = 12

// An extreme is a local maximum or minimum of a line.
type extreme struct {
	at, value int32
}

// extremes appends to out the alternating maxima and minima of line, each differing from
// the next by more than grain.
func extremes(line []int32, out []extreme) []extreme {
	low, high, lowAt, highAt := line[0], line[0], 0, 0
	i := 1
	for ; i < len(line); i++ {
		v := line[i]
		if v < low {
			low, lowAt = v, i
		}
		if v > high {
			high, highAt = v, i
		}
		if high-low > grain {
			break
		}
	}
	rising := lowAt < highAt
	if rising {
		out = append(out, extreme{int32(lowAt), low})
	} else {
		out = append(out, extreme{int32(highAt), high})
	}
	for ; i < len(line); i++ {
		v := line[i]
		if rising {
			if v > high {
				high, highAt = v, i
			} else if high-v > grain {
				out = append(out, extreme{int32(highAt), high})
				rising, low, lowAt = false, v, i
			}
		} else if v < low {
			low, lowAt = v, i
		} else if v-low > grain {
			out = append(out, extreme{int32(lowAt), low})
			rising, high, highAt = true, v, i
		}
	}
	if rising {
		return append(out, extreme{int32(highAt), high})
	}
	return append(out, extreme{int32(lowAt), low})
}

// around is how many extremes on either side define the local contrast.
const around = 6

// prune appends to out the extremes in all whose changes are larger than part, in 256ths,
// of the local contrast.
func prune(all, out []extreme, part int32) []extreme {
	out = append(out, all[0])
	up := len(all) > 1 && all[1].value > all[0].value // from this one to the next
	for i, x := range all[1:] {
		last := &out[len(out)-1]
		turn := x.value - last.value
		if !up {
			turn = -turn
		}
		switch {
		case turn <= 0:
			*last = x
		case turn > plenty*part>>8 || turn > contrast(all, i+1)*part>>8:
			out, up = append(out, x), !up
		}
	}
	return out
}

// plenty is the largest contrast: black and white.
const plenty = 4 * 255

// contrast returns the difference between the largest and the smallest value around extreme
// i.
func contrast(all []extreme, i int) int32 {
	near := all[max(0, i-around):min(len(all), i+around)]
	low, high := near[0].value, near[0].value
	for _, x := range near {
		low, high = min(low, x.value), max(high, x.value)
	}
	return high - low
}

// edges are the alternating dark and bright edges along a line.
type edges struct {
	at     []float32
	length float32 // of the line
	dark   int     // parity of the indices at which a dark run begins
}

// find sets e to the edges between the extremes of line. An edge lies where the line
// crosses the middle between two extremes, so that shadows and blur move both edges of a
// bar alike.
func (e *edges) find(line []int32, all []extreme) {
	e.at, e.length, e.dark = e.at[:0], float32(len(line)), 0
	if len(all) < 2 {
		return
	}
	if all[0].value < all[1].value {
		e.dark = 1
	}
	for i, b := range all[1:] {
		e.at = append(e.at, crossing(line, all[i], b))
	}
}

// crossing returns where line first crosses the middle between two extremes.
func crossing(line []int32, a, b extreme) float32 {
	middle := (a.value + b.value) / 2
	i := a.at + 1
	if a.value > b.value {
		for i < b.at && line[i] > middle {
			i++
		}
	} else {
		for i < b.at && line[i] < middle {
			i++
		}
	}
	before, after, part := line[i-1], line[i], float32(0)
	if before != after {
		part = float32(middle-before) / float32(after-before)
	}
	return float32(i) - 0.5 + part
}

// reversed sets r to the edges of the line read from its other end.
func (e *edges) reversed(r *edges) {
	r.at, r.length = r.at[:0], e.length
	for i := len(e.at) - 1; i >= 0; i-- {
		r.at = append(r.at, e.length-e.at[i])
	}
}

// halve converts the positions of a doubled line back to columns.
func (e *edges) halve() {
	for i := range e.at {
		e.at[i] = e.at[i]/2 + 0.25
	}
	e.length /= 2
}
