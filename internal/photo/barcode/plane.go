package barcode

import (
	"image"
	"math"
)

// A plane is a grid of grey values, row by row.
type plane struct {
	width, height int
	pix           []uint8
}

func (p plane) row(y int) []uint8 { return p.pix[y*p.width : (y+1)*p.width] }

// grey returns the luma of img. Where img is larger than limit pixels, each
// pixel of the plane is the mean of a block of the picture.
func grey(img image.Image, limit int) plane {
	b := img.Bounds()
	row := lumaRow(img)
	scale := math.Sqrt(float64(limit) / float64(b.Dx()*b.Dy()))
	if scale >= 1 {
		p := plane{b.Dx(), b.Dy(), make([]uint8, b.Dx()*b.Dy())}
		for y := range p.height {
			row(p.row(y), b.Min.Y+y)
		}
		return p
	}
	p := plane{width: max(1, int(float64(b.Dx())*scale)), height: max(1, int(float64(b.Dy())*scale))}
	p.pix = make([]uint8, p.width*p.height)
	p.average(b, row)
	return p
}

// average fills p with the means of the blocks of the picture in bounds b.
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

// lumaRow returns what writes the luma of one row of img, the fast way for the
// kinds that decoders make. What is transparent is white, as paper is.
func lumaRow(img image.Image) func(dst []uint8, y int) {
	b := img.Bounds()
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

// lumaRGBA writes the luma of pixels of four bytes, over white.
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

// turned returns p with its columns as rows, in square blocks for the sake of
// the processor's cache.
func (p plane) turned() plane {
	const block = 32
	out := plane{p.height, p.width, make([]uint8, len(p.pix))}
	for by := 0; by < p.height; by += block {
		for bx := 0; bx < p.width; bx += block {
			for y := by; y < min(by+block, p.height); y++ {
				for x := bx; x < min(bx+block, p.width); x++ {
					out.pix[x*p.height+y] = p.pix[y*p.width+x]
				}
			}
		}
	}
	return out
}
