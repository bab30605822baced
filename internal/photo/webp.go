package photo

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/webp"
)

// Flags of a VP8X chunk.
const (
	webpAnimated = 1 << 1
	webpXMP      = 1 << 2
	webpExif     = 1 << 3
	webpAlpha    = 1 << 4
	webpICC      = 1 << 5
)

// A webpFile is a WebP read chunk by chunk.
type webpFile struct {
	data        []byte
	limits      Limits
	kept        int // length of the chunks that are kept
	flags       byte
	extended    bool
	orientation int

	width, height int // of the canvas

	profile span
	frame   webpFrame // the still picture, or the first frame
}

// A webpFrame is one picture: its bitstream and its position on the canvas.
type webpFrame struct {
	width, height int
	origin        image.Point
	alpha         span // an ALPH chunk; may be empty
	bits          span // a VP8 or VP8L chunk
	lossless      bool
}

// openWebP reads the chunks of a WebP. It drops data after the RIFF container, and all
// frames of an animation but the first.
func openWebP(data []byte, l Limits) (*source, error) {
	f := &webpFile{data: data, limits: l, orientation: 1}
	end := int64(binary.LittleEndian.Uint32(data[4:])) + 8
	if end > int64(len(data)) {
		return nil, fault(Truncated, "the WebP should have %d bytes and has %d", end, len(data))
	}
	if end < 12 {
		return nil, fault(Corrupt, "the WebP says it has %d bytes", end)
	}
	if err := f.chunks(span{12, int(end)}, f.chunk); err != nil {
		return nil, err
	}
	if err := f.intact(); err != nil {
		return nil, err
	}
	return f.source(int(end)), nil
}

// chunks calls each with the chunks of within: name, body and whole chunk.
func (f *webpFile) chunks(within span, each func(name string, body, whole span) error) error {
	for pos := within.from; pos < within.to; {
		if within.to-pos < 8 {
			return fault(Corrupt, "the WebP has %d stray bytes at byte %d", within.to-pos, pos)
		}
		n := int(binary.LittleEndian.Uint32(f.data[pos+4:]))
		if n > within.to-pos-8 {
			return fault(Corrupt, "the WebP's chunk %q at byte %d is longer than the file says", f.data[pos:pos+4], pos)
		}
		body := span{pos + 8, pos + 8 + n}
		whole := span{pos, min(body.to+n%2, within.to)}
		if err := each(string(f.data[pos:pos+4]), body, whole); err != nil {
			return err
		}
		pos = whole.to
	}
	return nil
}

// chunk processes a chunk at the top level.
func (f *webpFile) chunk(name string, body, whole span) error {
	b := f.data[body.from:body.to]
	switch name {
	case "VP8X":
		if len(b) < 10 || f.extended {
			return fault(Corrupt, "the WebP's header is repeated or has %d bytes", len(b))
		}
		f.extended, f.flags = true, b[0]
		f.width, f.height = 1+uint24(b[4:]), 1+uint24(b[7:])
		f.kept += whole.to - whole.from
		return checkSize(f.width, f.height, f.limits)
	case "ICCP":
		f.profile = whole
		f.kept += whole.to - whole.from
	case "EXIF":
		f.orientation = exifOrientation(b)
	case "ANMF":
		return f.animationFrame(body)
	case "ALPH", "VP8 ", "VP8L":
		f.kept += whole.to - whole.from
		return f.picture(name, body, whole)
	}
	return nil
}

// picture processes the chunks of the still picture or of the first frame.
func (f *webpFile) picture(name string, body, whole span) (err error) {
	if f.frame.bits != (span{}) {
		return fault(Corrupt, "the WebP has two pictures")
	}
	if name == "ALPH" {
		f.frame.alpha = whole
		return nil
	}
	b := f.data[body.from:body.to]
	width, height := 0, 0
	if name == "VP8L" {
		width, height, err = vp8lSize(b)
	} else {
		width, height, err = vp8Size(b)
	}
	if err != nil {
		return err
	}
	if f.frame.width != 0 && (f.frame.width != width || f.frame.height != height) {
		return fault(LyingHeader, "the WebP's frame header declares %d × %d pixels, its picture has %d × %d", f.frame.width, f.frame.height, width, height)
	}
	f.frame.width, f.frame.height = width, height
	f.frame.bits, f.frame.lossless = whole, name == "VP8L"
	return checkSize(width, height, f.limits)
}

