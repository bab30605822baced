package samples

import "math"

var (
	teal      = rgb(0x0f4a4e)
	tealDark  = rgb(0x0a3336)
	tealLight = rgb(0x1d6a6c)
	cream     = rgb(0xf7ecd4)
	copper    = rgb(0xc4692a)
	biscuit   = rgb(0xd9a765)
	toasted   = rgb(0xb07a3c)
)

func drawCrackers() *canvas {
	const w, h, depth = 480.0, 700.0, 150.0
	c := newCanvas(760, 950)
	cam := camera{distance: 1900, pitch: 8, roll: -1.8, zoom: 1.02, foot: point{392, 862}}
	c.backdrop(rgb(0xf0e9dc), rgb(0xb9ab98))
	c.planks(cam, 420, 9, rgb(0xa97a4f), rgb(0xb98a5c), rgb(0xa27148))
	c.shadow(cam.floor(0, 0), polygon(point{-270, 60}, point{190, 150}, point{560, -60}, point{330, -230}), 44, 0.62)

	b := cam.carton(w, h, depth, 19)
	c.fill(b.side, rect(0, 0, depth, h), tealDark)
	c.crackerSide(b.side, depth, h)
	c.fill(b.front, rect(0, 0, w, h), teal)
	c.crackerFront(b.front, w, h)
	c.crackerFoot(b.front, w, h)
	c.fill(b.front, rect(w-2, 0, 2, h), faint(rgb(0xffffff), 0.18))
	c.shine(light{from: point{0.1, 0.1}, strength: 0.42, vignette: 0.3, grain: 4, seed: 11})
	return c
}

func (c *canvas) crackerFront(l lens, w, h float64) {
	for i := range 8 {
		c.fill(l, ribbon(0, w, h-236+float64(i)*32, 4, 9, 120), faint(tealLight, 0.8))
	}
	c.ear(l, w/2-8, 62, -1)
	c.ear(l, w/2+8, 62, 1)
	c.text(l, style{serif, 46, 5, cream}, centre, w/2, 114, "BRINDLEMOOR")
	c.fill(l, rect(w/2-150, 131, 300, 2), copper)
	c.fill(l, roundRect(34, 152, w-68, 206, 18), cream)
	c.text(l, style{serif, 66, 0, teal}, centre, w/2, 224, "Sea Salt")
	c.text(l, style{serif, 58, 0, copper}, centre, w/2, 292, "Oat Crackers")
	c.text(l, style{regular, 22, 0, tealDark}, centre, w/2, 335, "Slow baked with wholegrain oats")
	c.cracker(l, w/2-118, 442, 74)
	c.cracker(l, w/2+118, 442, 74)
	c.cracker(l, w/2, 456, 86)
}

func (c *canvas) crackerFoot(l lens, w, h float64) {
	for i, s := range []string{"High in fiber", "No palm oil"} {
		y := h - 140 + float64(i)*34
		c.fill(l, roundRect(w-196, y, 164, 28, 14), copper)
		c.text(l, style{bold, 18, 0.2, cream}, centre, w-114, y+20, s)
	}
	small := style{regular, 15.5, 0, cream}
	c.text(l, small, centre, w-114, h-52, "BEST BEFORE 14 MAR 2027")
	c.text(l, small, centre, w-114, h-26, "NET WT 7.1 OZ (200 g)")
	c.barcode(l, 30, h-138, 1.98, 84, "9520011000017")
}

func (c *canvas) crackerSide(l lens, w, h float64) {
	for i := range 8 {
		c.fill(l, ribbon(0, w, h-236+float64(i)*32, 4, 9, 120), faint(tealLight, 0.45))
	}
	c.fill(l, rect(0, 152, w, 206), faint(cream, 0.62))
	for i := range 7 { // a table of values, too far turned to be read
		c.fill(l, rect(26, 178+float64(i)*24, w-52-float64(i*5%3)*20, 7), faint(tealDark, 0.5))
	}
}

// ear is an ear of oats that leans to the left (-1) or the right (1).
func (c *canvas) ear(l lens, x, y, to float64) {
	for i := range 4 {
		d := float64(i) * 9
		c.fill(l, leaf(x+to*d*0.7, y-d, 17, 9, -90+to*62), copper)
		c.fill(l, leaf(x+to*d*0.7, y-d, 15, 8, -90-to*8), copper)
	}
}

// cracker is a round biscuit with holes.
func (c *canvas) cracker(l lens, x, y, r float64) {
	c.shadow(l, circle(x+4, y+8, r), 12, 0.45)
	c.fill(l, wavy(x, y, r, r*0.022, 26), toasted)
	c.fill(l, wavy(x-1, y-2, r*0.95, r*0.018, 26), biscuit)
	c.glow(l, circle(x-r*0.3, y-r*0.35, r*0.4), 24, 0.2)
	for i := range 37 {
		a, d := float64(i)*2.4, r*0.86*math.Sqrt(float64(i)/37)
		c.fill(l, circle(x+d*math.Cos(a), y+d*math.Sin(a), r*0.028), toasted)
	}
}
