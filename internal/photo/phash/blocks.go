package phash

import (
	"image"
	"image/color"
)

// samples is the largest number of rows read in a block: in large pictures some rows give
// the mean well enough.
const samples = 12

// blocks returns the mean brightness of side × side blocks of img. In a picture narrower
// than side, blocks are one pixel wide and some repeat.
func blocks(img image.Image) (means [side * side]float64) {
	b := img.Bounds()
	line := make([]uint8, b.Dx())
	row := lumaRow(img)
	for by := range side {
		from, to := span(by, b.Dy())
		step := max(1, (to-from)/samples)
		rows := 0
		for y := from + step/2; y < to; y += step {
			row(line, b.Min.Y+y)
			rows++
			for bx := range side {
				x0, x1 := span(bx, b.Dx())
				means[by*side+bx] += mean(line[x0:x1])
			}
		}
		for bx := range side {
			means[by*side+bx] /= float64(rows)
		}
	}
	return means
}

// span returns part i of n divided into side parts, at least 1 long.
func span(i, n int) (from, to int) {
	from, to = i*n/side, (i+1)*n/side
	return from, max(to, from+1)
}

func mean(values []uint8) float64 {
	sum := 0
	for _, v := range values {
		sum += int(v)
	}
	return float64(sum) / float64(len(values))
}

// lumaRow returns a function that writes the brightness of one row of img; it is fast for
// the types that decoders return. Transparent pixels count as black.
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
		return lumaPaletted(m)
	}
	return func(dst []uint8, y int) {
		for x := range dst {
			dst[x] = luma(img.At(b.Min.X+x, y))
		}
	}
}

func luma(c color.Color) uint8 {
	r, g, b, _ := c.RGBA()
	return uint8((19595*r + 38470*g + 7471*b) >> 24)
}

// lumaRGBA writes the brightness of four-byte pixels; straight means not premultiplied by
// alpha.
func lumaRGBA(dst, src []uint8, straight bool) {
	for x := range dst {
		px := src[4*x:][:4]
		v := (19595*uint32(px[0]) + 38470*uint32(px[1]) + 7471*uint32(px[2])) >> 16
		if straight {
			v = v * uint32(px[3]) / 255
		}
		dst[x] = uint8(v)
	}
}

func lumaPaletted(m *image.Paletted) func(dst []uint8, y int) {
	var table [256]uint8
	for i, c := range m.Palette[:min(256, len(m.Palette))] {
		table[i] = luma(c)
	}
	return func(dst []uint8, y int) {
		for x, i := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:len(dst)] {
			dst[x] = table[i]
		}
	}
}