// animationFrame reads an ANMF chunk: position, size, duration, then a picture.
func (f *webpFile) animationFrame(body span) error {
	if f.frame.bits != (span{}) {
		return nil // not the first
	}
	b := f.data[body.from:body.to]
	if len(b) < 16 {
		return fault(Corrupt, "the WebP's animation frame has %d bytes", len(b))
	}
	f.frame = webpFrame{
		origin: image.Pt(2*uint24(b), 2*uint24(b[3:])),
		width:  1 + uint24(b[6:]),
		height: 1 + uint24(b[9:]),
	}
	return f.chunks(span{body.from + 16, body.to}, func(name string, body, whole span) error {
		if name == "ALPH" || name == "VP8 " || name == "VP8L" {
			return f.picture(name, body, whole)
		}
		return nil
	})
}

// intact compares the picture with the canvas.
func (f *webpFile) intact() error {
	if f.frame.bits == (span{}) {
		return fault(Truncated, "the WebP has no picture data")
	}
	if !f.extended {
		f.width, f.height = f.frame.width, f.frame.height
	}
	covers := image.Rect(0, 0, f.frame.width, f.frame.height).Add(f.frame.origin)
	canvas := image.Rect(0, 0, f.width, f.height)
	if f.flags&webpAnimated == 0 && covers != canvas || !covers.In(canvas) {
		return fault(LyingHeader, "the header declares %d × %d pixels, the WebP's picture has %d × %d", f.width, f.height, f.frame.width, f.frame.height)
	}
	return nil
}

// source returns f unchanged if nothing must be dropped, else a new file with the chunks
// that are kept.
func (f *webpFile) source(end int) *source {
	s := &source{mime: "image/webp", width: f.width, height: f.height, orientation: f.orientation, memory: bytesPerPixel(8, f.width, f.height), making: makingRGBA}
	if f.flags&(webpAnimated|webpXMP|webpExif) == 0 && 12+f.kept == end {
		s.clean = f.data[:end:end]
	} else {
		s.clean = f.still()
	}
	s.foreign = f.frame.origin != image.Point{} || f.frame.width != f.width || f.frame.height != f.height
	s.decode = func(int) (image.Image, error) {
		img, err := webp.Decode(bytes.NewReader(f.still()))
		if err != nil {
			return nil, err
		}
		return onCanvas(img, f.frame.origin, f.width, f.height), nil
	}
	return s
}

// still returns a WebP with the one frame, its transparency and colour profile.
func (f *webpFile) still() []byte {
	parts := [][]byte{[]byte("RIFF\x00\x00\x00\x00WEBP")}
	profile, alpha := f.profile, f.frame.alpha
	if f.frame.lossless {
		alpha = span{} // VP8L contains its transparency itself
	}
	if alpha != (span{}) || profile != (span{}) {
		parts = append(parts, f.header(alpha != span{}, profile != span{}))
	}
	for _, s := range []span{profile, alpha, f.frame.bits} {
		parts = append(parts, f.data[s.from:s.to])
		if (s.to-s.from)%2 != 0 {
			parts = append(parts, []byte{0})
		}
	}
	out := bytes.Join(parts, nil)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// header writes a VP8X chunk.
func (f *webpFile) header(alpha, profile bool) []byte {
	w, h := uint32(f.frame.width-1), uint32(f.frame.height-1)
	flags := byte(0)
	if alpha || f.frame.lossless && f.flags&webpAlpha != 0 {
		flags |= webpAlpha
	}
	if profile {
		flags |= webpICC
	}
	out := []byte("VP8X\x0a\x00\x00\x00")
	out = append(out, flags, 0, 0, 0)
	return append(out, byte(w), byte(w>>8), byte(w>>16), byte(h), byte(h>>8), byte(h>>16))
}

// vp8Size reads a lossy key frame's header (RFC 6386, section 9.1).
func vp8Size(b []byte) (width, height int, err error) {
	if len(b) < 10 || b[0]&1 != 0 || !starts(b[3:], "\x9d\x01\x2a") {
		return 0, 0, fault(Corrupt, "the WebP's picture does not begin with a key frame")
	}
	if first := uint24(b) >> 5; first > len(b)-10 {
		return 0, 0, fault(Truncated, "the WebP's picture has %d bytes, its first part alone %d", len(b), first)
	}
	return int(binary.LittleEndian.Uint16(b[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[8:]) & 0x3fff), nil
}

// vp8lSize reads a lossless picture's header: 14 bits each of width and height.
func vp8lSize(b []byte) (width, height int, err error) {
	if len(b) < 5 || b[0] != 0x2f || b[4]>>5 != 0 {
		return 0, 0, fault(Corrupt, "the WebP's lossless picture has no header")
	}
	bits := binary.LittleEndian.Uint32(b[1:])
	return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
