// Package photo converts an uploaded file to an upright image of limited size that the
// model accepts, or returns why it cannot.
//
//	bytes → SHA-256 → kind → declared size → intact? → metadata cut out ──→ Photo
//	                                                        │                 ↑
//	                                                        ├── turn ─────────┤ a JPEG
//	                                                        │                 │
//	                              wrong kind, turned, too large: pixels → encode
//
// The format is detected from the content, never from a name. Sizes are compared with the
// limits before memory of that size is allocated. Pixels are decoded only if they must
// change or are asked for, and then once; everything else works on the file's structure.
package photo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"sync"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/photo/turn"
)

// Limits are the limits for what is accepted and what is sent. Zero or less means the
// default.
type Limits struct {
	// MaxBytes limits the original file. Default 30 MiB: Gemini's limit for one image from
	// Cloud Storage, and just under the 32 MiB at which Cloud Run cuts HTTP/1 bodies.
	MaxBytes int64

	// MaxPixels limits width × height as declared in the header. Default 100 million.
	MaxPixels int64

	// MaxMemory limits the bytes of memory that decoding one picture needs, computed from
	// its header. Default 4 × MaxPixels. It does not apply to a picture that is sent
	// unchanged, because that is not decoded.
	MaxMemory int64

	// MaxSide limits the longer side, in pixels, of a picture that is encoded here. Default
	// 3072: Gemini cuts images into tiles of 768 pixels and scales anything larger than
	// 3072 × 3072, four tiles a side, down to that; Gemini 3 reads an image at a fixed
	// token budget. More pixels cost time and bytes without benefit; fewer lose small
	// print. A picture that is sent unchanged, or turned without being decoded, may be
	// larger: the model scales it down itself.
	MaxSide int

	// MaxSent limits the bytes sent. Default 7 MB (7,000,000): Vertex AI's limit for one
	// inline image.
	MaxSent int
}

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = 30 << 20
	}
	if l.MaxPixels <= 0 {
		l.MaxPixels = 100_000_000
	}
	if l.MaxMemory <= 0 {
		l.MaxMemory = 4 * l.MaxPixels
	}
	if l.MaxSide <= 0 {
		l.MaxSide = 3072
	}
	if l.MaxSent <= 0 {
		l.MaxSent = 7_000_000
	}
	return l
}

// A Photo is an accepted upload. It is safe for concurrent use.
type Photo struct {
	SHA256        string // of the original bytes, in lower-case hex
	Width, Height int    // of the original in pixels, upright
	MIMEType      string // of the original, by its content

	// Sent is what the model gets: upright, at most MaxSent bytes, without Exif, XMP,
	// comments or other metadata, as JPEG, PNG, WebP, HEIC or HEIF. It shares memory with
	// the input if nothing had to change.
	Sent     []byte
	SentType string // MIME type of Sent

	mu      sync.Mutex
	img     image.Image // the pixels of Sent, from the call of Pixels until Release
	grey    *image.Gray // their brightness, if Sent was encoded here or Brightness was called, until Release
	decodes int         // how often this photo's pixels were decoded
}

// An Upload is the bytes of a file and their SHA-256 in lower-case hex.
type Upload struct {
	Data   []byte
	SHA256 string
}

// NewUpload hashes data. It does not check it.
func NewUpload(data []byte) Upload {
	h := sha256.Sum256(data)
	return Upload{Data: data, SHA256: hex.EncodeToString(h[:])}
}

// Prepare checks data against l and converts it for the model: Inspect, then Photo. Every
// error is an *Error.
func Prepare(data []byte, l Limits) (*Photo, error) {
	f, err := NewUpload(data).Inspect(l)
	if err != nil {
		return nil, err
	}
	return f.Photo()
}

// Prepare is the function Prepare once m has the memory that it takes. Each error is an
// *Error, an *admission.Busy or ctx's.
func (u Upload) Prepare(ctx context.Context, m *admission.Limiter, l Limits) (*Photo, error) {
	f, err := u.Inspect(l)
	if err != nil {
		return nil, err
	}
	done, err := m.AcquireWork(ctx, f.Memory())
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Photo()
}

