package samples

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/image/vector"
)

// A View says how a frame is photographed. The zero value is the shop's own.
type View struct {
	Width      int     // of the picture in pixels, twice its height; 0 is 320
	Turn       float64 // degrees, clockwise
	Scale      float64 // of the frame in the picture; 0 is 1
	Background uint32  // 0xRRGGBB; 0 is the shop's pale blue
	Shade      float64 // how much darker the background is at the bottom, 0 to 1
}

// frameInks are the colours of frames. Tortoise and clear have several colours, and their
// means here.
var frameInks = map[string]uint32{
	"black": 0x17171A, "white": 0xFAFAF7, "grey": 0x70757B, "silver": 0xBFC4CB, "gold": 0xC79A3B, "rose_gold": 0xD99C88,
	"brown": 0x6A3C20, "tortoise": 0x7A4A1E, "red": 0xC21E2B, "pink": 0xF18DB5, "orange": 0xEC7A1C, "yellow": 0xF4D51E,
	"green": 0x2E7F4B, "blue": 0x2358B4, "purple": 0x7C49AA, "beige": 0xE2D0AE, "clear": 0xE6EBF0,
}

// Picture draws f.
func (f Frame) Picture(v View) image.Image {
	if v.Width == 0 {
		v.Width = 320
	}
	if v.Scale == 0 {
		v.Scale = 1
	}
	if v.Background == 0 {
		v.Background = 0xCBD8E6
	}
	m := image.NewRGBA(image.Rect(0, 0, v.Width, v.Width/2))
	d := &frameDrawing{picture: m, frame: f, view: v, unit: float64(v.Width) / 320 * 52 * v.Scale, plain: rgb(frameInks[f.Color]), tint: f.tint()}
	draw.Draw(m, m.Rect, d.ink(d.background), image.Point{}, draw.Src)
	d.bridge()
	for _, side := range []float64{-1, 1} {
		d.temple(side)
		d.lens(side)
	}
	return m
}

// A point is in units of half a lens, from the middle of the picture; y grows downwards.
type point struct{ x, y float64 }

// A frameDrawing draws one frame. Its unit is half the width of a lens, in pixels.
type frameDrawing struct {
	picture *image.RGBA
	pen     vector.Rasterizer
	frame   Frame
	view    View
	unit    float64
	plain   color.NRGBA // the frame's ink, unless it has several
	tint    color.NRGBA // of the lenses of sunglasses
}

// A shader is an ink that differs from point to point of the picture.
type shader func(x, y float64) color.NRGBA

func (s shader) ColorModel() color.Model { return color.NRGBAModel }
func (s shader) Bounds() image.Rectangle { return image.Rect(-1e9, -1e9, 1e9, 1e9) }
func (s shader) At(x, y int) color.Color { return s(float64(x), float64(y)) }
func (s shader) RGBA64At(x, y int) color.RGBA64 {
	c := s(float64(x), float64(y)) // its inks are opaque
	return color.RGBA64{uint16(c.R) * 0x101, uint16(c.G) * 0x101, uint16(c.B) * 0x101, 0xFFFF}
}

// ink returns s as an image: a uniform one if s has only one colour, which is faster.
func (d *frameDrawing) ink(s shader) image.Image {
	if d.view.Shade == 0 && d.frame.Color != "tortoise" {
		return image.NewUniform(s(0, 0))
	}
	return s
}

// fill fills an outline, rotated as the view says.
func (d *frameDrawing) fill(outline []point, s shader) {
	sin, cos := math.Sincos(d.view.Turn * math.Pi / 180)
	x, y := make([]float64, len(outline)), make([]float64, len(outline))
	for i, p := range outline {
		x[i] = float64(d.view.Width)/2 + d.unit*(p.x*cos-p.y*sin)
		y[i] = float64(d.view.Width)/4 + d.unit*(p.x*sin+p.y*cos)
	}
	box := image.Rect(int(slices.Min(x)), int(slices.Min(y)), int(slices.Max(x))+2, int(slices.Max(y))+2).Intersect(d.picture.Rect)
	d.pen.Reset(box.Dx(), box.Dy())
	d.pen.DrawOp = draw.Src
	for i := range outline {
		px, py := float32(x[i]-float64(box.Min.X)), float32(y[i]-float64(box.Min.Y))
		if i == 0 {
			d.pen.MoveTo(px, py)
		} else {
			d.pen.LineTo(px, py)
		}
	}
	d.pen.ClosePath()
	mask := image.NewAlpha(image.Rectangle{Max: box.Size()})
	d.pen.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	draw.DrawMask(d.picture, box, d.ink(s), box.Min, mask, image.Point{}, draw.Over)
}

func (d *frameDrawing) background(_, y float64) color.NRGBA {
	return between(rgb(d.view.Background), rgb(0x000000), d.view.Shade*y/float64(d.view.Width/2))
}

// rimInk returns the colour of the frame at a point.
func (d *frameDrawing) rimInk(x, y float64) color.NRGBA {
	switch d.frame.Color {
	case "clear":
		return between(d.background(x, y), rgb(0xFFFFFF), 0.45)
	case "tortoise":
		u := d.unit / 52
		if math.Sin(x/(4.1*u))+math.Sin(y/(3.3*u)+x/(9*u)) > 0 {
			return rgb(0xB9772A)
		}
		return rgb(0x4A2A14)
	}
	return d.plain
}

// edge returns the colour of the line around all shapes: darker than the rim, or lighter.
func (d *frameDrawing) edge(x, y float64) color.NRGBA {
	ink := d.rimInk(x, y)
	if int(ink.R)+int(ink.G)+int(ink.B) < 240 {
		return between(ink, rgb(0xFFFFFF), 0.45)
	}
	return between(ink, rgb(0x000000), 0.45)
}

