package photo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"slices"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngKept are the chunks that a still picture and its colours need. Others
// (text, time, Exif, animation frames, private ones) are dropped.
var pngKept = []string{"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI", "sBIT", "bKGD", "pHYs"}

// A pngFile is a PNG read chunk by chunk.
type pngFile struct {
	data        []byte
	pos         int
	kept        []span
	pixels      []byte // from the first IDAT chunk on
	header      pngHeader
	palette     bool
	orientation int
}

type pngHeader struct {
	width, height    int
	depth, colorType byte
	interlaced       bool
}

// openPNG reads the chunks of a PNG with their checksums and inflates the
// pixels without keeping them. What follows IEND is left out.
func openPNG(data []byte, l Limits) (*source, error) {
	if !starts(data, pngSignature) {
		if len(data) < len(pngSignature) {
			return nil, fault(Truncated, "the PNG ends after %d bytes", len(data))
		}
		return nil, fault(Corrupt, "the PNG's signature is damaged: it was copied as text")
	}
	f := &pngFile{data: data, pos: len(pngSignature), kept: []span{{0, len(pngSignature)}}, orientation: 1}
	for done := false; !done; {
		var err error
		if done, err = f.next(l); err != nil {
			return nil, err
		}
	}
	if err := f.intact(); err != nil {
		return nil, err
	}
	s := &source{
		mime:          "image/png",
		width:         f.header.width,
		height:        f.header.height,
		orientation:   f.orientation,
		clean:         join(data, f.kept),
		bytesPerPixel: f.header.bytesPerPixel(),
	}
	s.decode = func() (image.Image, error) { return png.Decode(bytes.NewReader(s.clean)) }
	return s, nil
}

// next reads one chunk: length, name, body, checksum. It reports IEND.
func (f *pngFile) next(l Limits) (done bool, err error) {
	rest := f.data[f.pos:]
	if len(rest) < 12 || uint64(binary.BigEndian.Uint32(rest)) > uint64(len(rest)-12) {
		return false, fault(Truncated, "the PNG ends after %d bytes, inside a chunk", len(f.data))
	}
	n := int(binary.BigEndian.Uint32(rest))
	name, body, crc := string(rest[4:8]), rest[8:8+n], rest[8+n:12+n]
	from := f.pos
	f.pos += 12 + n
	if f.header.width == 0 && name != "IHDR" {
		return false, fault(Corrupt, "the PNG begins with chunk %q, not with IHDR", name)
	}
	if name == "eXIf" {
		f.orientation = exifOrientation(body)
	}
	if !slices.Contains(pngKept, name) {
		if name[0] >= 'A' && name[0] <= 'Z' {
			return false, fault(UnsupportedFormat, "the PNG needs chunk %q to be read, which is not standard", name)
		}
		return false, nil
	}
	if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(crc) {
		return false, fault(Corrupt, "the PNG's chunk %s at byte %d does not match its checksum", name, from)
	}
	f.kept = extend(f.kept, span{from, f.pos})
	switch name {
	case "IHDR":
		return false, f.readHeader(body, l)
	case "PLTE":
		f.palette = true
	case "IDAT":
		if f.pixels == nil {
			f.pixels = f.data[from:]
		}
	}
	return name == "IEND", nil
}

func (f *pngFile) readHeader(body []byte, l Limits) error {
	if f.header.width != 0 || len(body) != 13 {
		return fault(Corrupt, "the PNG's header is repeated or has %d bytes", len(body))
	}
	f.header = pngHeader{
		width:      int(binary.BigEndian.Uint32(body)),
		height:     int(binary.BigEndian.Uint32(body[4:])),
		depth:      body[8],
		colorType:  body[9],
		interlaced: body[12] == 1,
	}
	if !f.header.valid() || body[10] != 0 || body[11] != 0 || body[12] > 1 {
		return fault(Corrupt, "the PNG's header has %d bits of colour type %d, methods %v", body[8], body[9], body[10:])
	}
	return checkSize(f.header.width, f.header.height, l)
}

// intact inflates the pixels and holds their length against the header's.
func (f *pngFile) intact() error {
	if f.header.colorType == 3 && !f.palette {
		return fault(Corrupt, "the PNG has no palette for its colours")
	}
	if len(f.pixels) == 0 {
		return fault(Truncated, "the PNG has no picture data")
	}
	want := f.header.inflated()
	got, err := f.inflate(want + 1)
	switch {
	case got > want, err == nil && got < want:
		return fault(LyingHeader, "the header declares %d × %d pixels, which are %d bytes, and the picture has %d or more",
			f.header.width, f.header.height, want, got)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault(Truncated, "the PNG's picture data stop at %d of %d bytes", got, want)
	case err != nil:
		return fault(Corrupt, "the PNG's picture data cannot be inflated (%v)", err)
	}
	return nil
}

// inflate counts the bytes of the pixels, up to most. The stream's own
// checksum is verified where it ends.
func (f *pngFile) inflate(most int64) (int64, error) {
	z, err := zlib.NewReader(&idatReader{chunks: f.pixels})
	if err != nil {
		return 0, err
	}
	n, err := io.CopyN(io.Discard, z, most)
	if n < most && err == io.EOF {
		err = nil // the stream's proper end
	}
	return n, err
}

// An idatReader reads the bodies of the IDAT chunks that chunks begins with.
// They have been walked before.
type idatReader struct{ chunks, body []byte }

func (r *idatReader) Read(p []byte) (int, error) {
	for len(r.body) == 0 {
		if string(r.chunks[4:8]) != "IDAT" {
			return 0, io.EOF
		}
		n := int(binary.BigEndian.Uint32(r.chunks))
		r.body, r.chunks = r.chunks[8:8+n], r.chunks[12+n:]
	}
	n := copy(p, r.body)
	r.body = r.body[n:]
	return n, nil
}

// pngSamples is the number of samples of a pixel by colour type.
var pngSamples = map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

func (h pngHeader) valid() bool {
	switch h.colorType {
	case 0:
		return h.depth == 1 || h.depth == 2 || h.depth == 4 || h.depth == 8 || h.depth == 16
	case 3:
		return h.depth == 1 || h.depth == 2 || h.depth == 4 || h.depth == 8
	case 2, 4, 6:
		return h.depth == 8 || h.depth == 16
	}
	return false
}

// inflated is the length of the filtered rows: each has a filter byte, and an
// interlaced picture is seven smaller ones (PNG specification, section 8.2).
func (h pngHeader) inflated() int64 {
	bits := pngSamples[h.colorType] * int64(h.depth)
	rows := func(w, h int) int64 {
		if w == 0 {
			return 0
		}
		return int64(h) * ((int64(w)*bits+7)/8 + 1)
	}
	if !h.interlaced {
		return rows(h.width, h.height)
	}
	total := int64(0)
	for _, p := range []struct{ x, y, dx, dy int }{
		{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
	} {
		total += rows(max(0, ceilDiv(h.width-p.x, p.dx)), max(0, ceilDiv(h.height-p.y, p.dy)))
	}
	return total
}

// bytesPerPixel is what image/png allocates, interlacing's passes included.
func (h pngHeader) bytesPerPixel() int64 {
	n := int64(4)
	if h.colorType == 3 || h.colorType == 0 && h.depth <= 8 {
		n = 1
	}
	if h.depth == 16 {
		n = 8
		if h.colorType == 0 {
			n = 2
		}
	}
	if h.interlaced {
		n += n/2 + 1
	}
	return n
}
