package samples

import "image/color"

// backdrop fills the picture from the top with a wall that goes from one
// colour to another.
func (c *canvas) backdrop(top, bottom color.NRGBA) {
	b := c.picture.Rect
	for y := range b.Dy() {
		ink := between(top, bottom, float64(y)/float64(b.Dy()))
		row := c.picture.Pix[y*c.picture.Stride : (y+1)*c.picture.Stride]
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2], row[i+3] = ink.R, ink.G, ink.B, 255
		}
	}
}

// planks lays a wooden table as deep as far; tones are the colours of the
// boards in turn.
func (c *canvas) planks(cam camera, far, turn float64, tones ...color.NRGBA) {
	const reach, board, near, boards = 1400.0, 190.0, 900.0, 15
	l := cam.floor(0, turn)
	for i := range boards {
		x, tone := float64(i)*board-reach, tones[i%len(tones)]
		c.fill(l, rect(x, -far, board, far+near), tone)
		for k := range 5 { // grain
			gx := x + board*(float64(k)+0.3+0.11*float64((i*7+k*3)%5))/5
			c.fill(l, grainLine(gx, -far, near, 5+float64((i*5+k*11)%9)), faint(rgb(0x2a1608), 0.07))
		}
		c.fill(l, rect(x-1.5, -far, 3, far+near), faint(rgb(0x1d0f05), 0.55))
	}
}

// grainLine is a thin wavering stripe of wood.
func grainLine(x, from, to, width float64) path {
	third := (to - from) / 3
	var p path
	p.move(x, from)
	p.cubic(x+width, from+third, x-width, from+2*third, x+width/2, to)
	p.line(x+width*1.4, to)
	p.cubic(x, from+2*third, x+2*width, from+third, x+width/2, from)
	return p
}
