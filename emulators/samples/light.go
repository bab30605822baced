package samples

import (
	"image"
	"image/color"
	"math"
)

// A light is what the finished picture went through.
type light struct {
	// from is where the lamp is, as a fraction of the picture; strength is how
	// much brighter (and, at the far corner, darker) it makes the picture.
	from     point
	strength float64
	vignette float64 // how much darker the corners are, 0–1
	grain    int     // highest deviation of a pixel, in levels of 0–255
	seed     uint32
}

// shineStep is how many pixels side by side get the same gain.
const shineStep = 8

// shine applies l to the whole picture, whose width is a multiple of shineStep.
func (c *canvas) shine(l light) {
	m, noise := c.picture, l.seed|1
	w, h := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	for i := 0; i < len(m.Pix); i += 4 * shineStep {
		gain := l.gain(float64(i%m.Stride/4)/w, float64(i/m.Stride)/h)
		px := m.Pix[i : i+4*shineStep]
		for j := 0; j < len(px); j += 4 {
			noise ^= noise << 13
			noise ^= noise >> 17
			noise ^= noise << 5
			n := int(noise>>16)*(2*l.grain+1)>>16 - l.grain
			px[j] = clamp(int(px[j])*gain>>10 + n)
			px[j+1] = clamp(int(px[j+1])*gain>>10 + n)
			px[j+2] = clamp(int(px[j+2])*gain>>10 + n)
		}
	}
}

// gain is the brightness at (u, v), fractions of the picture, times 1024.
func (l light) gain(u, v float64) int {
	near := 1 - math.Sqrt((u-l.from.x)*(u-l.from.x)+(v-l.from.y)*(v-l.from.y))
	edge := (u-0.5)*(u-0.5) + (v-0.5)*(v-0.5)
	return int(1024 * (1 + l.strength*(near-0.4) - l.vignette*2*edge))
}

func clamp(v int) uint8 { return uint8(min(max(v, 0), 255)) }

// shadow darkens a soft copy of p. Blur is in pixels.
func (c *canvas) shadow(l lens, p path, blur int, opacity float64) {
	c.soft(l, p, blur, faint(rgb(0x000000), opacity))
}

// glow lightens a soft copy of p towards white.
func (c *canvas) glow(l lens, p path, blur int, opacity float64) {
	c.soft(l, p, blur, faint(rgb(0xffffff), opacity))
}

// softScale is how much smaller the mask of a soft shape is than the picture.
const softScale = 4

// soft draws p with its edge blurred over so many pixels.
func (c *canvas) soft(l lens, p path, blur int, ink color.NRGBA) {
	seen := p.through(l)
	box := bounds(seen).Inset(-2 * blur).Intersect(c.picture.Rect)
	w, h := box.Dx()/softScale+2, box.Dy()/softScale+2
	mask := softMask(seen, box.Min, w, h, blur)
	for j := range h - 1 {
		for i := range w - 1 {
			a, b, d, e := mask[j*w+i], mask[j*w+i+1], mask[j*w+w+i], mask[j*w+w+i+1]
			if a+b+d+e < 2 {
				continue
			}
			for y := range softScale {
				fy := float64(y) / softScale
				from, to := a+(d-a)*fy, b+(e-b)*fy
				for x := range softScale {
					at := image.Pt(box.Min.X+i*softScale+x, box.Min.Y+j*softScale+y)
					if at.In(box) {
						c.blend(at.X, at.Y, ink, uint32(from+(to-from)*float64(x)/softScale))
					}
				}
			}
		}
	}
}

// softMask is p, shifted by from and scaled down, blurred: w × h values in
// 0–255.
func softMask(p path, from image.Point, w, h, blur int) []float64 {
	small := newCanvas(w, h)
	cover, at := small.cover(p.through(func(q point) point {
		return point{(q.x - float64(from.X)) / softScale, (q.y - float64(from.Y)) / softScale}
	}))
	mask := make([]float64, w*h)
	for y := range cover.Rect.Dy() {
		for x := range cover.Rect.Dx() {
			mask[(at.Y+y)*w+at.X+x] = float64(cover.Pix[y*cover.Stride+x])
		}
	}
	for range 2 {
		blurPlane(mask, w, h, max(blur/softScale, 1))
	}
	return mask
}

