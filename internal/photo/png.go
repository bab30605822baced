package photo

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
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
	pixels      int64 // total length of the IDAT chunks
	header      pngHeader
	palette     bool
	orientation int
}

type pngHeader struct {
	width, height    int
	depth, colorType byte
	interlaced       bool
}

// openPNG reads the chunks of a PNG and verifies their checksums. Pixels are not inflated.
// Data after IEND is dropped.
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
		mime:        "image/png",
		width:       f.header.width,
		height:      f.header.height,
		orientation: f.orientation,
		clean:       join(data, f.kept),
		memory:      bytesPerPixel(f.header.bytesPerPixel(), f.header.width, f.header.height),
		making:      makingRGBA,
	}
	s.decode = func(int) (image.Image, error) { return png.Decode(bytes.NewReader(s.clean)) }
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
		f.pixels += int64(n)
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

// intact compares the length of the pixel data with the header. Deflate stores at most
// 1,032 bytes in one: 258 for a repetition in 2 bits. So the data cannot contain more, and
// the flattest real picture contains no more than that.
func (f *pngFile) intact() error {
	if f.header.colorType == 3 && !f.palette {
		return fault(Corrupt, "the PNG has no palette for its colours")
	}
	if f.pixels == 0 {
		return fault(Truncated, "the PNG has no picture data")
	}
	if need := f.header.inflated(); need > 1032*f.pixels {
		return fault(LyingHeader, "the header declares %d × %d pixels, which are %d bytes, and the PNG's %d bytes cannot hold them",
			f.header.width, f.header.height, need, f.pixels)
	}
	return nil
}

// pngSamples is the number of samples per pixel by colour type.
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

// inflated returns the length of the filtered rows: each has a filter byte, and an
// interlaced picture consists of seven smaller ones (PNG specification, section 8.2).
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

// bytesPerPixel returns what image/png allocates, including interlacing passes.
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