// A File is an upload whose structure was checked. Nothing of it is decoded yet.
type File struct {
	upload Upload
	source *source
	limits Limits
}

// Inspect checks u against l by its structure. Every error is an *Error.
//
// A file that is not decoded is checked as follows: JPEG by its markers, up to its end
// marker, and by the smallest number of bytes for a picture of its size; one without end
// marker is decoded. PNG by the
// checksums of its chunks, up to its end chunk, and by the same. WebP by its chunks and by
// the sizes in its bitstream's header. HEIC and HEIF by their boxes. So truncated files are
// refused, unless a false end was appended.
func (u Upload) Inspect(l Limits) (f *File, err error) {
	defer recovered(&err)
	l = l.withDefaults()
	s, err := open(u.Data, l)
	if err != nil {
		return nil, err
	}
	return &File{u, s, l}, nil
}

// Memory estimates how many bytes Photo uses during its call: 0 if the file is sent
// unchanged. Of a JPEG that may be turned it is what decoding takes, in case it cannot.
func (f *File) Memory() int64 {
	s := f.source
	if s.sendable(f.limits) || s.decode == nil {
		return 0
	}
	need := s.working(f.shrink(), s.fitting(f.limits.MaxSide))
	if s.turnable(f.limits) {
		need = max(need, turn.Memory(len(s.clean), s.width, s.height))
	}
	return need
}

// ContentHash returns the hash, in lower-case hex, of what Photo converts: files that differ
// only in their metadata have the same.
func (f *File) ContentHash() string {
	s := f.source
	h := sha256.New()
	fmt.Fprintf(h, "%s %d\n", s.mime, s.orientation)
	h.Write(s.clean)
	return hex.EncodeToString(h.Sum(nil))
}

// Photo converts f for the model. Every error is an *Error.
//
// JPEG, PNG and WebP that are upright and small enough keep their compressed pixels. So do
// most JPEGs that are not upright: package turn turns them. GIF, BMP and TIFF are always
// transcoded, animations by their first frame. HEIC and HEIF cannot be decoded here and are
// sent with their metadata zeroed, whatever their size within MaxPixels.
func (f *File) Photo() (p *Photo, err error) {
	defer recovered(&err)
	s := f.source
	p = &Photo{SHA256: f.upload.SHA256, Width: s.width, Height: s.height, MIMEType: s.mime}
	if s.orientation > 4 {
		p.Width, p.Height = p.Height, p.Width
	}
	if s.sendable(f.limits) {
		p.Sent, p.SentType = s.clean, s.mime
		return p, nil
	}
	if s.turnable(f.limits) {
		if turned, err := turn.JPEG(s.clean, s.orientation); err == nil && len(turned) <= f.limits.MaxSent {
			p.Sent, p.SentType = turned, s.mime
			return p, nil
		}
	}
	if err := s.affordable(f.Memory(), f.limits); err != nil {
		return nil, err
	}
	p.decodes = 1
	img, err := s.pixels(f.limits, f.shrink())
	if err != nil {
		return nil, err
	}
	if img, p.Sent, p.SentType, err = s.transcode(img, f.limits); err != nil {
		return nil, err
	}
	p.grey = brightness(img)
	return p, nil
}

// shrink returns the fraction of its size at which f is decoded: nothing is lost if it is
// then scaled down further.
func (f *File) shrink() int { return f.source.shrink(f.limits.MaxSide) }

// recovered converts a panic of a decoder to an *Error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fault(Corrupt, "the picture cannot be decoded: %v", r)
	}
}

