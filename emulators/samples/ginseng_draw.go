package samples

import "math"

var (
	wine   = rgb(0x4b0f12)
	gold   = rgb(0xc9a04e)
	paper  = rgb(0xf3e8d0)
	jujube = rgb(0x8f2a1d)
)

const (
	jarRadius = 178.0
	jarHeight = 430.0
)

func drawGinseng() *canvas {
	c := newCanvas(640, 800)
	cam := camera{distance: 1600, pitch: 13, roll: 2.4, zoom: 0.98, foot: point{313, 702}}
	c.backdrop(rgb(0xd9cfc6), rgb(0xa4938a))
	c.glow(flat, polygon(point{418, -40}, point{640, -40}, point{640, 374}, point{498, 374}), 70, 0.5)
	c.planks(cam, 320, 4, rgb(0x6b4630), rgb(0x744d35), rgb(0x643f2a))
	c.shadow(cam.floor(0, 0), polygon(point{-170, 30}, point{60, 190}, point{-170, 300}, point{-420, 130}), 44, 0.55)

	jar := cam.drum(jarHeight, jarRadius, jarRadius)
	const edge = jarRadius * math.Pi / 2
	c.fill(jar, rect(-edge, 0, 2*edge, jarHeight), wine)
	c.fill(cam.floor(-jarHeight, 0), circle(0, 0, jarRadius), rgb(0x5d1a1b))
	c.jarLabel(jar)
	c.smear(jar, rect(-138, 136, 276, 84), 3)
	c.roundness(cam, jarHeight, jarRadius, jarRadius, 0.45)
	c.jarLid(cam)
	c.shine(light{from: point{0.9, 0.05}, strength: 0.34, vignette: 0.28, grain: 4, seed: 53})
	return c
}

func (c *canvas) jarLabel(l lens) {
	const edge = jarRadius * math.Pi / 2
	c.fill(l, rect(-edge, 52, 2*edge, 10), gold)
	c.fill(l, rect(-edge, 372, 2*edge, 10), gold)
	c.fill(l, rect(-edge, 66, 2*edge, 302), paper)
	c.text(l, style{serif, 38, 8, wine}, centre, 0, 122, "온새뜨락")
	c.text(l, style{serif, 62, -2, jujube}, centre, 0, 200, "홍삼 대추청")
	c.text(l, style{regular, 19, 0, wine}, centre, 0, 240, "따뜻한 물에 한 스푼")
	c.jujubes(l, 0, 290)
	small := style{bold, 18, 0, wine}
	c.text(l, small, centre, -84, 332, "국산 대추 55%")
	c.text(l, small, centre, 84, 332, "내용량 480 g")
	c.text(l, style{regular, 15, 0, wine}, centre, 0, 358, "소비기한 2027.08.09 까지")
}

// jujubes are three dates with their leaves around (x, y).
func (c *canvas) jujubes(l lens, x, y float64) {
	for i, dx := range []float64{-46, 46, 0} {
		turn := turned(x+dx, y, []float64{-28, 28, 4}[i])
		at := func(p point) point { return l(turn(p)) }
		c.fill(at, leaf(x+dx, y-20, 30, 15, -40), rgb(0x5d7a3d))
		c.fill(at, ellipse(x+dx, y, 18, 23), jujube)
		c.fill(at, ellipse(x+dx-6, y-8, 5, 10), rgb(0xc06a52))
	}
}

// jarLid is the golden lid on the jar's neck.
func (c *canvas) jarLid(cam camera) {
	const r, h = 146.0, 78.0
	above := cam
	up := cam.see(place{0, -jarHeight + 6, 0})
	above.foot = up
	lid := above.drum(h, r, r)
	const edge = r * math.Pi / 2
	c.fill(lid, rect(-edge, 0, 2*edge, h), gold)
	for i := range 60 {
		c.fill(lid, rect(-edge+float64(i)*2*edge/60, 8, 3, h-14), faint(rgb(0x6d4f1d), 0.35))
	}
	c.roundness(above, h, r, r, 0.6)
	c.fill(above.floor(-h, 0), circle(0, 0, r), rgb(0xdcb968))
	c.fill(above.floor(-h, 0), circle(0, 0, r-16), rgb(0xcfa856))
}
