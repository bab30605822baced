package turn

import (
	"encoding/binary"
	"math/bits"
)

// blocks are the blocks of a picture in the order that they are read, as they will be
// written but for the code of DC, which depends on the block before.
type blocks struct {
	*picture
	encoding *encoding
	perMCU   int

	levels []int16  // DC
	at     []uint32 // where in ac a block's codes begin; one more entry than blocks
	ac     bitString

	block [64]coefficient // of the block that is read, by its new place; those of set are valid
	set   uint64
}

// A coefficient is a frequency's value as in the file, where the bits of a negative one are
// inverted, and in its last four bits their number.
type coefficient uint32

// newBlocks returns nil if the data is too short for the blocks: each takes 2 bits at least.
func newBlocks(p *picture) *blocks {
	b := &blocks{picture: p, encoding: standard()}
	for _, c := range p.parts {
		b.perMCU += c.h * c.v
	}
	n := p.across * p.down * b.perMCU
	if n/4 > len(p.data)-p.scan {
		return nil
	}
	b.levels, b.at = make([]int16, 0, n), make([]uint32, 0, n+1)
	b.ac.words = make([]uint64, 0, most(len(p.data))/8+2)
	return b
}

// read reads the scan, and reports whether it is intact and its codes fit into most bytes.
func (b *blocks) read() bool {
	r := &bitReader{data: b.data, at: b.scan}
	var dc [3]int32
	left := b.restart
	for range b.down {
		for range b.across {
			if b.restart > 0 {
				if left == 0 {
					if m := r.marker(); m < 0xd0 || m > 0xd7 {
						return false
					}
					dc, left = [3]int32{}, b.restart
				}
				left--
			}
			for i := range b.parts {
				c := &b.parts[i]
				for range c.h * c.v {
					if !b.readBlock(r, b.tables[0][c.dc], b.tables[1][c.ac], &dc[i], min(i, 1)) {
						return false
					}
				}
			}
		}
		if r.overrun() || b.ac.len() > 8*uint(most(len(b.data))) {
			return false
		}
	}
	b.at = append(b.at, uint32(b.ac.len()))
	b.ac.words = append(b.ac.words, b.ac.last, 0)
	return true
}

// readBlock reads a block; tables are those that its codes are written with.
func (b *blocks) readBlock(r *bitReader, dc, ac *decodeTable, last *int32, tables int) bool {
	r.fill()
	found := dc.quick[r.next>>(64-quickBits)]
	if found == 0 {
		found = dc.long(r.next)
	}
	size := uint(found & 0xff)
	if found == 0 || size > 11 {
		return false
	}
	r.skip(uint(found >> 8))
	if size > 0 {
		v := int32(r.next >> (64 - size))
		r.skip(size)
		if v>>(size-1) == 0 {
			v -= 1<<size - 1
		}
		*last += v
	}
	if *last < -1024 || *last > 1023 { // else the difference of two may have no code
		return false
	}
	b.levels, b.at = append(b.levels, int16(*last)), append(b.at, uint32(b.ac.len()))
	if !b.readAC(r, ac) {
		return false
	}
	b.writeAC(b.encoding.ac[tables])
	return true
}

// readAC reads the frequencies of a block into their new places. The reader's state is held
// in variables: most of the time is spent here.
func (b *blocks) readAC(r *bitReader, t *decodeTable) bool {
	next, n, set := r.next, r.n, uint64(0)
	for k := uint(1); k < 64; k++ {
		if n < 32 {
			r.next, r.n = next, n
			r.fill()
			next, n = r.next, r.n
		}
		found := t.quick[next>>(64-quickBits)]
		if found == 0 {
			if found = t.long(next); found == 0 {
				return false
			}
		}
		length, zeros, size := uint(found>>8), uint(found>>4)&15, uint(found&15)
		next, n = next<<(length&63), n-length
		if size == 0 {
			if zeros == 15 {
				k += 15
				continue
			}
			if zeros > 0 {
				return false
			}
			break // the others are zero
		}
		if k += zeros; k > 63 || size > 10 {
			return false
		}
		to := b.move.to[k] & 63
		b.block[to] = coefficient((next^b.move.negates[k])>>(64-size)<<4 | uint64(size))
		set |= 1 << to
		next, n = next<<size, n-size
	}
	r.next, r.n, b.set = next, n, set
	return true
}