// glass returns the colour of a lens at a point.
func (d *frameDrawing) glass(x, y float64) color.NRGBA {
	if d.frame.Category != "sunglasses" {
		return between(d.background(x, y), rgb(0xFFFFFF), 0.3)
	}
	return between(d.background(x, y), d.tint, 0.9)
}

// tint returns the colour of the lenses of sunglasses: the one that differs most from the
// frame's.
func (f Frame) tint() (tint color.NRGBA) {
	far, ink := -1, rgb(frameInks[f.Color])
	for _, hex := range []uint32{0x4B5158, 0x86562F, 0x3B6048} {
		c := rgb(hex)
		if n := abs(int(c.R)-int(ink.R)) + abs(int(c.G)-int(ink.G)) + abs(int(c.B)-int(ink.B)); n > far {
			tint, far = c, n
		}
	}
	return tint
}

func abs(n int) int { return max(n, -n) }

// place moves an outline around a lens' centre to its side of the picture.
func (d *frameDrawing) place(side float64, points []point) []point {
	moved := make([]point, len(points))
	for i, p := range points {
		moved[i] = point{(p.x*d.frame.wideness() + 1.32*max(d.frame.wideness(), 1)) * side, p.y}
	}
	return moved
}

func (f Frame) wideness() float64 {
	if f.wide == 0 {
		return 1
	}
	return f.wide
}

func (d *frameDrawing) lens(side float64) {
	outline := lensOutline(d.frame.Shape)
	rim := make([]point, len(outline))
	edge, inner := make([]point, len(outline)), make([]point, len(outline))
	for i, p := range outline {
		r := math.Hypot(p.x, p.y)
		t := d.rim(p)
		rim[i] = point{p.x * (r + t) / r, p.y * (r + t) / r}
		edge[i] = point{p.x * (r + t + 0.035) / r, p.y * (r + t + 0.035) / r}
		inner[i] = point{p.x * (r + 0.035) / r, p.y * (r + 0.035) / r}
	}
	d.fill(d.place(side, edge), d.edge)
	d.fill(d.place(side, rim), d.rimInk)
	d.fill(d.place(side, inner), d.edge)
	d.fill(d.place(side, outline), d.glass)
}

// rim returns the thickness of the rim at a point of the lens' outline.
func (d *frameDrawing) rim(p point) float64 {
	thick := 0.15
	switch d.frame.Material {
	case "metal", "titanium":
		thick = 0.11
	case "acetate", "wood":
		thick = 0.18
	}
	switch {
	case d.frame.Shape == "rimless":
		return 0.035
	case d.frame.Shape == "browline" && p.y > 0.05:
		return 0.035
	case d.frame.Shape == "browline":
		return 0.3
	}
	return thick
}

func (d *frameDrawing) bridge() {
	d.bar(-0.5, 0.5, -0.32, 0.16)
}

// temple draws the end of the rim at which the side piece begins.
func (d *frameDrawing) temple(side float64) {
	d.bar(side*2.1, side*2.62, -0.36, 0.2)
}

// bar draws a horizontal piece of the frame.
func (d *frameDrawing) bar(x0, x1, y, height float64) {
	at := func(x0, x1, y, height float64) []point {
		return []point{{x0, y}, {x1, y}, {x1, y + height}, {x0, y + height}}
	}
	x0, x1 = min(x0, x1), max(x0, x1)
	d.fill(at(x0-0.035, x1+0.035, y-0.035, height+0.07), d.edge)
	d.fill(at(x0, x1, y, height), d.rimInk)
}

// lensOutline returns the outline of a shape's right lens around its centre: x grows
// outwards, y downwards.
func lensOutline(shape string) []point {
	form := map[string]struct{ w, h, n float64 }{
		"round": {0.95, 0.95, 2}, "oval": {1.12, 0.74, 2}, "square": {0.98, 0.9, 6}, "rectangle": {1.15, 0.6, 6}, "cat_eye": {1.1, 0.72, 2.6},
		"aviator": {1.08, 0.92, 2.5}, "wayfarer": {1.1, 0.8, 4}, "browline": {1.05, 0.78, 3}, "butterfly": {1.12, 0.8, 2.6}, "polygon": {1.05, 0.95, 2}, "rimless": {1.08, 0.66, 3.2},
	}[shape]
	points := make([]point, 96)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(points)))
		r := math.Pow(math.Pow(math.Abs(cos), form.n)+math.Pow(math.Abs(sin), form.n), -1/form.n)
		if shape == "polygon" { // a hexagon
			a := math.Mod(2*math.Pi*float64(i)/float64(len(points)), math.Pi/3) - math.Pi/6
			r = math.Cos(math.Pi/6) / math.Cos(a)
		}
		points[i] = bent(shape, point{form.w * r * cos, form.h * r * sin})
	}
	return points
}

// bent deforms a point of an outline as the shape requires.
func bent(shape string, p point) point {
	switch {
	case shape == "cat_eye" && p.y < 0.2 && p.x > 0:
		p.x, p.y = p.x+0.12*p.x, p.y-0.42*p.x*p.x
	case shape == "aviator" && p.y > -0.2:
		p.x = p.x*(1-0.38*(p.y+0.2)) + 0.22*(p.y+0.2)
	case shape == "wayfarer" || shape == "browline":
		p.x *= 1 - 0.2*p.y
	case shape == "butterfly":
		p.y *= 1 + 0.42*p.x
	}
	return p
}

// rgb reads 0xRRGGBB.
func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// between mixes two colours; t is clamped to 0–1.
func between(a, b color.NRGBA, t float64) color.NRGBA {
	t = min(max(t, 0), 1)
	f := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*t + 0.5) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), f(a.A, b.A)}
}
