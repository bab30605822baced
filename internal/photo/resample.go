package photo

import "math"

// A plane is a grid of pixels of n interleaved bytes, read row by row.
type plane struct {
	width, height, n int
	row              func(y int) []byte // valid until the next call
}

// unit is the sum of the weights of one output pixel.
const unit = 1 << 14

// taps are the weights of the input pixels, from start on, for one output pixel.
type taps struct {
	start   int
	weights []int32
}

// kernel computes the weights for scaling src pixels to dst with a Catmull-Rom curve,
// stretched to the scale: sharp enough for small print, and without the moiré of skipped
// pixels.
func kernel(src, dst int) []taps {
	scale := float64(src) / float64(dst)
	all := make([]taps, dst)
	for i := range all {
		centre := (float64(i)+0.5)*scale - 0.5
		from := max(0, int(math.Ceil(centre-2*scale)))
		to := min(src-1, int(math.Floor(centre+2*scale)))
		if src == dst {
			from, to = i, i
		}
		all[i] = taps{from, weights(from, to, centre, scale)}
	}
	return all
}

func weights(from, to int, centre, scale float64) []int32 {
	raw := make([]float64, to-from+1)
	sum := 0.0
	for i := range raw {
		raw[i] = catmullRom(math.Abs(float64(from+i)-centre) / scale)
		sum += raw[i]
	}
	out := make([]int32, len(raw))
	left, largest := int32(unit), 0
	for i, w := range raw {
		out[i] = int32(math.Round(w / sum * unit))
		left -= out[i]
		if out[i] > out[largest] {
			largest = i
		}
	}
	out[largest] += left // the rounding error
	return out
}

func catmullRom(t float64) float64 {
	switch {
	case t < 1:
		return (1.5*t-2.5)*t*t + 1
	case t < 2:
		return ((-0.5*t+2.5)*t-4)*t + 2
	}
	return 0
}

// resample scales p to width × height and yields the rows in order. It keeps only as many
// scaled rows as one output row needs, and works on luma and chroma directly:
// golang.org/x/image/draw would need 32 bytes of floating point per pixel between its two
// passes, about 300 MB and ten times as long for a phone's 12 MP.
func resample(p plane, width, height int, yield func(y int, row []byte)) {
	if p.width == width && p.height == height {
		for y := range height {
			yield(y, p.row(y))
		}
		return
	}
	across, down := kernel(p.width, width), kernel(p.height, height)
	scale := func(dst, src []byte) { scaleRow(dst, src, across, p.n) }
	if few := six(across, p.width); few != nil && p.n == 1 {
		scale = func(dst, src []byte) { scaleSix(dst, src, few) }
	}
	ring := make([][]byte, 0)
	for _, t := range down {
		for len(ring) < len(t.weights) {
			ring = append(ring, make([]byte, width*p.n))
		}
	}
	out, sums := make([]byte, width*p.n), make([]int32, width*p.n)
	read := 0
	for y, t := range down {
		for ; read < t.start+len(t.weights); read++ {
			scale(ring[read%len(ring)], p.row(read))
		}
		blend(out, sums, ring, t)
		if p.n == 4 {
			capByAlpha(out)
		}
		yield(y, out)
	}
}

// scaleRow scales one row of pixels of n bytes, 1 or 4.
func scaleRow(dst, src []byte, across []taps, n int) {
	if n == 1 {
		scaleBytes(dst, src, across)
		return
	}
	for i, t := range across {
		var r, g, b, a int32 = unit / 2, unit / 2, unit / 2, unit / 2
		in := src[4*t.start:][:4*len(t.weights)]
		for j, w := range t.weights {
			px := in[4*j:][:4]
			r += w * int32(px[0])
			g += w * int32(px[1])
			b += w * int32(px[2])
			a += w * int32(px[3])
		}
		out := dst[4*i:][:4]
		out[0], out[1], out[2], out[3] = clamp(r), clamp(g), clamp(b), clamp(a)
	}
}

func scaleBytes(dst, src []byte, across []taps) {
	for i, t := range across {
		sum := int32(unit / 2)
		in := src[t.start:][:len(t.weights)]
		for j, w := range t.weights {
			sum += w * int32(in[j])
		}
		dst[i] = clamp(sum)
	}
}

// sixTaps are taps of six weights in one array: this covers scaling a phone's 12 megapixels
// down to MaxSide, in a quarter of the time.
type sixTaps struct {
	start   int32
	weights [6]int32
}

// six returns across padded with zero weights, nil if there are more than six or the row is
// shorter than that.
func six(across []taps, width int) []sixTaps {
	out := make([]sixTaps, len(across))
	for i, t := range across {
		start := min(t.start, width-6)
		if start < 0 || t.start-start+len(t.weights) > 6 {
			return nil
		}
		out[i].start = int32(start)
		copy(out[i].weights[t.start-start:], t.weights)
	}
	return out
}

func scaleSix(dst, src []byte, across []sixTaps) {
	dst = dst[:len(across)]
	for i := range across {
		t := &across[i]
		in, w := src[t.start:][:6], &t.weights
		dst[i] = clamp(unit/2 + w[0]*int32(in[0]) + w[1]*int32(in[1]) + w[2]*int32(in[2]) +
			w[3]*int32(in[3]) + w[4]*int32(in[4]) + w[5]*int32(in[5]))
	}
}

// blend adds the weighted rows of t, which are in ring by row number, to out: four rows at
// a time, because most of the time is spent on these sums.
func blend(out []byte, sums []int32, ring [][]byte, t taps) {
	for i := range sums {
		sums[i] = unit / 2
	}
	row := func(j int) []byte { return ring[(t.start+j)%len(ring)][:len(sums)] }
	ws, j := t.weights, 0
	for ; j+3 < len(ws); j += 4 {
		a, b, c, d := row(j), row(j+1), row(j+2), row(j+3)
		wa, wb, wc, wd := ws[j], ws[j+1], ws[j+2], ws[j+3]
		for i := range sums {
			sums[i] += wa*int32(a[i]) + wb*int32(b[i]) + wc*int32(c[i]) + wd*int32(d[i])
		}
	}
	for ; j < len(ws); j++ {
		w := ws[j]
		for i, v := range row(j) {
			sums[i] += w * int32(v)
		}
	}
	for i, s := range sums {
		out[i] = clamp(s)
	}
}

func clamp(sum int32) byte {
	v := sum >> 14
	if uint32(v) > 255 {
		return byte(^(v >> 31)) // 0 if negative, 255 if too large
	}
	return byte(v)
}

// capByAlpha keeps premultiplied colours valid where the curve overshoots.
func capByAlpha(row []byte) {
	for i := 0; i+3 < len(row); i += 4 {
		a := row[i+3]
		row[i], row[i+1], row[i+2] = min(row[i], a), min(row[i+1], a), min(row[i+2], a)
	}
}
