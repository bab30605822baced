package samples

import (
	"math"
	"slices"
)

// A point is on the surface of a pack or, behind a lens, in the picture. Both
// are in pixels, y grows downwards.
type point struct{ x, y float64 }

// A lens maps a surface to the picture.
type lens func(point) point

// flat is the lens of what is drawn straight into the picture.
func flat(p point) point { return p }

type verb uint8

const (
	moveTo verb = iota // one point
	lineTo             // one point
	curve              // three points: a cubic Bézier curve
)

type step struct {
	verb verb
	p    [3]point
}

// A path is a list of closed outlines; each begins with moveTo.
type path []step

func (p *path) move(x, y float64) { *p = append(*p, step{moveTo, [3]point{{x, y}}}) }
func (p *path) line(x, y float64) { *p = append(*p, step{lineTo, [3]point{{x, y}}}) }
func (p *path) cubic(x1, y1, x2, y2, x, y float64) {
	*p = append(*p, step{curve, [3]point{{x1, y1}, {x2, y2}, {x, y}}})
}

// longestLine is how far a straight line may run on a surface before it is
// split, so that a curved lens can bend it.
const longestLine = 24.0

// through returns p as seen through l.
func (p path) through(l lens) path {
	out := make(path, 0, len(p))
	var at point
	for _, s := range p {
		switch s.verb {
		case moveTo:
			at = s.p[0]
			out = append(out, step{moveTo, [3]point{l(at)}})
		case lineTo:
			to := s.p[0]
			n := math.Ceil(math.Hypot(to.x-at.x, to.y-at.y) / longestLine)
			for i := 1.0; i <= n; i++ {
				q := mix(at, to, i/n)
				out = append(out, step{lineTo, [3]point{l(q)}})
			}
			at = to
		case curve:
			out = append(out, step{curve, [3]point{l(s.p[0]), l(s.p[1]), l(s.p[2])}})
			at = s.p[2]
		}
	}
	return out
}

func mix(a, b point, t float64) point {
	return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t}
}

func polygon(points ...point) path {
	var p path
	for i, q := range points {
		if i == 0 {
			p.move(q.x, q.y)
		} else {
			p.line(q.x, q.y)
		}
	}
	return append(p, step{lineTo, [3]point{points[0]}})
}

func rect(x, y, w, h float64) path {
	return polygon(point{x, y}, point{x + w, y}, point{x + w, y + h}, point{x, y + h})
}

// round is the control distance that makes a quarter of a circle.
const round = 0.5523

func roundRect(x, y, w, h, r float64) path {
	k := r * (1 - round)
	var p path
	p.move(x+r, y)
	p.line(x+w-r, y)
	p.cubic(x+w-k, y, x+w, y+k, x+w, y+r)
	p.line(x+w, y+h-r)
	p.cubic(x+w, y+h-k, x+w-k, y+h, x+w-r, y+h)
	p.line(x+r, y+h)
	p.cubic(x+k, y+h, x, y+h-k, x, y+h-r)
	p.line(x, y+r)
	p.cubic(x, y+k, x+k, y, x+r, y)
	return p
}

func ellipse(x, y, rx, ry float64) path {
	var p path
	p.move(x+rx, y)
	p.cubic(x+rx, y+ry*round, x+rx*round, y+ry, x, y+ry)
	p.cubic(x-rx*round, y+ry, x-rx, y+ry*round, x-rx, y)
	p.cubic(x-rx, y-ry*round, x-rx*round, y-ry, x, y-ry)
	p.cubic(x+rx*round, y-ry, x+rx, y-ry*round, x+rx, y)
	return p
}

func circle(x, y, r float64) path { return ellipse(x, y, r, r) }

// leaf is a pointed oval from (x, y) of a length, a width and an angle in
// degrees, clockwise from the right.
func leaf(x, y, length, width, angle float64) path {
	turn := turned(x, y, angle)
	var p path
	p.move(x, y)
	p.cubic(x+length*0.3, y-width*0.7, x+length*0.7, y-width*0.6, x+length, y)
	p.cubic(x+length*0.7, y+width*0.6, x+length*0.3, y+width*0.7, x, y)
	return p.through(turn)
}

// turned rotates about (x, y) by degrees, clockwise.
func turned(x, y, degrees float64) lens {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return func(p point) point {
		dx, dy := p.x-x, p.y-y
		return point{x + dx*cos - dy*sin, y + dx*sin + dy*cos}
	}
}

// wavy is a circle whose edge has n scallops of the given depth.
func wavy(x, y, r, depth float64, n int) path {
	const perScallop = 8
	points := make([]point, n*perScallop)
	for i := range points {
		a := 2 * math.Pi * float64(i) / float64(len(points))
		d := r + depth*math.Cos(a*float64(n))
		points[i] = point{x + d*math.Cos(a), y + d*math.Sin(a)}
	}
	return polygon(points...)
}

// hill is what lies between a sine wave around y, from x0 to x1, and the
// level of the bottom.
func hill(x0, x1, y, bottom, wave, length float64) path {
	points := sine(x0, x1, y, wave, length)
	return polygon(append(points, point{x1, bottom}, point{x0, bottom})...)
}

// ribbon is a band of the given height along a sine wave from x0 to x1.
func ribbon(x0, x1, y, height, wave, length float64) path {
	top, bottom := sine(x0, x1, y, wave, length), sine(x0, x1, y+height, wave, length)
	slices.Reverse(bottom)
	return polygon(append(top, bottom...)...)
}

func sine(x0, x1, y, wave, length float64) []point {
	points := make([]point, 65)
	for i := range points {
		x := x0 + (x1-x0)*float64(i)/float64(len(points)-1)
		points[i] = point{x, y + wave*math.Sin(2*math.Pi*x/length)}
	}
	return points
}
