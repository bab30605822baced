package barcode

import (
	"image"
	"math"
	"sync"
)

// A plane is a grid of grey values, row by row.
type plane struct {
	width, height int
	pix           []uint8
}

func (p plane) row(y int) []uint8 { return p.pix[y*p.width : (y+1)*p.width] }

// buffers holds pixels of planes that are no longer used.
var buffers sync.Pool

// newPlane returns a plane with arbitrary content.
func newPlane(width, height int) plane {
	if b, ok := buffers.Get().(*[]uint8); ok && cap(*b) >= width*height {
		return plane{width, height, (*b)[:width*height]}
	}
	return plane{width, height, make([]uint8, width*height)}
}

// release returns the pixels of p to the pool. p must not be used after it.
func (p plane) release() { buffers.Put(&p.pix) }

// grey returns the luma of the part r of img. If that has more than limit pixels, each
// pixel of the plane is the mean of a block of the picture.
func grey(img image.Image, r image.Rectangle, limit int) plane {
	row := lumaRow(img, r)
	scale := math.Sqrt(float64(limit) / float64(r.Dx()*r.Dy()))
	if scale >= 1 {
		p := newPlane(r.Dx(), r.Dy())
		for y := range p.height {
			row(p.row(y), r.Min.Y+y)
		}
		return p
	}
	p := newPlane(max(1, int(float64(r.Dx())*scale)), max(1, int(float64(r.Dy())*scale)))
	p.average(r, row)
	return p
}

// average fills p with the means of blocks of the picture within bounds b.
func (p plane) average(b image.Rectangle, row func(dst []uint8, y int)) {
	starts := make([]int, p.width+1)
	for x := range starts {
		starts[x] = x * b.Dx() / p.width
	}
	line, sums := make([]uint8, b.Dx()), make([]uint32, p.width)
	for y := range p.height {
		from, to := y*b.Dy()/p.height, (y+1)*b.Dy()/p.height
		clear(sums)
		for ; from < to; from++ {
			row(line, b.Min.Y+from)
			for x := range sums {
				sum, block := uint32(0), line[starts[x]:starts[x+1]]
				for _, v := range block {
					sum += uint32(v)
				}
				sums[x] += sum * 256 / uint32(len(block))
			}
		}
		rows := uint32(to-y*b.Dy()/p.height) * 256
		for x, sum := range sums {
			p.pix[y*p.width+x] = uint8(sum / rows)
		}
	}
}

// lumaRow returns a function that writes the luma of one row of img within b; it is fast
// for the types that decoders return. Transparent pixels count as white.
func lumaRow(img image.Image, b image.Rectangle) func(dst []uint8, y int) {
	switch m := img.(type) {
	case *image.YCbCr:
		return func(dst []uint8, y int) { copy(dst, m.Y[m.YOffset(b.Min.X, y):]) }
	case *image.Gray:
		return func(dst []uint8, y int) { copy(dst, m.Pix[m.PixOffset(b.Min.X, y):]) }
	case *image.RGBA:
		return func(dst []uint8, y int) { lumaRGBA(dst, m.Pix[m.PixOffset(b.Min.X, y):], false) }
	case *image.NRGBA:
		return func(dst []uint8, y int) { lumaRGBA(dst, m.Pix[m.PixOffset(b.Min.X, y):], true) }
	case *image.Paletted:
		table := paletteLuma(m)
		return func(dst []uint8, y int) {
			for x, i := range m.Pix[m.PixOffset(b.Min.X, y):][:len(dst)] {
				dst[x] = table[i]
			}
		}
	}
	return func(dst []uint8, y int) {
		for x := range dst {
			dst[x] = lumaOf(img.At(b.Min.X+x, y).RGBA())
		}
	}
}

// lumaRGBA writes the luma of four-byte pixels on white.
func lumaRGBA(dst, src []uint8, straight bool) {
	for x := range dst {
		px := src[4*x:][:4]
		v, a := 19595*uint32(px[0])+38470*uint32(px[1])+7471*uint32(px[2]), uint32(px[3])
		if straight && a < 255 {
			v = v / 255 * a
		}
		dst[x] = uint8(min(255, v>>16+255-a))
	}
}