// A source is an upload whose container was read and checked.
type source struct {
	mime          string
	width, height int    // as stored, before rotation
	orientation   int    // 1–8 as in Exif
	clean         []byte // the file without metadata, as a still picture
	foreign       bool   // the model does not accept it unchanged
	profile       []byte // JPEG segments with the colour profile, for a new JPEG

	// decode decodes the picture at 1/shrink of its size; nil if it cannot be decoded here.
	// Memory returns the bytes that needs, and how many of them the picture itself
	// occupies; making is the bytes per pixel for encoding a new picture from it.
	decode  func(shrink int) (image.Image, error)
	shrinks bool // it can be decoded at a smaller size
	memory  func(shrink int) (decoding, picture int64)
	making  int64
}

// sendable reports whether s.clean can be sent unchanged.
func (s *source) sendable(l Limits) bool {
	return (s.decode == nil || !s.foreign && s.orientation == 1) && len(s.clean) <= l.MaxSent
}

// turnable reports whether s is a JPEG that may be turned without decoding its pixels.
func (s *source) turnable(l Limits) bool {
	return s.mime == "image/jpeg" && !s.foreign && s.orientation != 1 && len(s.clean) <= l.MaxSent &&
		turn.Memory(len(s.clean), s.width, s.height) <= l.MaxMemory
}

// shrink returns 1, 2, 4 or 8: the fraction of its size at which s is still not smaller
// than side.
func (s *source) shrink(side int) int {
	n := 1
	for s.shrinks && n < 8 && max(s.width, s.height)/(2*n) >= side {
		n *= 2
	}
	return n
}

// Bytes of memory per pixel of a new picture. For JPEG, with chroma at half size: scaled
// and rotated, in the planes of the encoder, and twice in its output. For others: scaled
// and rotated in RGBA, flattened on white, and then the same.
const (
	makingYCbCr = 5
	makingRGBA  = 12
)

// bytesPerPixel returns the memory function of a decoder that needs n bytes per pixel.
func bytesPerPixel(n int64, width, height int) func(int) (int64, int64) {
	all := n * int64(width) * int64(height)
	return func(int) (int64, int64) { return all, all }
}

// decoding returns the memory for decoding s. The JPEG decoder copies the file.
func (s *source) decoding(shrink int) int64 {
	decoding, _ := s.memory(shrink)
	return decoding + int64(len(s.clean))
}

// working returns the memory for decoding s and making a picture of size to from it.
func (s *source) working(shrink int, to image.Point) int64 {
	_, picture := s.memory(shrink)
	return max(s.decoding(shrink), picture+s.making*int64(to.X)*int64(to.Y))
}

// painting returns the memory for decoding s, painting on its pixels and encoding them:
// that of a new picture without the third for scaling.
func (s *source) painting() int64 {
	_, picture := s.memory(1)
	return max(s.decoding(1), picture+s.making*2/3*int64(s.width)*int64(s.height))
}

// affordable refuses what needs more memory than l allows.
func (s *source) affordable(need int64, l Limits) error {
	if need > l.MaxMemory {
		return fault(TooManyPixels, "to decode %d × %d pixels of this %s file takes %d MB of memory, more than the %d MB that there are for one photo", s.width, s.height, s.mime, need/1e6, l.MaxMemory/1e6)
	}
	return nil
}

// pixels decodes s at 1/shrink of its size, unless that needs more memory than l allows.
func (s *source) pixels(l Limits, shrink int) (image.Image, error) {
	if s.decode == nil {
		return nil, fault(TooManyBytes, "the %s file has %d bytes, more than the %d that can be sent, and cannot be made smaller here", s.mime, len(s.clean), l.MaxSent)
	}
	if err := s.affordable(s.decoding(shrink), l); err != nil {
		return nil, err
	}
	img, err := s.decode(shrink)
	if err != nil {
		return nil, decodeFault(s.mime, err)
	}
	full, small := image.Pt(s.width, s.height), image.Pt(ceilDiv(s.width, shrink), ceilDiv(s.height, shrink))
	if size := img.Bounds().Size(); size != full && size != small {
		return nil, fault(LyingHeader, "the header declares %d × %d pixels, the picture has %d × %d", s.width, s.height, size.X, size.Y)
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
