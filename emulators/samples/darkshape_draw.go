package samples

// drawDarkShape is a pack that moved in a dark cupboard: nothing is printed
// on it, since nothing of it could be read.
func drawDarkShape() *canvas {
	c := newCanvas(480, 600)
	c.backdrop(rgb(0x17161a), rgb(0x0b0a0c))
	pack := turned(240, 315, 13)
	c.glow(pack, roundRect(148, 178, 176, 280, 22), 46, 0.13)
	c.glow(pack, roundRect(178, 226, 112, 52, 14), 32, 0.12)
	c.glow(pack, circle(248, 368, 44), 36, 0.1)
	c.shadow(pack, rect(112, 450, 286, 24), 30, 0.6)
	c.shine(light{from: point{0.3, 0.25}, strength: 0.5, vignette: 0.5, grain: 1, seed: 41})
	return c
}