func lumaOf(r, g, b, a uint32) uint8 {
	return uint8(((19595*r+38470*g+7471*b)>>16 + 0xffff - a) >> 8)
}

func paletteLuma(m *image.Paletted) [256]uint8 {
	var table [256]uint8
	for i, c := range m.Palette[:min(256, len(m.Palette))] {
		table[i] = lumaOf(c.RGBA())
	}
	return table
}

// upright returns p rotated about its middle by angle, in radians clockwise from the rows,
// so that lines at that angle become level. Missing pixels repeat the edge.
func (p plane) upright(angle float64) plane {
	sin, cos := math.Sincos(angle)
	w, h := float64(p.width), float64(p.height)
	out := newPlane(int(math.Abs(w*cos)+math.Abs(h*sin)), int(math.Abs(w*sin)+math.Abs(h*cos)))
	const one = 1 << 16 // fixed point: a float at each pixel takes five times as long
	stepX, stepY := int(math.Round(cos*one)), int(math.Round(sin*one))
	for y := range out.height {
		dx, dy := float64(-(out.width / 2)), float64(y-out.height/2)
		atX, atY := int((w/2+dx*cos-dy*sin)*one), int((h/2+dx*sin+dy*cos)*one)
		row := out.row(y)
		for x := range row {
			row[x] = p.between(atX, atY)
			atX, atY = atX+stepX, atY+stepY
		}
	}
	return out
}

// between returns the grey value interpolated at (x, y), given in parts of 1<<16; outside of
// p it is that of the edge.
func (p plane) between(x, y int) uint8 {
	if p.width < 2 || p.height < 2 {
		return p.value(float64(x)/(1<<16), float64(y)/(1<<16))
	}
	x, y = max(0, min(x, (p.width-1)<<16-1)), max(0, min(y, (p.height-1)<<16-1))
	x0, y0 := x>>16, y>>16
	fx, fy := x>>8&0xff, y>>8&0xff
	i := y0*p.width + x0
	above, below := p.pix[i:i+2], p.pix[i+p.width:][:2]
	top, bottom := int(above[0])*(256-fx)+int(above[1])*fx, int(below[0])*(256-fx)+int(below[1])*fx
	return uint8((top*(256-fy) + bottom*fy) >> 16)
}

// halved returns p at half its size.
func (p plane) halved() plane {
	img := &image.Gray{Pix: p.pix, Stride: p.width, Rect: image.Rect(0, 0, p.width, p.height)}
	return grey(img, img.Rect, max(1, len(p.pix)/4))
}

// enlarged returns p at twice its size, with interpolated values.
func (p plane) enlarged() plane {
	out := newPlane(2*p.width, 2*p.height)
	for y := range out.height {
		near := p.row(y / 2)
		far := p.row(max(0, min(p.height-1, y/2-1+y%2*2)))
		row := out.row(y)
		for x, v := range near {
			left, right := max(0, x-1), min(p.width-1, x+1)
			here := 9*int(v) + 3*int(far[x])
			row[2*x] = uint8((here + 3*int(near[left]) + int(far[left])) / 16)
			row[2*x+1] = uint8((here + 3*int(near[right]) + int(far[right])) / 16)
		}
	}
	return out
}

// value returns the grey value interpolated at (x, y).
func (p plane) value(x, y float64) uint8 {
	x, y = max(0, min(x, float64(p.width-1))), max(0, min(y, float64(p.height-1)))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, p.width-1), min(y0+1, p.height-1)
	fx, fy := x-float64(x0), y-float64(y0)
	above, below := p.row(y0), p.row(y1)
	top := float64(above[x0])*(1-fx) + float64(above[x1])*fx
	return uint8(top*(1-fy) + (float64(below[x0])*(1-fx)+float64(below[x1])*fx)*fy)
}
