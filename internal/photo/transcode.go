package photo

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
)

// qualities are tried in turn until a JPEG is small enough; after the last,
// the picture shrinks. From 90 up, bytes grow and legibility does not.
var qualities = []int{90, 80, 70}

// transcode decodes s, scales it, turns it upright and encodes it.
//
// A photo becomes a JPEG. A picture with transparency or few colours becomes
// a PNG if that is the smaller file, as it is for drawings and screenshots.
func (s *source) transcode(l Limits) (sent []byte, mime string, err error) {
	img, err := s.pixels(l)
	if err != nil {
		return nil, "", err
	}
	drawing := !opaque(img) || fewColours(img)
	img = fit(img, min(l.MaxSide, 65535), s.orientation) // JPEG's sizes have 16 bits
	sent, err = encodeJPEG(img, l.MaxSent, s.profile)
	if err != nil {
		return nil, "", err
	}
	if drawing {
		if p, err := encodePNG(img); err != nil || len(p) < len(sent) {
			return p, "image/png", err
		}
	}
	return sent, "image/jpeg", nil
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
		img = fit(img, side, 1)
	}
}

// jpegBytes encodes img with the colour profile, if any, after SOI.
func jpegBytes(img image.Image, quality int, profile []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fault(Corrupt, "the picture cannot be encoded as JPEG (%v)", err)
	}
	if len(profile) == 0 {
		return b.Bytes(), nil
	}
	return bytes.Join([][]byte{b.Bytes()[:2], profile, b.Bytes()[2:]}, nil), nil
}

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fault(Corrupt, "the picture cannot be encoded as PNG (%v)", err)
	}
	return b.Bytes(), nil
}
