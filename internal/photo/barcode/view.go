package barcode

import "math"

// A point is a place in a picture, whose pixels are one wide, or in a symbol,
// whose modules are.
type point struct{ x, y float64 }

func (a point) plus(b point) point    { return point{a.x + b.x, a.y + b.y} }
func (a point) minus(b point) point   { return point{a.x - b.x, a.y - b.y} }
func (a point) times(f float64) point { return point{a.x * f, a.y * f} }
func (a point) cross(b point) float64 { return a.x*b.y - a.y*b.x }
func (a point) dot(b point) float64   { return a.x*b.x + a.y*b.y }
func (a point) length() float64       { return math.Hypot(a.x, a.y) }

// A quad is four corners: of a symbol its top left, top right, bottom right and
// bottom left.
type quad [4]point

// A view maps places in a symbol to places in a picture, in perspective: the
// rows of a matrix of three by three.
type view [9]float64

// viewOf returns what maps from's corners to to's.
func viewOf(from, to quad) view { return squareTo(to).after(squareTo(from).inverse()) }

// squareTo maps the square of side 1 to q.
func squareTo(q quad) view {
	bend := q[0].minus(q[1]).plus(q[2]).minus(q[3])
	a, b := q[1].minus(q[2]), q[3].minus(q[2])
	g, h := 0.0, 0.0
	if area := a.cross(b); area != 0 {
		g, h = bend.cross(b)/area, a.cross(bend)/area
	}
	right, down := q[1].minus(q[0]).plus(q[1].times(g)), q[3].minus(q[0]).plus(q[3].times(h))
	return view{right.x, down.x, q[0].x, right.y, down.y, q[0].y, g, h, 1}
}

// inverse maps the other way; its scale, which no place depends on, is another.
func (v view) inverse() view {
	return view{
		v[4]*v[8] - v[5]*v[7], v[2]*v[7] - v[1]*v[8], v[1]*v[5] - v[2]*v[4],
		v[5]*v[6] - v[3]*v[8], v[0]*v[8] - v[2]*v[6], v[2]*v[3] - v[0]*v[5],
		v[3]*v[7] - v[4]*v[6], v[1]*v[6] - v[0]*v[7], v[0]*v[4] - v[1]*v[3],
	}
}

// after maps by w first, then by v.
func (v view) after(w view) (out view) {
	for i := range out {
		row, column := i/3*3, i%3
		out[i] = v[row]*w[column] + v[row+1]*w[column+3] + v[row+2]*w[column+6]
	}
	return out
}

func (v view) at(x, y float64) point {
	d := 1 / (v[6]*x + v[7]*y + v[8])
	return point{(v[0]*x + v[1]*y + v[2]) * d, (v[3]*x + v[4]*y + v[5]) * d}
}

// box is around a symbol of so many modules.
func (v view) box(columns, rows int) box {
	w, h := float64(columns), float64(rows)
	out := v.at(0, 0).box()
	for _, corner := range []point{v.at(w, 0), v.at(w, h), v.at(0, h)} {
		out = out.with(corner.box())
	}
	return out
}

func (a point) box() box {
	return box{float32(a.x), float32(a.y), float32(a.x), float32(a.y)}
}

// value is the grey at a, between the middles of four pixels; beyond the
// picture it is its edge's.
func (p plane) value(a point) float64 {
	x, y := a.x-0.5, a.y-0.5
	if !(x > 0) { // nor is it no number
		x = 0
	}
	if !(y > 0) {
		y = 0
	}
	x, y = min(x, float64(p.width-1)), min(y, float64(p.height-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, p.width-1), min(y0+1, p.height-1)
	fx, fy := x-float64(x0), y-float64(y0)
	top := float64(p.pix[y0*p.width+x0])*(1-fx) + float64(p.pix[y0*p.width+x1])*fx
	bottom := float64(p.pix[y1*p.width+x0])*(1-fx) + float64(p.pix[y1*p.width+x1])*fx
	return top*(1-fy) + bottom*fy
}
