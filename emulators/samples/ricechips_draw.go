package samples

import "math"

var (
	sunny   = rgb(0xf3bd2e)
	husk    = rgb(0x7a4a1a)
	nurungi = rgb(0xd79a4b)
	brick   = rgb(0xc3341f)
)

func drawRiceChips() *canvas {
	const w, h = 470.0, 640.0
	c := newCanvas(640, 800)
	cam := camera{distance: 1800, pitch: 0, roll: 3.2, zoom: 1, foot: point{322, 404}}
	c.cloth()
	face := cam.wall(place{-w / 2, -h / 2, 0}, 7)
	bag := func(p point) point { // fuller in the middle than at its seams
		u, v := p.x/w-0.5, math.Sin(math.Pi*p.y/h)
		return face(point{p.x + u*34*v, p.y + 6*math.Sin(u*5)})
	}
	c.shadow(flat, crimped(w, h).through(bag).through(func(p point) point { return point{p.x + 16, p.y + 22} }), 30, 0.5)
	c.fill(bag, crimped(w, h), sunny)
	c.bagArt(bag, w, h)
	c.bagFolds(bag, w, h)
	c.sticker(bag, w-86, 190)
	c.note(bag, w, h)
	c.shine(light{from: point{0.25, 0.1}, strength: 0.26, vignette: 0.22})
	return c
}

func (c *canvas) cloth() {
	c.backdrop(rgb(0x9fb4c2), rgb(0x8ba3b4))
	for i := range 14 {
		c.fill(flat, rect(0, float64(i)*60, 640, 22), faint(rgb(0xffffff), 0.16))
		c.fill(flat, rect(float64(i)*60, 0, 22, 800), faint(rgb(0xffffff), 0.16))
	}
}

// crimped is the outline of a bag with a toothed seam above and below.
func crimped(w, h float64) path {
	const teeth = 44
	var top, bottom []point
	for i := range teeth + 1 {
		x, dy := w*float64(i)/teeth, float64(i%2)*7
		top = append(top, point{x, dy})
		bottom = append(bottom, point{w - x, h - dy})
	}
	return polygon(append(top, bottom...)...)
}

func (c *canvas) bagArt(l lens, w, h float64) {
	c.fill(l, circle(w/2+20, 440, 166), rgb(0xfbe6a6))
	c.text(l, style{serif, 50, 6, husk}, centre, w/2, 106, "볕고을")
	c.text(l, style{serif, 74, -2, brick}, centre, w/2, 214, "현미 누룽지칩")
	c.text(l, style{bold, 25, 1, husk}, centre, w/2, 262, "바삭하게 구운")
	c.riceEar(l, 84, 420)
	for _, p := range []point{{w/2 - 62, 372}, {w/2 + 66, 384}, {w / 2, 420}} {
		c.chip(l, p.x, p.y, 62)
	}
	for i, s := range []string{"국산 현미 100%", "기름에 튀기지 않은"} {
		y := 478 + float64(i)*40
		c.fill(l, roundRect(34, y, 208, 34, 17), husk)
		c.text(l, style{bold, 20, 0, rgb(0xfbe6a6)}, centre, 138, y+24, s)
	}
	c.text(l, style{regular, 17, 0, husk}, left, 40, h-35, "소비기한 2027.02.18 까지")
	c.text(l, style{bold, 17, 0, husk}, left, 40, h-60, "60 g (245 kcal)")
	c.barcode(l, w-206, h-128, 1.55, 60, "9520012000023")
}

// bagFolds are the light on the foil, the seams and the glare on the brand.
func (c *canvas) bagFolds(l lens, w, h float64) {
	for _, y := range []float64{8, 16, h - 22, h - 14} {
		c.fill(l, rect(0, y, w, 3), faint(rgb(0x8a5f0a), 0.28))
	}
	c.glow(l, polygon(point{20, 60}, point{70, 50}, point{44, h - 60}, point{14, h - 90}), 22, 0.5)
	c.shadow(l, polygon(point{w - 26, 50}, point{w + 6, 50}, point{w + 12, h - 50}, point{w - 14, h - 50}), 22, 0.3)
	c.shadow(l, polygon(point{10, h - 30}, point{w * 0.4, h - 70}, point{w - 10, h - 30}), 14, 0.14)
	c.smear(l, rect(w/2-116, 52, 232, 78), 4)
	c.glow(l, ellipse(w/2+28, 82, 106, 34), 22, 0.5)
}

// chip is a round of scorched rice.
func (c *canvas) chip(l lens, x, y, r float64) {
	c.shadow(l, circle(x+4, y+7, r), 10, 0.34)
	c.fill(l, wavy(x, y, r, r*0.03, 19), rgb(0xa9692b))
	c.fill(l, wavy(x-1, y-2, r*0.94, r*0.03, 19), nurungi)
	for i := range 48 {
		a, d := float64(i)*2.4, r*0.86*math.Sqrt(float64(i)/48)
		grain := leaf(x+d*math.Cos(a), y+d*math.Sin(a), r*0.2, r*0.13, float64(i*67%360))
		c.fill(l, grain, between(rgb(0xf0cd8c), rgb(0xb9762f), float64(i%3)/2))
	}
}

func (c *canvas) riceEar(l lens, x, y float64) {
	c.fill(l, leaf(x+4, y+70, 190, 9, -96), rgb(0x8c7a22))
	for i := range 7 {
		d := float64(i) * 17
		c.fill(l, leaf(x-d*0.12, y-d, 27, 13, -60), rgb(0xb98a1c))
		c.fill(l, leaf(x-d*0.12, y-d, 27, 13, -132), rgb(0xa97b14))
	}
}

// sticker is the shop's discount label; it hides the end of the name.
func (c *canvas) sticker(l lens, x, y float64) {
	c.shadow(l, circle(x+3, y+5, 82), 8, 0.4)
	c.fill(l, wavy(x, y, 81, 2, 30), rgb(0xd8202c))
	c.text(l, style{bold, 48, 0, rgb(0xffffff)}, centre, x, y+18, "-20%")
}

// note is a slip of paper over the barcode.
func (c *canvas) note(l lens, w, h float64) {
	slip := polygon(point{w - 232, h - 96}, point{w - 20, h - 158}, point{w + 26, h - 26}, point{w - 190, h + 26})
	c.shadow(l, slip, 12, 0.4)
	c.fill(l, slip, rgb(0xf4f1ea))
	c.fill(l, polygon(point{w - 232, h - 96}, point{w - 126, h - 127}, point{w - 92, h + 3}, point{w - 190, h + 26}), rgb(0xe6e1d6))
}