// blurPlane replaces each value by the mean of its square neighbourhood of
// the given radius.
func blurPlane(plane []float64, w, h, radius int) {
	line := make([]float64, max(w, h))
	for y := range h {
		blurLine(plane[y*w:], line[:w], 1, radius)
	}
	for x := range w {
		blurLine(plane[x:], line[:h], w, radius)
	}
}

// blurLine works on the values stride apart; line is room for a copy of them.
func blurLine(v, line []float64, stride, radius int) {
	n := len(line)
	for i := range line {
		line[i] = v[i*stride]
	}
	at := func(i int) float64 { return line[min(max(i, 0), n-1)] }
	sum := 0.0
	for i := -radius; i <= radius; i++ {
		sum += at(i)
	}
	for i := range n {
		v[i*stride] = sum / float64(2*radius+1)
		sum += at(i+radius+1) - at(i-radius)
	}
}

// smear blurs the picture in the rectangle around p, least at its edge, as if
// a wet or moving spot were there.
func (c *canvas) smear(l lens, p path, radius int) {
	box := bounds(p.through(l)).Intersect(c.picture.Rect)
	w, h := box.Dx(), box.Dy()
	for channel := range 3 {
		plane := make([]float64, w*h)
		for y := range h {
			for x := range w {
				plane[y*w+x] = float64(c.picture.Pix[c.picture.PixOffset(box.Min.X+x, box.Min.Y+y)+channel])
			}
		}
		blurPlane(plane, w, h, radius)
		blurPlane(plane, w, h, radius)
		for y := range h {
			for x := range w {
				i := c.picture.PixOffset(box.Min.X+x, box.Min.Y+y) + channel
				u, v := 2*float64(x)/float64(w)-1, 2*float64(y)/float64(h)-1
				keep := min(1, max(0, 3*(max(u*u, v*v)-0.66)))
				c.picture.Pix[i] = uint8(float64(c.picture.Pix[i])*keep + plane[y*w+x]*(1-keep) + 0.5)
			}
		}
	}
}

// roundness shades a drum: dark towards both edges, a bright stripe on the
// side of the lamp. Gloss is the opacity of the stripe.
func (c *canvas) roundness(cam camera, height, top, bottom, gloss float64) {
	l, edge := cam.drum(height, top, bottom), top*math.Pi/2
	a, b := l(point{-edge, 0}), l(point{edge, 0})
	d, e := l(point{-edge, height}), l(point{edge, height})
	tones := drumTones(gloss)
	up, down := mix(a, b, 0.5), mix(d, e, 0.5)
	axis := point{down.x - up.x, down.y - up.y}
	length := math.Hypot(axis.x, axis.y)
	topHalf, bottomHalf := math.Hypot(b.x-a.x, b.y-a.y)/2, math.Hypot(e.x-d.x, e.y-d.y)/2
	c.paint(l, rect(-edge, 0, 2*edge, height), func(x, y float64) color.NRGBA {
		dx, dy := x-up.x, y-up.y
		v := (dx*axis.x + dy*axis.y) / (length * length)
		u := (dx*axis.y - dy*axis.x) / length / (topHalf + (bottomHalf-topHalf)*v)
		return tones[int(min(max((u+1)/2, 0), 1)*float64(len(tones)-1))]
	})
}

// drumTones are the shades from the left edge of a drum to the right.
func drumTones(gloss float64) (tones [256]color.NRGBA) {
	for i := range tones {
		u := float64(i)/127.5 - 1
		stripe := math.Exp(-(u + 0.55) * (u + 0.55) / 0.02)
		dark := min(0.66, 0.5*math.Pow(math.Abs(u), 5)+0.3*(u+0.4)*(u+0.4))
		if white := gloss * stripe; white > dark {
			tones[i] = faint(rgb(0xffffff), white-dark)
		} else {
			tones[i] = faint(rgb(0x140b06), dark-white)
		}
	}
	return tones
}
