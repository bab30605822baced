package photo

import (
	"image"
	"image/draw"
)

// Mask returns a copy of p with other bytes to send, in which boxes are painted over with
// the mean of their colours. A box is top, left, bottom and right in thousandths of the
// sent picture. It is enlarged by a third of its height on each side, because boxes from
// models often cut off edges.
//
// SHA256, size and type remain those of the original. HEIC and HEIF cannot be decoded here
// and give UnsupportedFormat. Every error is an *Error. The pixels of p are painted on, and
// released.
func (p *Photo) Mask(boxes [][4]int, l Limits) (masked *Photo, err error) {
	defer recovered(&err)
	l = l.withDefaults()
	img, err := p.Pixels(l)
	if err != nil {
		return nil, err
	}
	canvas := flatten(paintable(img))
	p.Release()
	for _, box := range boxes {
		paint(canvas, grown(box, canvas.Bounds().Size()).Add(canvas.Bounds().Min))
	}
	m := &Photo{SHA256: p.SHA256, Width: p.Width, Height: p.Height, MIMEType: p.MIMEType, SentType: "image/jpeg"}
	if m.Sent, err = encodeJPEG(canvas, l.MaxSent, profileOf(p.Sent, l)); err != nil {
		return nil, err
	}
	return m, nil
}

// profileOf returns the colour profile of a JPEG.
func profileOf(sent []byte, l Limits) []byte {
	s, err := open(sent, l)
	if err != nil {
		return nil
	}
	return s.profile
}

// grown returns box in pixels of a picture, with its margin.
func grown(box [4]int, size image.Point) image.Rectangle {
	r := image.Rect(box[1]*size.X/1000, box[0]*size.Y/1000, ceilDiv(box[3]*size.X, 1000), ceilDiv(box[2]*size.Y, 1000))
	return r.Inset(-r.Dy()/3 - 1).Intersect(image.Rectangle{Max: size})
}

// paintable returns img if paint supports its type, else a copy in RGBA.
func paintable(img image.Image) image.Image {
	switch img.(type) {
	case *image.YCbCr, *image.RGBA, *image.Gray, *image.NRGBA:
		return img
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// paint fills r with the mean of its colours.
func paint(img image.Image, r image.Rectangle) {
	switch m := img.(type) {
	case *image.YCbCr:
		paintYCbCr(m, r)
	case *image.Gray:
		level(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 1, r.Size())
	case *image.RGBA:
		level(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 4, r.Size())
	case *image.NRGBA: // opaque after flatten
		level(m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], m.Stride, 4, r.Size())
	}
}

// paintYCbCr sets the luma in r to its mean, and likewise the chroma of all pixels that
// share a sample with r.
func paintYCbCr(m *image.YCbCr, r image.Rectangle) {
	if r.Empty() {
		return
	}
	level(m.Y[m.YOffset(r.Min.X, r.Min.Y):], m.YStride, 1, r.Size())
	first, last := m.COffset(r.Min.X, r.Min.Y), m.COffset(r.Max.X-1, r.Max.Y-1)
	rows := (last - m.COffset(r.Max.X-1, r.Min.Y)) / m.CStride
	size := image.Pt(last-first-rows*m.CStride+1, rows+1)
	level(m.Cb[first:], m.CStride, 1, size)
	level(m.Cr[first:], m.CStride, 1, size)
}

// level sets each of n interleaved channels to its mean over size pixels.
func level(pix []byte, stride, n int, size image.Point) {
	if size.X <= 0 || size.Y <= 0 {
		return
	}
	var mean [4]byte
	for c := range n {
		sum := uint64(0)
		for y := range size.Y {
			for i := c; i < size.X*n; i += n {
				sum += uint64(pix[y*stride+i])
			}
		}
		mean[c] = byte(sum / uint64(size.X*size.Y))
	}
	for y := range size.Y {
		for i := range size.X * n {
			pix[y*stride+i] = mean[i%n]
		}
	}
}
