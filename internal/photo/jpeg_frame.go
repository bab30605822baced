package photo

import (
	"encoding/binary"
	"math"
	"slices"
)

// Limits of scans and tables above what encoders write: every scan makes the decoder pass
// over the whole picture again.
const (
	maxScans  = 100
	maxTables = 4 * maxScans
)

// A jpegFrame is what a JPEG's headers say about its compressed data.
type jpegFrame struct {
	width, height int
	progressive   bool
	components    []jpegComponent
	hMax, vMax    int
	restart       int // MCUs between restart markers, 0 for none

	scans, tables int // how many were read
}

type jpegComponent struct {
	id      byte
	h, v    int
	scanned bool   // a scan with its DC coefficients was read
	refined uint64 // the coefficients, by bit, of which a scan had the last bit
}

// A jpegScan is a scan header: the components and coefficients of the scan.
type jpegScan struct {
	parts   []*jpegComponent
	first   byte // start of the spectral selection: 0 for a scan with DC
	refines bool // it adds bits to an earlier scan
}

// header reads the frame header of a baseline, extended or progressive JPEG.
func (f *jpegFrame) header(marker byte, body []byte, l Limits) error {
	if f.components != nil {
		return fault(Corrupt, "the JPEG has two frame headers")
	}
	if len(body) < 6 || len(body) < 6+3*int(body[5]) {
		return fault(Corrupt, "the JPEG's frame header has %d bytes", len(body))
	}
	n := int(body[5])
	if body[0] != 8 || n != 1 && n != 3 && n != 4 {
		return fault(UnsupportedFormat, "the JPEG has %d components of %d bits", n, body[0])
	}
	f.progressive = marker == markerSOF2
	f.height = int(binary.BigEndian.Uint16(body[1:]))
	f.width = int(binary.BigEndian.Uint16(body[3:]))
	if f.height == 0 {
		return fault(UnsupportedFormat, "the JPEG's header leaves its height open")
	}
	for c := body[6 : 6+3*n]; len(c) > 0; c = c[3:] {
		h, v := int(c[1]>>4), int(c[1]&0xf)
		if h < 1 || h > 4 || v < 1 || v > 4 {
			return fault(Corrupt, "the JPEG has a sampling factor of %d × %d", h, v)
		}
		f.components = append(f.components, jpegComponent{id: c[0], h: h, v: v})
		f.hMax, f.vMax = max(f.hMax, h), max(f.vMax, v)
	}
	return checkSize(f.width, f.height, l)
}

// huffman counts the tables of a DHT segment, because each costs decoding time.
func (f *jpegFrame) huffman(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 {
			return fault(Corrupt, "a JPEG's Huffman table is cut short")
		}
		if f.tables++; f.tables > maxTables {
			return fault(Corrupt, "the JPEG has more than %d Huffman tables", maxTables)
		}
		n := 17
		for _, codes := range body[1:17] {
			n += int(codes)
		}
		if n > len(body) {
			return fault(Corrupt, "a JPEG's Huffman table has %d bytes, of which %d are there", n, len(body))
		}
		body = body[n:]
	}
	return nil
}

// scan reads a scan header.
func (f *jpegFrame) scan(body []byte) (jpegScan, error) {
	if len(body) < 1 || len(body) < 4+2*int(body[0]) || body[0] < 1 || body[0] > 4 {
		return jpegScan{}, fault(Corrupt, "a JPEG's scan header has %d bytes", len(body))
	}
	if f.scans++; f.scans > maxScans {
		return jpegScan{}, fault(Corrupt, "the JPEG has more than %d scans", maxScans)
	}
	n := int(body[0])
	tail := body[1+2*n:]
	s := jpegScan{first: tail[0], refines: tail[2]>>4 != 0}
	for i := range n {
		id, tables := body[1+2*i], body[2+2*i]
		c := f.component(id)
		if c == nil || tables>>4 > 3 || tables&0xf > 3 {
			return jpegScan{}, fault(Corrupt, "a JPEG's scan names component %d with tables %x", id, tables)
		}
		c.scanned = c.scanned || s.first == 0
		if last := tail[1]; tail[2]&0xf == 0 && s.first <= last && last < 64 {
			c.refined |= 1<<(last+1) - 1<<s.first
		}
		s.parts = append(s.parts, c)
	}
	return s, nil
}

func (f *jpegFrame) component(id byte) *jpegComponent {
	for i := range f.components {
		if f.components[i].id == id {
			return &f.components[i]
		}
	}
	return nil
}

// units returns the number of MCUs in a scan; for a single component these are blocks.
func (f *jpegFrame) units(s jpegScan) int {
	h, v := f.hMax, f.vMax
	if len(s.parts) == 1 {
		c := s.parts[0]
		return ceilDiv(ceilDiv(f.width*c.h, h), 8) * ceilDiv(ceilDiv(f.height*c.v, v), 8)
	}
	return ceilDiv(f.width, 8*h) * ceilDiv(f.height, 8*v)
}

// complete refuses a picture with a component that no scan contains.
func (f *jpegFrame) complete() error {
	if f.components == nil {
		return fault(Corrupt, "the JPEG has no frame header")
	}
	for _, c := range f.components {
		if !c.scanned {
			return fault(Truncated, "the JPEG has no picture data for component %d", c.id)
		}
	}
	return nil
}

// refined reports whether the scans had every coefficient of all components to its last bit.
func (f *jpegFrame) refined() bool {
	return !slices.ContainsFunc(f.components, func(c jpegComponent) bool { return c.refined != math.MaxUint64 })
}

// blocks returns the number of blocks of 8 × 8 coefficients in an MCU of s.
func (s jpegScan) blocks() int {
	if len(s.parts) == 1 {
		return 1
	}
	n := 0
	for _, c := range s.parts {
		n += c.h * c.v
	}
	return n
}

// fits refuses a scan whose data is too short for the picture that the header declares.
// Bytes is the length of the data and markers the number of restart markers in it.
//
// A Huffman code has one bit at least (T.81, annex C: there is none of length 0). In the
// scan that gives blocks their first (DC) value, each block has one code for it, and in
// sequential files one more for the rest of the block, be it only its end: 2 bits a block,
// 1 in progressive files, where the ends of up to 32,767 blocks share one code in scans of
// their own, which are not looked at. A picture of one flat colour needs exactly that, so
// no real picture is refused: 32 bytes for 64 × 128 grey pixels, where a photo has about a
// hundred times as much.
func (f *jpegFrame) fits(s jpegScan, bytes, markers int) error {
	if s.first > 0 || s.refines {
		return nil
	}
	units, bits := f.units(s), 2
	if f.progressive {
		bits = 1
	}
	if need := ceilDiv(units*s.blocks()*bits, 8); bytes < need {
		return fault(LyingHeader, "the header declares %d × %d pixels, which take %d bytes at least, and the JPEG has %d", f.width, f.height, need, bytes)
	}
	if f.restart > 0 && (markers+1)*f.restart < units {
		return fault(LyingHeader, "the header declares %d × %d pixels, and the JPEG has %d of %d restart intervals", f.width, f.height, markers+1, ceilDiv(units, f.restart))
	}
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
