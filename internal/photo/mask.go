package photo

import (
	"image"
	"image/color"
	"image/draw"
)

// Mask returns a copy of p in whose Sent boxes are painted over, each flat in the
// mean of its own colours. A box is top, left, bottom and right in thousandths of
// what is sent. It is painted a little larger than given, since models that name a
// box often cut its edges: by a third of its height each way.
//
// All else stays as it is: SHA256, size and type are those of the original. What
// cannot be decoded here (HEIC, HEIF) is UnsupportedFormat. Every error is an
// *Error.
func Mask(p *Photo, boxes [][4]int, l Limits) (masked *Photo, err error) {
	defer func() {
		if r := recover(); r != nil {
			masked, err = nil, fault(Corrupt, "the picture cannot be decoded: %v", r)
		}
	}()
	l = l.withDefaults()
	img, profile, err := p.decode(l)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	canvas := image.NewRGBA(image.Rectangle{Max: b.Size()})
	draw.Draw(canvas, canvas.Rect, flatten(img), b.Min, draw.Src)
	for _, box := range boxes {
		paint(canvas, grown(box, b.Size()))
	}
	m := *p
	m.SentType = "image/jpeg"
	if m.Sent, err = encodeJPEG(canvas, l.MaxSent, profile); err != nil {
		return nil, err
	}
	return &m, nil
}

// Pixels decodes what is sent of p: upright, and no larger than l. HEIC and HEIF
// cannot be decoded here: UnsupportedFormat. Every error is an *Error.
func (p *Photo) Pixels(l Limits) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fault(Corrupt, "the picture cannot be decoded: %v", r)
		}
	}()
	img, _, err = p.decode(l.withDefaults())
	return img, err
}

// decode returns the pixels of what is sent, and the colour profile of a JPEG.
func (p *Photo) decode(l Limits) (image.Image, []byte, error) {
	s, err := open(p.Sent, l)
	if err != nil {
		return nil, nil, err
	}
	if s.decode == nil {
		return nil, nil, fault(UnsupportedFormat, "%s is not decoded here", s.mime)
	}
	img, err := s.pixels(l)
	return img, s.profile, err
}

// grown is box in pixels of a picture, with its margin.
func grown(box [4]int, size image.Point) image.Rectangle {
	r := image.Rect(box[1]*size.X/1000, box[0]*size.Y/1000, ceilDiv(box[3]*size.X, 1000), ceilDiv(box[2]*size.Y, 1000))
	return r.Inset(-r.Dy()/3 - 1).Intersect(image.Rectangle{Max: size})
}

// paint fills r with the mean of its colours.
func paint(m *image.RGBA, r image.Rectangle) {
	var sum [3]uint64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := m.Pix[m.PixOffset(r.Min.X, y):m.PixOffset(r.Max.X, y)]
		for i := 0; i < len(row); i += 4 {
			sum[0] += uint64(row[i])
			sum[1] += uint64(row[i+1])
			sum[2] += uint64(row[i+2])
		}
	}
	if n := uint64(r.Dx() * r.Dy()); n > 0 {
		flat := color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255}
		draw.Draw(m, r, image.NewUniform(flat), image.Point{}, draw.Src)
	}
}
