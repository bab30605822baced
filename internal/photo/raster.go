package photo

import (
	"image"
	"image/color"
	"image/draw"
)

// fit returns img scaled to size and rotated upright from orientation. It returns img
// itself if nothing has to change. A JPEG's luma and chroma are scaled separately and
// become 4:2:0, which is what image/jpeg writes; everything else except grey becomes RGBA,
// row by row.
func fit(img image.Image, to image.Point, orientation int) image.Image {
	if to == img.Bounds().Size() && orientation == 1 {
		return img
	}
	upright := to
	if orientation > 4 {
		upright = image.Pt(to.Y, to.X)
	}
	frame := image.Rectangle{Max: upright}
	switch m := img.(type) {
	case *image.YCbCr:
		out := image.NewYCbCr(frame, image.YCbCrSubsampleRatio420)
		half := image.Pt(ceilDiv(to.X, 2), ceilDiv(to.Y, 2))
		luma, cb, cr := yCbCrPlanes(m)
		render(out.Y, out.YStride, luma, to, orientation)
		render(out.Cb, out.CStride, cb, half, orientation)
		render(out.Cr, out.CStride, cr, half, orientation)
		return out
	case *image.Gray:
		out := image.NewGray(frame)
		render(out.Pix, out.Stride, bytePlane(m.Pix, m.Stride, m.Rect.Size()), to, orientation)
		return out
	}
	out := image.NewRGBA(frame)
	render(out.Pix, out.Stride, rgbaPlane(img), to, orientation)
	return out
}

// scaledSize keeps the proportions. Each side has at least one pixel.
func scaledSize(size image.Point, side int) image.Point {
	long := max(size.X, size.Y)
	if long <= side {
		return size
	}
	scale := func(n int) int { return max(1, (n*side+long/2)/long) }
	return image.Pt(scale(size.X), scale(size.Y))
}

func bytePlane(pix []byte, stride int, size image.Point) plane {
	return plane{width: size.X, height: size.Y, n: 1, row: func(y int) []byte {
		return pix[y*stride:][:size.X]
	}}
}

// yCbCrPlanes determines the size of the chroma planes from the offsets of the last pixel.
func yCbCrPlanes(m *image.YCbCr) (luma, cb, cr plane) {
	r := m.Rect
	c := m.COffset(r.Min.X, r.Min.Y)
	chroma := image.Pt(m.COffset(r.Max.X-1, r.Min.Y)-c+1, (m.COffset(r.Min.X, r.Max.Y-1)-c)/m.CStride+1)
	return bytePlane(m.Y[m.YOffset(r.Min.X, r.Min.Y):], m.YStride, r.Size()),
		bytePlane(m.Cb[c:], m.CStride, chroma),
		bytePlane(m.Cr[c:], m.CStride, chroma)
}

// rgbaPlane converts img to premultiplied RGBA one row at a time.
func rgbaPlane(img image.Image) plane {
	b := img.Bounds()
	line := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	return plane{width: b.Dx(), height: b.Dy(), n: 4, row: func(y int) []byte {
		draw.Draw(line, line.Rect, img, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		return line.Pix
	}}
}

// render scales p to size and writes it to pix, rotated upright.
func render(pix []byte, stride int, p plane, size image.Point, orientation int) {
	right, bottom := size.X-1, size.Y-1
	var first, dx, dy int // offset of pixel 0, 0 and steps to the next in a row and in a column
	switch orientation {
	case 1:
		first, dx, dy = 0, p.n, stride
	case 2:
		first, dx, dy = right*p.n, -p.n, stride
	case 3:
		first, dx, dy = right*p.n+bottom*stride, -p.n, -stride
	case 4:
		first, dx, dy = bottom*stride, p.n, -stride
	case 5:
		first, dx, dy = 0, stride, p.n
	case 6:
		first, dx, dy = bottom*p.n, stride, -p.n
	case 7:
		first, dx, dy = bottom*p.n+right*stride, -stride, -p.n
	case 8:
		first, dx, dy = right*stride, -stride, p.n
	}
	resample(p, size.X, size.Y, func(y int, row []byte) {
		at := first + y*dy
		switch {
		case dx == p.n:
			copy(pix[at:], row)
		case p.n == 1:
			for _, v := range row {
				pix[at] = v
				at += dx
			}
		default:
			for ; len(row) >= 4; row = row[4:] {
				copy(pix[at:at+4], row)
				at += dx
			}
		}
	})
}

// onCanvas puts a frame at origin on a transparent canvas, unless it covers the canvas.
func onCanvas(img image.Image, origin image.Point, width, height int) image.Image {
	canvas := image.Rect(0, 0, width, height)
	if size := img.Bounds().Size(); size == canvas.Size() {
		return img
	}
	out := image.NewRGBA(canvas)
	draw.Draw(out, image.Rectangle{Min: origin, Max: canvas.Max}, img, img.Bounds().Min, draw.Src)
	return out
}

// opaque reports whether no pixel of img is transparent.
func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// flatten puts img on white, because JPEG has no transparency.
func flatten(img image.Image) image.Image {
	if opaque(img) {
		return img
	}
	out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Over)
	return out
}

// fewColours reports whether img has at most 256 colours, like a drawing, which PNG stores
// well.
func fewColours(img image.Image) bool {
	switch img.(type) {
	case *image.Paletted:
		return true
	case *image.YCbCr, *image.Gray, *image.CMYK:
		return false
	}
	seen := map[color.RGBA]bool{}
	p := rgbaPlane(img)
	for y := range p.height {
		last := color.RGBA{}
		for row := p.row(y); len(row) >= 4; row = row[4:] {
			c := color.RGBA{row[0], row[1], row[2], row[3]}
			if c == last && len(seen) > 0 {
				continue
			}
			seen[c], last = true, c
			if len(seen) > 256 {
				return false
			}
		}
	}
	return true
}
