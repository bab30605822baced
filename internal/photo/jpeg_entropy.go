package photo

import "encoding/binary"

// peekBits is how far one look into a table sees: mostly two or three codes.
const peekBits = 11

// A huffmanTable tells, for the bits that come next, how many of them make up
// codes and the extra bits behind each, and how far these codes move on among
// the 64 coefficients of a block. That is all it takes to count blocks; the
// values themselves are never computed.
type huffmanTable struct {
	single [1 << peekBits]huffmanStep // the next code
	quick  [1 << peekBits]huffmanStep // as many codes as are seen whole
	steps  [256]huffmanStep           // in the order of the codes
	end    [17]uint32                 // the first code after those of each length, aligned to 16 bits
	index  [17]int                    // what to add to a code of each length for its place in steps
}

// blockEnd is the bit of a step that ends the block; the bits below it count
// the coefficients before that.
const blockEnd = 128

// A huffmanStep is one code or several. No bits means none.
type huffmanStep struct{ bits, advance uint8 }

// newHuffmanTable assigns the codes (ITU-T T.81, annex C). It reports false if
// the counts ask for more codes than there are.
func newHuffmanTable(counts, values []byte) (*huffmanTable, bool) {
	t := &huffmanTable{}
	code, n := 0, 0
	for i, count := range counts {
		length := i + 1
		if code+int(count) > 1<<length {
			return nil, false
		}
		t.index[length] = n - code
		for range count {
			t.steps[n] = newHuffmanStep(length, values[n])
			t.see(code, length, t.steps[n])
			n++
			code++
		}
		t.end[length] = uint32(code) << (16 - length)
		code <<= 1
	}
	for i := range t.quick {
		t.quick[i] = t.several(uint32(i))
	}
	return t, true
}

// see enters a code, if it is short enough, at all bits that begin with it.
func (t *huffmanTable) see(code, length int, step huffmanStep) {
	if length > peekBits {
		return
	}
	free := peekBits - length
	for i := code << free; i < (code+1)<<free; i++ {
		t.single[i] = step
	}
}

// several joins the codes that begin with the peekBits bits of next, as long
// as they and their extra bits are among these and the block goes on.
func (t *huffmanTable) several(next uint32) huffmanStep {
	all := t.single[next]
	for all.bits > 0 && all.advance < blockEnd {
		s := t.single[next<<all.bits&(1<<peekBits-1)]
		if s.bits == 0 || all.bits+s.bits > peekBits || all.advance+s.advance&(blockEnd-1) >= 64 {
			break
		}
		all.bits += s.bits
		all.advance += s.advance
	}
	return all
}

// newHuffmanStep reads an AC symbol: the high four bits count zeros before a
// coefficient, the low four its extra bits. A DC symbol has the low ones only.
func newHuffmanStep(length int, symbol byte) huffmanStep {
	run, extra := symbol>>4, symbol&0xf
	s := huffmanStep{bits: uint8(length) + extra, advance: run + 1}
	if extra == 0 && run != 15 {
		s.advance = blockEnd
	}
	return s
}

// slow finds a code longer than peekBits at the start of 16 bits.
func (t *huffmanTable) slow(next uint32) huffmanStep {
	for length := peekBits + 1; length <= 16; length++ {
		if next < t.end[length] {
			return t.steps[int(next>>(16-length))+t.index[length]]
		}
	}
	return huffmanStep{}
}

// A bitReader reads one restart interval of entropy-coded data.
type bitReader struct {
	data []byte
	acc  uint64 // the next bits, from the top
	n    int    // how many of them there are
}

// fill takes in whole bytes, so that at least 32 bits are there unless the data
// end; the zero after a 0xFF is stuffing.
func (r *bitReader) fill() {
	if len(r.data) >= 4 && r.n <= 32 {
		if v := binary.BigEndian.Uint32(r.data); (^v-0x01010101)&v&0x80808080 == 0 { // none of the four is 0xFF
			r.acc |= uint64(v) << (32 - r.n)
			r.n += 32
			r.data = r.data[4:]
			return
		}
	}
	for r.n <= 56 && len(r.data) > 0 {
		b := r.data[0]
		r.acc |= uint64(b) << (56 - r.n)
		r.n += 8
		r.data = r.data[1:]
		if b == 0xff && len(r.data) > 0 {
			r.data = r.data[1:]
		}
	}
}

// ended reports that nothing is left but the ones that fill the last byte.
func (r *bitReader) ended() bool {
	if r.n < 8 {
		r.fill()
	}
	return r.n < 8 && r.acc == ^(^uint64(0)>>r.n)
}

// block passes one block: its DC coefficient and, if there is a table for
// them, the others. It reports false where the data end first or no code
// matches.
func (r *bitReader) block(dc, ac *huffmanTable) bool {
	if _, ok := r.step(dc); !ok || ac == nil {
		return ok
	}
	for k := 1; k < 64; {
		if r.n < 32 {
			r.fill()
		}
		s := ac.quick[r.acc>>(64-peekBits)]
		if s.bits == 0 || int(s.bits) > r.n || k+int(s.advance&(blockEnd-1)) >= 64 {
			advance, ok := r.step(ac)
			if !ok {
				return false
			}
			k += advance
			continue
		}
		r.acc <<= s.bits
		r.n -= int(s.bits)
		k += int(s.advance)
	}
	return true
}

// step passes one code with its extra bits.
func (r *bitReader) step(t *huffmanTable) (advance int, ok bool) {
	if r.n < 32 {
		r.fill()
	}
	s := t.single[r.acc>>(64-peekBits)]
	if s.bits == 0 {
		s = t.slow(uint32(r.acc >> 48))
	}
	if s.bits == 0 || int(s.bits) > r.n {
		return 0, false
	}
	r.acc <<= s.bits
	r.n -= int(s.bits)
	return int(s.advance), true
}
