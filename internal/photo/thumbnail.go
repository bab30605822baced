package photo

import "math"

// The largest thumbnail that a sender may make: bytes, and pixels of a side.
const (
	MaxThumbnail     = 30_000
	maxThumbnailSide = 640
)

// CleanThumbnail returns a thumbnail that a photo's sender has made, without its metadata. It
// has to be a whole JPEG within those limits, and is not decoded: what it shows is its sender's
// word. Every error is an *Error.
func CleanThumbnail(data []byte) (clean []byte, err error) {
	defer recovered(&err)
	if !starts(data, "\xff\xd8") {
		return nil, fault(UnsupportedFormat, "the thumbnail is no JPEG")
	}
	if len(data) > MaxThumbnail {
		return nil, fault(TooManyBytes, "the thumbnail has %d bytes, at most %d are kept", len(data), MaxThumbnail)
	}
	s, err := openJPEG(data, Limits{}.withDefaults())
	if err != nil {
		return nil, err
	}
	if max(s.width, s.height) > maxThumbnailSide {
		return nil, fault(TooManyPixels, "the thumbnail has %d × %d pixels, at most %d a side are kept", s.width, s.height, maxThumbnailSide)
	}
	return s.clean, nil
}

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
