package turn

import "encoding/binary"

// JPEG markers, the byte after 0xFF (T.81, table B.1).
const (
	sof0 = 0xc0 // baseline
	sof1 = 0xc1 // extended sequential
	dht  = 0xc4
	soi  = 0xd8
	eoi  = 0xd9
	sos  = 0xda
	dqt  = 0xdb
	dri  = 0xdd
	app0 = 0xe0
	appF = 0xef
	com  = 0xfe
)

// A picture is what the headers of a JPEG say.
type picture struct {
	data []byte
	move move

	kept          []byte // segments as they will be written, up to the frame header
	width, height int
	parts         []part
	quantized     [4]bool            // which quantization tables there are
	restart       int                // MCUs between restart markers, 0 for none
	tables        [2][4]*decodeTable // of DC and AC
	scan          int                // where the data of the scan begins

	mcuWidth, mcuHeight int // in pixels
	across, down        int // MCUs
	keptAcross          int // of them, those that are written
	keptDown            int
}

// A part is a component: brightness or colour.
type part struct {
	id, quantization byte
	h, v             int // blocks in an MCU
	dc, ac           int // its tables
}

// headers reads up to the data of the first scan, and reports whether it can be turned.
func (p *picture) headers() bool {
	if len(p.data) < 4 || p.data[0] != 0xff || p.data[1] != soi {
		return false
	}
	for at := 2; at+4 <= len(p.data); {
		if p.data[at] != 0xff {
			return false
		}
		marker, n := p.data[at+1], int(binary.BigEndian.Uint16(p.data[at+2:]))
		if n < 2 || at+2+n > len(p.data) {
			return false
		}
		segment := p.data[at : at+2+n]
		at += len(segment)
		if marker == sos {
			p.scan = at
			return p.scanHeader(segment[4:])
		}
		if !p.segment(marker, segment) {
			return false
		}
	}
	return false
}

// segment reads a segment before the scan.
func (p *picture) segment(marker byte, segment []byte) bool {
	body := segment[4:]
	switch {
	case marker >= app0 && marker <= appF, marker == com:
		p.kept = append(p.kept, segment...)
		return true
	case marker == dqt:
		return p.quantization(segment)
	case marker == sof0 || marker == sof1:
		return p.frame(body)
	case marker == dht:
		return p.huffman(body)
	case marker == dri && len(body) == 2:
		p.restart = int(binary.BigEndian.Uint16(body))
		return true
	}
	return false
}

// quantization keeps the tables of a DQT segment, with the places of the frequencies moved.
func (p *picture) quantization(segment []byte) bool {
	from := len(p.kept)
	p.kept = append(p.kept, segment...)
	in, out := segment[4:], p.kept[from+4:]
	for len(in) > 0 {
		bytes := 1 + int(in[0]>>4) // of each value
		if bytes > 2 || in[0]&15 > 3 || len(in) < 1+64*bytes {
			return false
		}
		p.quantized[in[0]&15] = true
		for k, to := range p.move.to {
			copy(out[1+int(to)*bytes:][:bytes], in[1+k*bytes:])
		}
		in, out = in[1+64*bytes:], out[1+64*bytes:]
	}
	return true
}

func (p *picture) frame(body []byte) bool {
	if p.parts != nil || len(body) < 6 || body[0] != 8 {
		return false
	}
	n := int(body[5])
	p.height, p.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	if n != 1 && n != 3 || len(body) != 6+3*n || p.height == 0 || p.width == 0 {
		return false
	}
	for c := body[6:]; len(c) > 0; c = c[3:] {
		one := part{id: c[0], h: int(c[1] >> 4), v: int(c[1] & 15), quantization: c[2]}
		if n == 1 {
			one.h, one.v = 1, 1 // an MCU of a single component is one block
		}
		if !sampled(one.h) || !sampled(one.v) || one.quantization > 3 {
			return false
		}
		p.parts = append(p.parts, one)
		p.mcuWidth, p.mcuHeight = max(p.mcuWidth, 8*one.h), max(p.mcuHeight, 8*one.v)
	}
	return true
}

// sampled reports whether n is a number of blocks that decoders know.
func sampled(n int) bool { return n == 1 || n == 2 || n == 4 }

func (p *picture) huffman(body []byte) bool {
	for len(body) > 0 {
		if len(body) < 17 || body[0]>>4 > 1 || body[0]&15 > 3 {
			return false
		}
		table, n, ok := newDecodeTable(body[1:])
		if !ok {
			return false
		}
		p.tables[body[0]>>4][body[0]&15] = table
		body = body[1+n:]
	}
	return true
}

// scanHeader accepts a scan of all components and all frequencies.
func (p *picture) scanHeader(body []byte) bool {
	n := len(p.parts)
	if n == 0 || len(body) != 4+2*n || int(body[0]) != n || body[1+2*n] != 0 || body[2+2*n] != 63 || body[3+2*n] != 0 {
		return false
	}
	for i := range p.parts {
		c := &p.parts[i]
		tables := body[2+2*i]
		c.dc, c.ac = int(tables>>4), int(tables&15)
		if body[1+2*i] != c.id || c.dc > 3 || c.ac > 3 || p.tables[0][c.dc] == nil || p.tables[1][c.ac] == nil || !p.quantized[c.quantization] {
			return false
		}
	}
	return true
}

// trim computes how many MCUs are read and written: mirrored sides lose incomplete ones.
func (p *picture) trim() bool {
	p.across, p.down = (p.width+p.mcuWidth-1)/p.mcuWidth, (p.height+p.mcuHeight-1)/p.mcuHeight
	p.keptAcross, p.keptDown = p.across, p.down
	if rest := p.width % p.mcuWidth; p.move.mirrorX && rest > 0 {
		if 100*rest > p.width {
			return false
		}
		p.width, p.keptAcross = p.width-rest, p.across-1
	}
	if rest := p.height % p.mcuHeight; p.move.mirrorY && rest > 0 {
		if 100*rest > p.height {
			return false
		}
		p.height, p.keptDown = p.height-rest, p.down-1
	}
	return true
}
