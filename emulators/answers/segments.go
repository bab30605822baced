package answers

import (
	"image"
	"image/draw"
	"math"
)

// measuredSide is the longer side, in pixels, of the picture in which outlines are measured.
const measuredSide = 320

// segments are the parts of a picture with one colour each.
type segments struct {
	w, h   int
	pixels [][3]uint8
	of     []int32 // the part of each pixel
	parts  []segment
	queue  []int // pixels of the part that is being filled
}

type segment struct {
	area   int
	border bool    // it touches the border of the picture
	x, y   float64 // its middle
}

// The maximum difference of colour, in all channels together, between two neighbouring
// pixels of a part, and between any of its pixels and the first.
const (
	maxStep  = 24
	maxDrift = 90
)

// segmentsOf segments a picture.
func segmentsOf(img image.Image) *segments {
	b := image.Rectangle{Max: img.Bounds().Size()}
	plain := image.NewRGBA(b)
	draw.Draw(plain, b, img, img.Bounds().Min, draw.Src)
	scale := max(1, float64(max(b.Dx(), b.Dy()))/measuredSide)
	s := &segments{w: int(float64(b.Dx()) / scale), h: int(float64(b.Dy()) / scale)}
	s.pixels, s.of = make([][3]uint8, s.w*s.h), make([]int32, s.w*s.h)
	for i := range s.pixels {
		s.pixels[i] = meanColour(plain, i%s.w, i/s.w, scale)
		s.of[i] = -1
	}
	for i := range s.of {
		if s.of[i] < 0 {
			s.fill(i)
		}
	}
	return s
}

// meanColour returns the mean colour of the pixels of img that one pixel of the measured
// picture covers.
func meanColour(img *image.RGBA, x, y int, scale float64) [3]uint8 {
	b := img.Rect
	var sum [3]int
	n := 0
	for v := int(float64(y) * scale); v < max(int(float64(y+1)*scale), int(float64(y)*scale)+1); v++ {
		for u := int(float64(x) * scale); u < max(int(float64(x+1)*scale), int(float64(x)*scale)+1); u++ {
			p := img.Pix[img.PixOffset(min(u, b.Dx()-1), min(v, b.Dy()-1)):]
			sum[0], sum[1], sum[2] = sum[0]+int(p[0]), sum[1]+int(p[1]), sum[2]+int(p[2])
			n++
		}
	}
	return [3]uint8{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n)}
}

// fill finds the part that begins with a pixel.
func (s *segments) fill(first int) {
	id, part := int32(len(s.parts)), segment{}
	queue := append(s.queue[:0], first)
	s.of[first] = id
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		x, y := i%s.w, i/s.w
		part.area++
		part.x, part.y = part.x+float64(x), part.y+float64(y)
		part.border = part.border || x == 0 || y == 0 || x == s.w-1 || y == s.h-1
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			u, v := x+d[0], y+d[1]
			if u < 0 || v < 0 || u >= s.w || v >= s.h || s.of[v*s.w+u] >= 0 {
				continue
			}
			j := v*s.w + u
			if apart(s.pixels[i], s.pixels[j]) <= maxStep && apart(s.pixels[first], s.pixels[j]) <= maxDrift {
				s.of[j] = id
				queue = append(queue, j)
			}
		}
	}
	s.queue = queue
	part.x, part.y = part.x/float64(part.area), part.y/float64(part.area)
	s.parts = append(s.parts, part)
}

func apart(a, b [3]uint8) int {
	sum := 0
	for i := range a {
		sum += int(max(a[i], b[i]) - min(a[i], b[i]))
	}
	return sum
}

// colour returns the colour of a pixel, 0–255.
func (s *segments) colour(pixel int) [3]int {
	p := s.pixels[pixel]
	return [3]int{int(p[0]), int(p[1]), int(p[2])}
}

// at returns the part and the pixel at a point; part is -1 outside of the picture.
func (s *segments) at(x, y float64) (part, pixel int) {
	u, v := int(math.Round(x)), int(math.Round(y))
	if u < 0 || v < 0 || u >= s.w || v >= s.h {
		return -1, -1
	}
	return int(s.of[v*s.w+u]), v*s.w + u
}

// lenses returns the two largest parts that could be the lenses of glasses: enclosed,
// similar in size, side by side.
func (s *segments) lenses() (left, right int, ok bool) {
	var enclosed []int
	for i, p := range s.parts {
		if !p.border && p.area*200 > s.w*s.h {
			enclosed = append(enclosed, i)
		}
	}
	best := 0
	for n, i := range enclosed {
		for _, j := range enclosed[:n] {
			l, r := i, j
			if s.parts[l].x > s.parts[r].x {
				l, r = r, l
			}
			a, b := s.parts[l], s.parts[r]
			small, large := min(a.area, b.area), max(a.area, b.area)
			far := math.Hypot(b.x-a.x, b.y-a.y) / (2 * math.Sqrt(float64(large)/math.Pi))
			if small*4 < large*3 || far < 1 || far > 2.3 || math.Abs(b.y-a.y) > b.x-a.x || small <= best {
				continue
			}
			best, left, right, ok = small, l, r, true
		}
	}
	return left, right, ok
}
