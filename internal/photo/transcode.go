package photo

import (
	"bytes"
	"image"
	"image/png"
)

// qualities are tried in turn until a JPEG is small enough; after the last, the picture is
// made smaller. Above 90, bytes grow but legibility does not.
var qualities = []int{90, 80, 70}

// transcode scales img, the pixels of s, rotates it upright and encodes it. It also returns
// the scaled picture.
//
// A photo becomes a JPEG. A picture with transparency or few colours becomes a PNG if that
// is the smaller file, as it is for drawings and screenshots.
func (s *source) transcode(img image.Image, l Limits) (upright image.Image, sent []byte, mime string, err error) {
	drawing := !opaque(img) || fewColours(img)
	upright = fit(img, s.fitting(min(l.MaxSide, 65535)), s.orientation) // JPEG sizes have 16 bits
	sent, err = encodeJPEG(upright, l.MaxSent, s.profile)
	if err != nil {
		return nil, nil, "", err
	}
	if drawing {
		if p, err := encodePNG(upright); err != nil || len(p) < len(sent) {
			return upright, p, "image/png", err
		}
	}
	return upright, sent, "image/jpeg", nil
}

// fitting returns the size of s, as stored, scaled so that its longer side has at most side
// pixels.
func (s *source) fitting(side int) image.Point {
	return scaledSize(image.Pt(s.width, s.height), side)
}

// encodeJPEG lowers the quality, then the size, until img fits into most bytes.
func encodeJPEG(img image.Image, most int, profile []byte) ([]byte, error) {
	for img = flatten(img); ; {
		for _, q := range qualities {
			out, err := jpegBytes(img, q, profile)
			if err != nil || len(out) <= most {
				return out, err
			}
		}
		size := img.Bounds().Size()
		side := max(size.X, size.Y) * 3 / 4
		if side == 0 {
			return nil, fault(TooManyBytes, "not even one pixel fits into %d bytes", most)
		}
		img = fit(img, scaledSize(size, side), 1)
	}
}

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fault(Corrupt, "the picture cannot be encoded as PNG (%v)", err)
	}
	return b.Bytes(), nil
}
