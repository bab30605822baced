package barcode

// grain is the least turn, of 4 × 255, that is not noise.
const grain = 12

// An extreme is the brightest or darkest value between two turns of a line.
type extreme struct {
	at, value int32
}

// extremes appends to out the brightest and darkest values of line in turns,
// each more than grain from the next.
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

// around is how many extremes on either side make the contrast around one.
const around = 6

// prune appends to out those of all whose turns are more than part, in 256ths,
// of the contrast around them.
func prune(all, out []extreme, part int32) []extreme {
	out = append(out, all[0])
	up := len(all) > 1 && all[1].value > all[0].value // towards the next
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

// plenty is the greatest contrast: that of black and white.
const plenty = 4 * 255

// contrast is the difference between the brightest and the darkest extreme
// around the i-th.
func contrast(all []extreme, i int) int32 {
	near := all[max(0, i-around):min(len(all), i+around)]
	low, high := near[0].value, near[0].value
	for _, x := range near {
		low, high = min(low, x.value), max(high, x.value)
	}
	return high - low
}

// edges are the places along a line where it turns dark or bright in turns.
type edges struct {
	at     []float32
	length float32 // of the line
	dark   int     // the index parity of the edges that begin something dark
}

// find sets e to the edges between extremes of line: each lies where the line
// crosses the middle of two, so that shadows and a blur move both sides of a
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

// crossing is where line first passes the middle between two extremes.
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

// halve sets e back to the columns of a line that was doubled.
func (e *edges) halve() {
	for i := range e.at {
		e.at[i] = e.at[i]/2 + 0.25
	}
	e.length /= 2
}
