// Package photo turns the bytes of an upload into an upright, bounded image
// that the model accepts, or says why it cannot.
//
//	bytes → kind → declared size → intact? → metadata cut out ──→ Photo
//	                                              │                 ↑
//	                    wrong kind, rotated, too large: pixels → encode
//
// The kind is told by content, never by a name. Sizes are compared with the
// limits before anything of that size is allocated. Pixels are decoded only
// where they must change; all else is done on the file's structure.
package photo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
)

// Limits bounds what is accepted and what is sent. A field that is zero or
// less means its default.
type Limits struct {
	// MaxBytes bounds the original file. Default 30 MiB: what Gemini reads of
	// one image from Cloud Storage, and just under the 32 MiB at which Cloud
	// Run cuts HTTP/1 bodies.
	MaxBytes int64

	// MaxPixels bounds width × height as the header declares them. Default
	// 100 million. Decoding may take 4 bytes of memory for each of them, so
	// 16-bit, progressive and TIFF pictures that must be decoded are refused
	// somewhat earlier.
	MaxPixels int64

	// MaxSide bounds the longer side of what is sent, in pixels. Default
	// 3072: Gemini cuts images into tiles of 768 pixels and scales anything
	// larger than 3072 × 3072, four tiles a side, down to that; Gemini 3 reads
	// an image at a fixed token budget. More pixels are paid for in time and
	// bytes and never seen; fewer lose small print.
	MaxSide int

	// MaxSent bounds the bytes sent. Default 7 MB (7,000,000): Vertex AI's
	// limit for one inline image.
	MaxSent int
}

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = 30 << 20
	}
	if l.MaxPixels <= 0 {
		l.MaxPixels = 100_000_000
	}
	if l.MaxSide <= 0 {
		l.MaxSide = 3072
	}
	if l.MaxSent <= 0 {
		l.MaxSent = 7_000_000
	}
	return l
}

// A Photo is an accepted upload.
type Photo struct {
	SHA256        string // of the original bytes, in lower-case hex
	Width, Height int    // of the original in pixels, upright
	MIMEType      string // of the original, by its content

	// Sent is what the model gets: upright, within the limits, without Exif,
	// XMP, comments or other metadata, as JPEG, PNG, WebP, HEIC or HEIF. It
	// shares memory with the input where nothing had to change.
	Sent     []byte
	SentType string // MIME type of Sent
}

// Prepare checks data against l and makes it ready for the model. Every error
// is an *Error.
//
// JPEG, PNG and WebP that are upright and small enough keep their compressed
// pixels. GIF, BMP and TIFF are always transcoded; of an animation the first
// frame counts. HEIC and HEIF cannot be decoded here and pass with their
// metadata zeroed, at any number of pixels within MaxPixels.
//
// A file that keeps its pixels is checked this far: PNG wholly. JPEG by its
// markers and by counting the blocks in its entropy-coded data (of progressive
// files, in the scans that give each block its first value). WebP by its
// chunks and by the sizes in its bitstream's header; a bitstream that was cut
// inside a chunk of the right length passes. HEIC and HEIF by their boxes.
func Prepare(data []byte, l Limits) (p *Photo, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fault(Corrupt, "the picture cannot be decoded: %v", r)
		}
	}()
	l = l.withDefaults()
	s, err := open(data, l)
	if err != nil {
		return nil, err
	}
	p = &Photo{SHA256: sum(data), Width: s.width, Height: s.height, MIMEType: s.mime}
	if s.orientation > 4 {
		p.Width, p.Height = p.Height, p.Width
	}
	if s.sendable(l) {
		p.Sent, p.SentType = s.clean, s.mime
		return p, nil
	}
	if p.Sent, p.SentType, err = s.transcode(l); err != nil {
		return nil, err
	}
	return p, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// A source is an upload whose container was read and found intact.
type source struct {
	mime          string
	width, height int    // as stored, before orientation
	orientation   int    // 1–8 as in Exif
	clean         []byte // the file without metadata, a still
	foreign       bool   // the model does not take it as it is
	profile       []byte // JPEG segments with the colour profile, for a new JPEG

	decode        func() (image.Image, error) // nil where nothing here can
	bytesPerPixel int64                       // memory that decode takes
}

// sendable reports whether the model can have s.clean as it is.
func (s *source) sendable(l Limits) bool {
	if s.decode == nil {
		return len(s.clean) <= l.MaxSent
	}
	return !s.foreign && s.orientation == 1 && max(s.width, s.height) <= l.MaxSide && len(s.clean) <= l.MaxSent
}

// pixels decodes s, unless that would take more memory than l allows.
func (s *source) pixels(l Limits) (image.Image, error) {
	if s.decode == nil {
		return nil, fault(TooManyBytes, "the %s file has %d bytes, more than the %d that can be sent, and cannot be made smaller here", s.mime, len(s.clean), l.MaxSent)
	}
	if need, most := int64(s.width)*int64(s.height)*s.bytesPerPixel, 4*l.MaxPixels; need > most {
		return nil, fault(TooManyPixels, "decoding %d × %d pixels of this %s file takes %d MB, more than %d MB", s.width, s.height, s.mime, need/1e6, most/1e6)
	}
	img, err := s.decode()
	if err != nil {
		return nil, decodeFault(s.mime, err)
	}
	if b := img.Bounds(); b.Dx() != s.width || b.Dy() != s.height {
		return nil, fault(LyingHeader, "the header declares %d × %d pixels, the picture has %d × %d", s.width, s.height, b.Dx(), b.Dy())
	}
	return img, nil
}

// checkSize compares the declared size of a picture with l.
func checkSize(width, height int, l Limits) error {
	if width <= 0 || height <= 0 {
		return fault(Corrupt, "the header declares %d × %d pixels", width, height)
	}
	if int64(width) > l.MaxPixels/int64(height) {
		return fault(TooManyPixels, "the picture has %d × %d pixels, more than %d in all", width, height, l.MaxPixels)
	}
	return nil
}

func fault(code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}
