package samples

import "math"

var (
	rice    = rgb(0xf6efdd)
	pine    = rgb(0x2f5d3a)
	leafy   = rgb(0x4d8a4a)
	yuja    = rgb(0xf2b632)
	yujaRim = rgb(0xdb9420)
	barley  = rgb(0x8a5a2b)
)

func drawBarleyTea() *canvas {
	const w, h, depth = 400.0, 560.0, 150.0
	c := newCanvas(640, 800)
	cam := camera{distance: 1700, pitch: 9, roll: 2, zoom: 1, foot: point{322, 716}}
	c.backdrop(rgb(0xdfe7dd), rgb(0xc3d0c0))
	c.fill(cam.floor(0, 0), rect(-900, -420, 1800, 1200), rgb(0xe8dcc6))
	c.shadow(cam.floor(0, 0), polygon(point{-220, 60}, point{170, 130}, point{430, -40}, point{280, -190}), 36, 0.5)

	b := cam.carton(w, h, depth, 20)
	c.fill(b.side, rect(0, 0, depth, h), rgb(0xd4c8aa))
	c.fill(b.side, rect(0, 0, depth, 96), rgb(0x234a2d))
	c.fill(b.front, rect(0, 0, w, h), rice)
	c.teaFront(b.front, w, h)
	c.teaFoot(b.front, w, h)
	c.shine(light{from: point{0.2, 0.1}, strength: 0.26, vignette: 0.2})
	return c
}

func (c *canvas) teaFront(l lens, w, h float64) {
	c.fill(l, rect(0, 0, w, 96), pine)
	c.text(l, style{serif, 54, 12, rice}, centre, w/2, 68, "달여울")
	c.text(l, style{serif, 74, -1, barley}, centre, w/2, 196, "유자 보리차")
	c.fill(l, rect(w/2-30, 216, 60, 3), yujaRim)
	c.text(l, style{bold, 25, 1, pine}, centre, w/2, 254, "은은한 유자 향")
	c.citrus(l, 100, 340, 52)
	c.citrus(l, 54, 384, 32)
	c.cup(l, w-146, 336)
}

func (c *canvas) teaFoot(l lens, w, h float64) {
	for i, s := range []string{"볶은 보리 92%", "카페인 없음"} {
		x := w/2 - 94 + float64(i)*188
		c.fill(l, roundRect(x-88, h-136, 176, 36, 18), pine)
		c.text(l, style{bold, 21, 0, rice}, centre, x, h-110, s)
	}
	small := style{regular, 15, 0, barley}
	c.text(l, style{bold, 17, 0, barley}, left, 236, h-62, "티백 20개입 (30 g)")
	c.text(l, small, left, 232, h-32, "소비기한 2027.05.31 까지")
	c.barcode(l, 14, h-96, 1.82, 58, "9520015000051")
}

// citrus is a yuja cut in half, with a leaf.
func (c *canvas) citrus(l lens, x, y, r float64) {
	c.fill(l, leaf(x+r*0.5, y-r*0.8, r*0.85, r*0.45, -30), leafy)
	c.fill(l, wavy(x, y, r, r*0.02, 17), yujaRim)
	c.fill(l, circle(x, y, r*0.91), rgb(0xfdf3cf))
	for i := range 9 {
		a := 2 * math.Pi * float64(i) / 9
		c.fill(l, leaf(x+r*0.1*math.Cos(a), y+r*0.1*math.Sin(a), r*0.72, r*0.58, a*180/math.Pi), yuja)
	}
}

// cup is a bowl of tea with steam above it.
func (c *canvas) cup(l lens, x, y float64) {
	for i := range 3 {
		dx := x - 34 + float64(i)*34
		var steam path
		steam.move(dx, y-26)
		steam.cubic(dx-16, y-44, dx+16, y-56, dx, y-76)
		steam.cubic(dx+24, y-56, dx-6, y-44, dx+7, y-26)
		c.fill(l, steam, faint(barley, 0.22))
	}
	var bowl path
	bowl.move(x-92, y)
	bowl.cubic(x-88, y+54, x-48, y+70, x, y+70)
	bowl.cubic(x+48, y+70, x+88, y+54, x+92, y)
	c.fill(l, rect(x-32, y+62, 64, 16), rgb(0x5e86a0))
	c.fill(l, bowl, rgb(0x7ba3bb))
	c.fill(l, ellipse(x, y, 92, 19), rgb(0xa9c7d6))
	c.fill(l, ellipse(x, y+2, 82, 14), rgb(0xb8752e))
	c.fill(l, ellipse(x-18, y+2, 34, 5), rgb(0xd59a4f))
}
