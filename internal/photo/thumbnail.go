package photo

import "math"

// ThumbnailMemory estimates how many bytes Thumbnail uses during its call.
func (f *File) ThumbnailMemory(width int) int64 {
	if f.source.decode == nil {
		return 0
	}
	side := f.source.longer(width)
	return f.source.working(f.source.shrink(side), f.source.fitting(side))
}

// Thumbnail returns f as an upright JPEG at most width pixels wide and not larger than the
// photo. It accepts what Photo accepts, except HEIC and HEIF, which cannot be decoded here
// and give UnsupportedFormat. Every error is an *Error.
func (f *File) Thumbnail(width int) (small []byte, err error) {
	defer recovered(&err)
	s := f.source
	if s.decode == nil {
		return nil, fault(UnsupportedFormat, "%s is not decoded here", s.mime)
	}
	side := s.longer(width)
	img, err := s.pixels(f.limits, s.shrink(side))
	if err != nil {
		return nil, err
	}
	return encodeJPEG(fit(img, s.fitting(side), s.orientation), f.limits.MaxSent, s.profile)
}

// longer returns the longer side of s when it is width pixels wide.
func (s *source) longer(width int) int {
	w, h := s.width, s.height
	if s.orientation > 4 {
		w, h = h, w
	}
	if h <= w {
		return width
	}
	side := int64(width) * int64(h) / int64(w)
	return int(min(side, math.MaxUint16)) // JPEG sizes have 16 bits
}
