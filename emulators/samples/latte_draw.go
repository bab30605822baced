package samples

import "math"

var (
	coffee  = rgb(0x4a2c1d)
	oat     = rgb(0xeadbc2)
	caramel = rgb(0xb5763c)
	steel   = rgb(0xb9bdc0)
)

const (
	canRadius = 150.0
	canHeight = 560.0
)

func drawLatte() *canvas {
	c := newCanvas(600, 750)
	cam := camera{distance: 1700, pitch: 12, roll: -2.5, zoom: 1, foot: point{292, 664}}
	c.backdrop(rgb(0xb8c7cf), rgb(0x93a7b2))
	c.fill(cam.floor(0, 0), rect(-900, -260, 1800, 1200), rgb(0xcfd6d8))
	c.shadow(cam.floor(0, 0), polygon(point{-150, 20}, point{40, 160}, point{420, -20}, point{300, -170}), 40, 0.45)
	c.can(cam, 0)
	c.smear(cam.drum(canHeight, canRadius, canRadius), rect(-150, 66, 300, 62), 5)
	c.shine(light{from: point{0.1, 0.2}, strength: 0.2, vignette: 0.2})
	return c
}

func drawLatteAgain() *canvas {
	c := newCanvas(680, 850)
	cam := camera{distance: 1500, pitch: 19, roll: 3.5, zoom: 1, foot: point{304, 750}}
	c.backdrop(rgb(0x6d7f63), rgb(0x97a585))
	c.glow(flat, circle(572, 108, 150), 90, 0.35)
	c.planks(cam, 300, -14, rgb(0xd8cbb4), rgb(0xdfd4c0), rgb(0xd2c4ab))
	c.shadow(cam.floor(0, 0), polygon(point{-130, 40}, point{100, 150}, point{-180, 330}, point{-420, 240}), 40, 0.4)
	c.can(cam, 0.27)
	c.branch(func(p point) point { return point{p.x * 0.895, p.y * 0.895} })
	c.shine(light{from: point{0.85, 0.05}, strength: 0.34, vignette: 0.25, grain: 4, seed: 23})
	return c
}

// can draws the pack turned by radians, its front to the left when positive.
func (c *canvas) can(cam camera, turn float64) {
	body := cam.drum(canHeight, canRadius, canRadius)
	around := func(p point) point { return body(point{p.x - turn*canRadius, p.y}) }
	const edge = canRadius * math.Pi / 2
	lid := cam.floor(-canHeight, 0)
	c.fill(body, rect(-edge, 0, 2*edge, canHeight), coffee)
	c.canArt(around)
	c.fill(body, rect(-edge, 0, 2*edge, 12), steel)
	c.fill(body, rect(-edge, canHeight-9, 2*edge, 9), steel)
	c.roundness(cam, canHeight, canRadius, canRadius, 0.5)
	c.fill(lid, circle(0, 0, canRadius), rgb(0xd5d9db))
	c.fill(lid, circle(0, 0, canRadius-9), rgb(0x85898c))
	c.fill(lid, circle(0, -6, canRadius-22), steel)
	c.fill(lid, ellipse(0, 20, 34, 52), rgb(0x9a9ea1))
}

func (c *canvas) canArt(l lens) {
	const all = canRadius * math.Pi
	c.fill(l, hill(-all, all, 262, canHeight, 16, 310), oat)
	c.fill(l, ribbon(-all, all, 250, 10, 16, 310), caramel)
	c.text(l, style{bold, 34, 7, oat}, centre, 0, 110, "OSTRAWELL")
	c.text(l, style{serif, 50, 0, rgb(0xffffff)}, centre, 0, 212, "Cold Brew")
	c.text(l, style{serif, 50, 0, coffee}, centre, 0, 336, "Oat Latte")
	c.bean(l, -34, 398, -25)
	c.bean(l, 30, 402, 20)
	c.text(l, style{bold, 20, 0.3, caramel}, centre, 0, 462, "No added sugar")
	c.text(l, style{regular, 19, 0, coffee}, centre, 0, 490, "Steeped 18 hours")
	c.text(l, style{regular, 17, 0, coffee}, centre, 0, 528, "240 ml (8.1 fl oz)")
	up := turned(206, 246, -90)
	c.text(func(p point) point { return l(up(p)) }, style{bold, 27, 1, oat}, left, 206, 246, "Shake well")
}

// bean is a coffee bean turned by degrees.
func (c *canvas) bean(l lens, x, y, degrees float64) {
	turn := turned(x, y, degrees)
	at := func(p point) point { return l(turn(p)) }
	c.fill(at, ellipse(x, y, 21, 30), coffee)
	var groove path
	groove.move(x+2, y-28)
	groove.cubic(x-14, y-10, x+14, y+10, x-3, y+28)
	groove.cubic(x+19, y+10, x-9, y-10, x+2, y-28)
	c.fill(at, groove, oat)
}

// branch is a twig in front of the pack; it hides the end of the name.
func (c *canvas) branch(l lens) {
	greens := []uint32{0x3f6b3a, 0x4f7f45, 0x35592f, 0x5c8f4f}
	for i := range 9 {
		t := float64(i) / 8
		x, y := 800-t*404, 770-t*160+26*math.Sin(t*5)
		for k, angle := range []float64{-150, 172, 128} {
			length := 168 - 62*t
			c.shadow(l, leaf(x+6, y+10, length, length*0.42, angle+t*20), 14, 0.3)
			c.fill(l, leaf(x, y, length, length*0.42, angle+t*20), rgb(greens[(i+k)%4]))
			c.fill(l, leaf(x, y, length*0.95, 4, angle+t*20), faint(rgb(0xdff0cf), 0.5))
		}
	}
}
