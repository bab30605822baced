package samples

import (
	"image/color"
	"math"
)

func drawLandscape() *canvas {
	const shore = 452.0
	c := newCanvas(960, 720)
	c.backdrop(rgb(0x4a5c96), rgb(0xffb98a))
	c.glow(flat, rect(-200, 330, 1360, 160), 150, 0.3)
	c.glow(flat, circle(640, 300, 110), 110, 0.6)
	c.fill(flat, circle(640, 312, 40), rgb(0xfff4d6))
	for i, y := range []float64{92, 150, 214} {
		c.fill(flat, ellipse(170+float64(i)*290, y, 190-float64(i)*34, 9), faint(rgb(0xffd9bd), 0.5))
		c.fill(flat, ellipse(240+float64(i)*280, y+15, 130, 6), faint(rgb(0xffd9bd), 0.4))
	}
	c.mountains(320, shore, 118, 1.3, rgb(0x9184a3))
	c.mountains(372, shore, 84, 4.1, rgb(0x6a6388))
	c.mountains(424, shore, 46, 7.7, rgb(0x474268))
	c.lake(shore)
	for i := range 30 {
		t := float64(i)
		x := t*33 + 12*math.Sin(t*3.1)
		if away := math.Abs(x - 560); away > 190 {
			c.pineTree(x, shore+112+34*math.Sin(t*2.3)+away*0.2, 120+36*math.Sin(t*1.7)+away*0.16)
		}
	}
	c.shine(light{from: point{0.66, 0.4}, strength: 0.24, vignette: 0.35, grain: 4, seed: 31})
	return c
}

// mountains is a jagged ridge around y, down to the bottom.
func (c *canvas) mountains(y, bottom, height, phase float64, ink color.NRGBA) {
	points := []point{{960, bottom}, {0, bottom}}
	for x := 0.0; x <= 960; x += 12 {
		t := x/150 + phase
		peak := math.Abs(math.Sin(t))*0.7 + math.Abs(math.Sin(t*2.3+phase))*0.22 + math.Sin(t*9)*0.05
		points = append(points, point{x, y + height*0.5 - height*peak})
	}
	c.fill(flat, polygon(points...), ink)
}

// lake mirrors the sky below the shore and breaks it by ripples.
func (c *canvas) lake(shore float64) {
	b := c.picture.Rect
	for y := int(shore); y < b.Max.Y; y++ {
		depth := float64(y) - shore
		from := int(shore - depth*1.1)
		shift := int(3 * math.Sin(depth*0.9) * (1 + depth/80))
		for x := range b.Max.X {
			p := c.picture.RGBAAt(min(max(x+shift, 0), b.Max.X-1), max(from, 0))
			ink := between(color.NRGBA{p.R, p.G, p.B, 255}, rgb(0x2c3a5e), 0.3+depth/700)
			c.blend(x, y, ink, 255)
		}
	}
	for i := range 34 {
		t := float64(i)
		y := shore + 8 + t*7.6
		c.fill(flat, ellipse(640+26*math.Sin(t*2.9), y, 24+t*2.2*math.Abs(math.Sin(t)), 1.2+t*0.05), faint(rgb(0xfff0cf), 0.5))
	}
}

// pineTree stands with its foot at (x, y).
func (c *canvas) pineTree(x, y, height float64) {
	dark := between(rgb(0x1d2b33), rgb(0x0d1a1c), (y-540)/160)
	c.fill(flat, rect(x-3, y-height*0.16, 6, height*0.16), dark)
	for i := range 6 {
		t := float64(i) / 6
		top, half := y-height*(1-t*0.82), height*(0.06+0.17*t)
		c.fill(flat, polygon(point{x, top}, point{x + half, top + height*0.24}, point{x - half, top + height*0.24}), dark)
	}
}