// writeAC appends the codes of the block to ac.
func (b *blocks) writeAC(codes *[256]code) {
	before, ac := 0, &b.ac
	for set := b.set; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set) & 63
		zeros := k - before - 1
		for ; zeros > 15; zeros -= 16 {
			c := codes[0xf0]
			ac.put(uint64(c.bits), uint(c.length))
		}
		v := b.block[k]
		size := uint(v & 15)
		c := codes[(zeros<<4|int(size))&0xff]
		ac.put(uint64(c.bits)<<size|uint64(v>>4), uint(c.length)+size)
		before = k
	}
	if before < 63 {
		c := codes[0]
		ac.put(uint64(c.bits), uint(c.length))
	}
}

// write returns the turned JPEG.
func (b *blocks) write() ([]byte, error) {
	size := len(b.ac.words)*8 + len(b.levels) + len(b.kept) + len(b.encoding.segments) // DC takes a byte at most, as a rule
	w := &bitWriter{out: append(make([]byte, 0, size+size/100+100), 0xff, soi)}
	w.out = append(append(w.out, b.kept...), b.frameHeader()...)
	w.out = append(append(w.out, b.encoding.segments...), b.scanHeaderOut()...)
	across, down := b.keptAcross, b.keptDown
	if b.move.transpose {
		across, down = down, across
	}
	var dc [3]int32
	for y := range down {
		for x := range across {
			for i, offset := 0, 0; i < len(b.parts); i++ {
				c := &b.parts[i]
				h, v := c.sides(b.move.transpose)
				for by := range v {
					for bx := range h {
						b.writeBlock(w, offset+b.source(c, x*h+bx, y*v+by), &dc[i], min(i, 1))
					}
				}
				offset += c.h * c.v
			}
		}
	}
	w.end()
	if len(w.out) > most(len(b.data))-2 {
		return nil, ErrUnsupported
	}
	return append(w.out, 0xff, eoi), nil
}

// sides returns the blocks of c across and down an MCU as it is written.
func (c *part) sides(transpose bool) (h, v int) {
	if transpose {
		return c.v, c.h
	}
	return c.h, c.v
}

// source returns the index, without that of c in the MCU, of the block of c that comes to
// column x and row y.
func (b *blocks) source(c *part, x, y int) int {
	if b.move.transpose {
		x, y = y, x
	}
	if b.move.mirrorX {
		x = b.keptAcross*c.h - 1 - x
	}
	if b.move.mirrorY {
		y = b.keptDown*c.v - 1 - y
	}
	return (y/c.v*b.across+x/c.h)*b.perMCU + y%c.v*c.h + x%c.h
}

func (b *blocks) writeBlock(w *bitWriter, i int, last *int32, tables int) {
	v := int32(b.levels[i]) - *last
	*last = int32(b.levels[i])
	size := uint(bits.Len32(uint32(max(v, -v))))
	if v < 0 {
		v += 1<<size - 1
	}
	c := b.encoding.dc[tables][size]
	w.put(uint64(c.bits)<<size|uint64(v), uint(c.length)+size)
	from, to := uint(b.at[i]), uint(b.at[i+1])
	for ; to-from > 32; from += 32 {
		w.put(b.ac.from(from, 32), 32)
	}
	w.put(b.ac.from(from, to-from), to-from)
}

// frameHeader returns the header of the turned picture.
func (b *blocks) frameHeader() []byte {
	width, height := b.width, b.height
	if b.move.transpose {
		width, height = height, width
	}
	out := segment(sof0, 6+3*len(b.parts))
	out = append(out, 8)
	out = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(out, uint16(height)), uint16(width))
	out = append(out, byte(len(b.parts)))
	for _, c := range b.parts {
		h, v := c.sides(b.move.transpose)
		out = append(out, c.id, byte(h<<4|v), c.quantization)
	}
	return out
}

func (b *blocks) scanHeaderOut() []byte {
	out := append(segment(sos, 4+2*len(b.parts)), byte(len(b.parts)))
	for i, c := range b.parts {
		out = append(out, c.id, byte(min(i, 1)*0x11))
	}
	return append(out, 0, 63, 0)
}

// segment returns the beginning of a segment with a body of n bytes.
func segment(marker byte, n int) []byte {
	return binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(n+2))
}
