package photo

import (
	"encoding/binary"
	"math"
)

// More scans or tables than any encoder writes are there to take time: each
// scan goes over the whole picture again.
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

	dc, ac        [4]*huffmanTable // nil where not defined, as in Motion JPEG
	scans, tables int              // how many there were
}

type jpegComponent struct {
	id      byte
	h, v    int
	scanned bool // a scan with its DC coefficients was seen
}

// A jpegScan is one scan header: which components, which coefficients.
type jpegScan struct {
	parts   []jpegScanPart
	first   byte // spectral selection's start: 0 for a scan with DC
	refines bool // more bits of what an earlier scan gave
}

type jpegScanPart struct {
	component *jpegComponent
	dc, ac    int // Huffman tables
}

// header takes in a frame header of baseline, extended or progressive JPEG.
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

// huffman takes in the tables of a DHT segment.
func (f *jpegFrame) huffman(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 {
			return fault(Corrupt, "a JPEG's Huffman table is cut short")
		}
		if f.tables++; f.tables > maxTables {
			return fault(Corrupt, "the JPEG has more than %d Huffman tables", maxTables)
		}
		class, id, counts := body[0]>>4, body[0]&0xf, body[1:17]
		n := 0
		for _, c := range counts {
			n += int(c)
		}
		if class > 1 || id > 3 || n > 256 || n > len(body)-17 {
			return fault(Corrupt, "a JPEG's Huffman table %x has %d codes in %d bytes", body[0], n, len(body))
		}
		t, ok := newHuffmanTable(counts, body[17:17+n])
		if !ok {
			return fault(Corrupt, "a JPEG's Huffman table %x has more codes than bits allow", body[0])
		}
		if class == 0 {
			f.dc[id] = t
		} else {
			f.ac[id] = t
		}
		body = body[17+n:]
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
		s.parts = append(s.parts, jpegScanPart{component: c, dc: int(tables >> 4), ac: int(tables & 0xf)})
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

// units counts the MCUs of a scan: blocks, where one component stands alone.
func (f *jpegFrame) units(s jpegScan) int {
	h, v := f.hMax, f.vMax
	if len(s.parts) == 1 {
		c := s.parts[0].component
		return ceilDiv(ceilDiv(f.width*c.h, h), 8) * ceilDiv(ceilDiv(f.height*c.v, v), 8)
	}
	return ceilDiv(f.width, 8*h) * ceilDiv(f.height, 8*v)
}

// complete refuses a picture of which a component was never scanned.
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

// bytesPerPixel is what image/jpeg allocates: samples and, for progressive
// files, 4 bytes for each coefficient. CMYK is decoded into RGBA's size.
func (f *jpegFrame) bytesPerPixel() int64 {
	samples := 0
	for _, c := range f.components {
		samples += c.h * c.v
	}
	perPixel := float64(samples) / float64(f.hMax*f.vMax)
	if f.progressive {
		perPixel *= 5
	}
	if len(f.components) == 4 {
		perPixel += 4
	}
	return int64(math.Ceil(perPixel))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
