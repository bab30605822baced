package photo

import "math"

// Thumbnail returns data as an upright JPEG that is at most width pixels wide and
// not larger than the photo. It takes what Prepare takes, except HEIC and HEIF,
// which cannot be decoded here: UnsupportedFormat. Every error is an *Error.
func Thumbnail(data []byte, width int, l Limits) (small []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			small, err = nil, fault(Corrupt, "the picture cannot be decoded: %v", r)
		}
	}()
	l = l.withDefaults()
	s, err := open(data, l)
	if err != nil {
		return nil, err
	}
	if s.decode == nil {
		return nil, fault(UnsupportedFormat, "%s is not decoded here", s.mime)
	}
	img, err := s.pixels(l)
	if err != nil {
		return nil, err
	}
	return encodeJPEG(fit(img, s.longer(width), s.orientation), l.MaxSent, s.profile)
}

// longer is the longer side that s has when it is width pixels wide.
func (s *source) longer(width int) int {
	w, h := s.width, s.height
	if s.orientation > 4 {
		w, h = h, w
	}
	if h <= w {
		return width
	}
	side := int64(width) * int64(h) / int64(w)
	return int(min(side, math.MaxUint16)) // JPEG's sizes have 16 bits
}
