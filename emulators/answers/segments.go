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
		if scale == 1 {
			s.pixels[i] = [3]uint8(plain.Pix[4*i:])
		} else {
			s.pixels[i] = meanColour(plain, i%s.w, i/s.w, scale)
		}
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
	start, sumX, sumY := s.pixels[first], 0, 0
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		pixel, x, y := s.pixels[i], i%s.w, i/s.w
		part.area++
		sumX, sumY = sumX+x, sumY+y
		neighbours := [4]int{i + 1, i - 1, i + s.w, i - s.w}
		if x == 0 || y == 0 || x == s.w-1 || y == s.h-1 {
			part.border = true
			neighbours = s.inside(neighbours, x, y)
		}
		for _, j := range neighbours {
			if s.of[j] >= 0 {
				continue
			}
			if next := s.pixels[j]; next == pixel || apart(pixel, next) <= maxStep && apart(start, next) <= maxDrift {
				s.of[j] = id
				queue = append(queue, j)
			}
		}
	}
	s.queue = queue
	part.x, part.y = float64(sumX)/float64(part.area), float64(sumY)/float64(part.area)
	s.parts = append(s.parts, part)
}

// inside returns the neighbours of a pixel: right, left, below and above; in place of one that
// is outside the picture the pixel itself.
func (s *segments) inside(neighbours [4]int, x, y int) [4]int {
	for n, outside := range [4]bool{x == s.w-1, x == 0, y == s.h-1, y == 0} {
		if outside {
			neighbours[n] = y*s.w + x
		}
	}
	return neighbours
}

func apart(a, b [3]uint8) int {
	return max(int(a[0])-int(b[0]), int(b[0])-int(a[0])) +
		max(int(a[1])-int(b[1]), int(b[1])-int(a[1])) +
		max(int(a[2])-int(b[2]), int(b[2])-int(a[2]))
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
