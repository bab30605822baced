package samples

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// A canvas is a picture that is being drawn.
type canvas struct {
	picture *image.RGBA
	pen     vector.Rasterizer
	mask    []uint8  // room for cover
	printed []string // every text, in the order of drawing
}

func newCanvas(width, height int) *canvas {
	return &canvas{picture: image.NewRGBA(image.Rect(0, 0, width, height))}
}

// fill draws p, a path on the surface seen through l, in one colour.
func (c *canvas) fill(l lens, p path, ink color.NRGBA) {
	mask, at := c.cover(p.through(l))
	for y := range mask.Rect.Dy() {
		row := mask.Pix[y*mask.Stride:][:mask.Stride]
		for x, a := range row {
			if a > 0 {
				c.blend(at.X+x, at.Y+y, ink, uint32(a))
			}
		}
	}
}

// paint draws p in colours that depend on the point of the picture.
func (c *canvas) paint(l lens, p path, ink func(x, y float64) color.NRGBA) {
	mask, at := c.cover(p.through(l))
	for y := range mask.Rect.Dy() {
		row := mask.Pix[y*mask.Stride:][:mask.Stride]
		for x, a := range row {
			if a > 0 {
				c.blend(at.X+x, at.Y+y, ink(float64(at.X+x), float64(at.Y+y)), uint32(a))
			}
		}
	}
}

// blend lays ink over a pixel; cover is in 0–255.
func (c *canvas) blend(x, y int, ink color.NRGBA, cover uint32) {
	i := y*c.picture.Stride + 4*x
	p := c.picture.Pix[i : i+4 : i+4]
	a := uint32(ink.A) * cover
	if a == 255*255 {
		p[0], p[1], p[2], p[3] = ink.R, ink.G, ink.B, 255
		return
	}
	b := 255*255 - a
	p[0] = uint8((uint32(p[0])*b + uint32(ink.R)*a) / (255 * 255))
	p[1] = uint8((uint32(p[1])*b + uint32(ink.G)*a) / (255 * 255))
	p[2] = uint8((uint32(p[2])*b + uint32(ink.B)*a) / (255 * 255))
	p[3] = 255
}

// cover returns how much of each pixel p covers, as a mask whose first pixel
// is at a point of the picture. The mask is used again by the next call.
func (c *canvas) cover(p path) (*image.Alpha, image.Point) {
	box := c.trace(p)
	size := image.Rectangle{Max: box.Size()}
	n := size.Dx() * size.Dy()
	if cap(c.mask) < n {
		c.mask = make([]uint8, n)
	}
	m := &image.Alpha{Pix: c.mask[:n], Stride: size.Dx(), Rect: size}
	if n > 0 {
		c.pen.DrawOp = draw.Src
		c.pen.Draw(m, size, image.Opaque, image.Point{})
	}
	return m, box.Min
}

// trace gives a path of the picture to the pen and returns the part of the
// picture that it may touch.
func (c *canvas) trace(p path) image.Rectangle {
	box := bounds(p).Intersect(c.picture.Rect)
	if box.Empty() {
		return image.Rectangle{}
	}
	c.pen.Reset(box.Dx(), box.Dy())
	at := func(q point) (float32, float32) {
		return float32(q.x - float64(box.Min.X)), float32(q.y - float64(box.Min.Y))
	}
	for _, s := range p {
		x, y := at(s.p[0])
		switch s.verb {
		case moveTo:
			c.pen.ClosePath()
			c.pen.MoveTo(x, y)
		case lineTo:
			c.pen.LineTo(x, y)
		case curve:
			x2, y2 := at(s.p[1])
			x3, y3 := at(s.p[2])
			c.pen.CubeTo(x, y, x2, y2, x3, y3)
		}
	}
	c.pen.ClosePath()
	return box
}

func bounds(p path) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, s := range p {
		n := 1
		if s.verb == curve {
			n = 3
		}
		for _, q := range s.p[:n] {
			x0, x1 = min(x0, q.x), max(x1, q.x)
			y0, y1 = min(y0, q.y), max(y1, q.y)
		}
	}
	if len(p) == 0 {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1))+1, int(math.Ceil(y1))+1)
}

// rgb reads 0xRRGGBB.
func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// faint is ink with an opacity in 0–1.
func faint(ink color.NRGBA, opacity float64) color.NRGBA {
	ink.A = uint8(opacity*255 + 0.5)
	return ink
}

// between mixes two colours; t is clamped to 0–1.
func between(a, b color.NRGBA, t float64) color.NRGBA {
	t = min(max(t, 0), 1)
	f := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*t + 0.5) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), f(a.A, b.A)}
}
