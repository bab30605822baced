package samples

import "math"

var (
	apple    = rgb(0xc0272d)
	milk     = rgb(0xfbf7ef)
	cinnamon = rgb(0x8b4a22)
	orchard  = rgb(0x3e7c47)
)

const (
	potHeight = 470.0
	potTop    = 190.0
	potBottom = 140.0
)

func drawPorridge() *canvas {
	c := newCanvas(640, 800)
	cam := camera{distance: 1700, pitch: 25, roll: -2, zoom: 1, foot: point{322, 690}}
	c.backdrop(rgb(0xcfe0ea), rgb(0x9fb8c8))
	c.glow(flat, polygon(point{54, -40}, point{268, -40}, point{214, 374}, point{0, 374}), 70, 0.6)
	c.fill(cam.floor(0, 0), rect(-1000, -520, 2000, 1300), rgb(0xe6ddcf))
	c.shadow(cam.floor(0, 0), polygon(point{-130, 20}, point{40, 150}, point{420, -10}, point{290, -150}), 40, 0.5)

	pot := cam.drum(potHeight, potTop, potBottom)
	const edge = potTop * math.Pi / 2
	c.fill(pot, rect(-edge, 0, 2*edge, potHeight), milk)
	c.potArt(pot)
	c.roundness(cam, potHeight, potTop, potBottom, 0.3)
	c.potLid(cam)
	c.shine(light{from: point{0.1, 0.05}, strength: 0.3, vignette: 0.25, grain: 4, seed: 67})
	return c
}

func (c *canvas) potArt(l lens) {
	const edge = potTop * math.Pi / 2
	c.fill(l, hill(-edge, edge, 352, potHeight, 10, 260), apple)
	c.text(l, style{serif, 56, 0, apple}, centre, 0, 84, "Pennifold")
	c.fill(l, roundRect(-104, 104, 208, 40, 20), orchard)
	c.text(l, style{bold, 25, 0.5, milk}, centre, 0, 133, "Tiny Orchard")
	c.text(l, style{serif, 39, -0.5, cinnamon}, centre, 0, 202, "Apple Cinnamon")
	c.text(l, style{serif, 41, 0, cinnamon}, centre, 0, 252, "Porridge")
	c.apple(l, -62, 318, 36)
	c.apple(l, 62, 320, 33)
	c.sticks(l, 0, 322)
	light := style{bold, 21, 0, milk}
	c.text(l, light, centre, 0, 390, "Just add hot water")
	c.text(l, light, centre, 0, 415, "Ready in 3 minutes")
	c.text(l, style{regular, 16.5, 0, milk}, centre, 0, 438, "65 g (2.3 oz)")
	c.text(l, style{regular, 16.5, 0, milk}, centre, 0, 460, "USE BY 2027-06-20")
}

func (c *canvas) apple(l lens, x, y, r float64) {
	c.fill(l, ellipse(x-r*0.36, y, r*0.7, r*0.9), apple)
	c.fill(l, ellipse(x+r*0.36, y, r*0.7, r*0.9), apple)
	c.fill(l, ellipse(x-r*0.55, y-r*0.3, r*0.16, r*0.3), faint(rgb(0xffffff), 0.5))
	c.fill(l, leaf(x, y-r*0.75, r*0.5, 6, -80), cinnamon)
	c.fill(l, leaf(x+2, y-r*0.95, r*0.85, r*0.45, -24), orchard)
}

// sticks are two crossed sticks of cinnamon.
func (c *canvas) sticks(l lens, x, y float64) {
	for _, degrees := range []float64{-64, -112} {
		turn := turned(x, y, degrees)
		at := func(p point) point { return l(turn(p)) }
		c.fill(at, roundRect(x-52, y-8, 104, 16, 7), cinnamon)
		c.fill(at, roundRect(x-48, y-5, 96, 4, 2), rgb(0xb56f3c))
	}
}

func (c *canvas) potLid(cam camera) {
	lid := cam.floor(-potHeight, 0)
	c.fill(lid, circle(0, 0, potTop+9), rgb(0xd9d4ca))
	c.fill(cam.floor(-potHeight-7, 0), circle(0, 0, potTop+9), rgb(0xf5f1e8))
	c.fill(cam.floor(-potHeight-7, 0), circle(0, 0, potTop-14), rgb(0xebe6da))
}
