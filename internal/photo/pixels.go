package photo

import (
	"context"
	"image"
	"image/draw"

	"example.com/whatis/internal/admission"
)

// Pixels returns the pixels of what is sent, upright. They are decoded once and kept until
// Release. HEIC and HEIF cannot be decoded here and give UnsupportedFormat. Every error is
// an *Error.
func (p *Photo) Pixels(l Limits) (img image.Image, err error) {
	defer recovered(&err)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.img != nil {
		return p.img, nil
	}
	s, err := p.source(l)
	if err != nil {
		return nil, err
	}
	p.decodes++
	if p.img, err = s.pixels(l.withDefaults(), 1); err != nil {
		return nil, err
	}
	return p.img, nil
}

// Brightness returns the luma of what is sent. It was kept from encoding, or is decoded
// now, and is kept until Release. Errors are those of Pixels.
func (p *Photo) Brightness(l Limits) (*image.Gray, error) {
	if grey := p.brightness(); grey != nil {
		return grey, nil
	}
	img, err := p.Pixels(l)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grey, p.img = brightness(img), nil
	return p.grey, nil
}

func (p *Photo) brightness() *image.Gray {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.grey
}

// Release drops all pixels of p. They can be decoded again.
func (p *Photo) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.img, p.grey = nil, nil
}

// HeldBytes returns how many bytes of luma p holds.
func (p *Photo) HeldBytes() int64 {
	if grey := p.brightness(); grey != nil {
		return int64(len(grey.Pix))
	}
	return 0
}

// PixelMemory estimates how many bytes it takes to decode what is sent, or with mask to
// make another photo of it (Mask). Errors are those of Pixels.
func (p *Photo) PixelMemory(l Limits, mask bool) (n int64, err error) {
	defer recovered(&err)
	s, err := p.source(l)
	if err != nil {
		return 0, err
	}
	n = s.decoding(1)
	if mask {
		n = s.painting()
	}
	return n, s.affordable(n, l.withDefaults())
}

// Reserve waits until m has the memory that decoding p takes, or with mask making another
// photo of it. Codes are read from the brightness that p holds, which takes none. Errors are
// those of Pixels, *admission.Busy and ctx's.
func (p *Photo) Reserve(ctx context.Context, m *admission.Limiter, l Limits, mask bool) (release func(), err error) {
	if p.HeldBytes() > 0 && !mask {
		return func() {}, nil
	}
	need, err := p.PixelMemory(l, mask)
	if err != nil {
		return nil, err
	}
	return m.AcquireWork(ctx, need)
}

// ForCodes returns the picture from which codes are read: the brightness that p holds, else
// its pixels. Errors are those of Pixels.
func (p *Photo) ForCodes(l Limits) (image.Image, error) {
	if grey := p.brightness(); grey != nil {
		return grey, nil
	}
	return p.Pixels(l)
}

// Decodes returns how often p's pixels were decoded.
func (p *Photo) Decodes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.decodes
}

// source reads the structure of what is sent.
func (p *Photo) source(l Limits) (*source, error) {
	s, err := open(p.Sent, l.withDefaults())
	if err != nil {
		return nil, err
	}
	if s.decode == nil {
		return nil, fault(UnsupportedFormat, "%s is not decoded here", s.mime)
	}
	return s, nil
}

// brightness returns a copy of img without colours. Transparent pixels are put on white, as
// they are sent.
func brightness(img image.Image) *image.Gray {
	size := img.Bounds().Size()
	out := image.NewGray(image.Rectangle{Max: size})
	switch m := img.(type) {
	case *image.YCbCr:
		for y := range size.Y {
			copy(out.Pix[y*out.Stride:][:size.X], m.Y[m.YOffset(m.Rect.Min.X, m.Rect.Min.Y+y):])
		}
	case *image.RGBA:
		for y := range size.Y {
			greyRow(out.Pix[y*out.Stride:][:size.X], m.Pix[m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y+y):])
		}
	default:
		draw.Draw(out, out.Rect, flatten(img), img.Bounds().Min, draw.Src)
	}
	return out
}

// greyRow writes the brightness of premultiplied RGBA on white.
func greyRow(dst, src []byte) {
	for x := range dst {
		px := src[4*x:][:4]
		dst[x] = byte((19595*uint32(px[0])+38470*uint32(px[1])+7471*uint32(px[2])+1<<15)>>16) + 255 - px[3]
	}
}
