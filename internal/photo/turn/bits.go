package turn

import "encoding/binary"

// A bitReader reads the data of a scan, in which a byte 0xFF is followed by 0.
type bitReader struct {
	data  []byte
	at    int
	next  uint64 // the next bits, from the highest on
	n     uint   // how many there are
	after uint   // how many of them are zeros after the data's end
}

// fill makes at least 56 bits available, with zeros after a marker or the end.
func (r *bitReader) fill() {
	if r.at+8 <= len(r.data) {
		if w := binary.BigEndian.Uint64(r.data[r.at:]); !hasFF(w) {
			r.next |= w >> r.n
			r.at += int(63-r.n) >> 3
			r.n |= 56
			return
		}
	}
	for ; r.n <= 56; r.n += 8 {
		if r.at >= len(r.data) || r.data[r.at] == 0xff && (r.at+1 >= len(r.data) || r.data[r.at+1] != 0) {
			r.after += 8
			continue
		}
		b := r.data[r.at]
		r.next |= uint64(b) << (56 - r.n)
		if r.at++; b == 0xff {
			r.at++
		}
	}
}

// hasFF reports whether a byte of w is 0xFF.
func hasFF(w uint64) bool {
	const ones = 0x0101010101010101
	return (^w-ones)&w&(ones<<7) != 0
}

func (r *bitReader) skip(n uint) {
	r.next <<= n
	r.n -= n
}

// overrun reports whether bits were read that are not there.
func (r *bitReader) overrun() bool { return r.after > r.n }

// marker skips the rest of a byte and a marker, which it returns; 0 if there is none.
func (r *bitReader) marker() byte {
	if r.n-r.after >= 8 || r.at+2 > len(r.data) || r.data[r.at] != 0xff {
		return 0
	}
	m := r.data[r.at+1]
	r.at += 2
	r.next, r.n, r.after = 0, 0, 0
	return m
}

// A bitString is bits in words, the highest first.
type bitString struct {
	words []uint64
	last  uint64 // an incomplete word
	n     uint   // of its bits
}

// put appends the lowest n bits of v, at most 32; the others are 0.
func (b *bitString) put(v uint64, n uint) {
	if b.n += n; b.n < 64 {
		b.last |= v << (64 - b.n)
		return
	}
	b.n -= 64
	b.words = append(b.words, b.last|v>>b.n)
	b.last = v << (64 - b.n) // 0 if b.n is
}

func (b *bitString) len() uint { return uint(len(b.words))*64 + b.n }

// from returns the n bits, at most 32, from place i on. The words must end after the next.
func (b *bitString) from(i, n uint) uint64 {
	w, shift := b.words[i>>6:][:2], i&63
	return (w[0]<<shift | w[1]>>(64-shift)) >> (64 - n)
}

// A bitWriter writes the data of a scan.
type bitWriter struct {
	out  []byte
	last uint64
	n    uint
}

// put appends the lowest n bits of v, at most 32; the others are 0.
func (w *bitWriter) put(v uint64, n uint) {
	if w.n += n; w.n < 64 {
		w.last |= v << (64 - w.n)
		return
	}
	w.n -= 64
	w.flush(w.last | v>>w.n)
	w.last = v << (64 - w.n) // 0 if w.n is
}

func (w *bitWriter) flush(word uint64) {
	if !hasFF(word) {
		w.out = binary.BigEndian.AppendUint64(w.out, word)
		return
	}
	for shift := 56; shift >= 0; shift -= 8 {
		w.byte(byte(word >> shift))
	}
}

func (w *bitWriter) byte(b byte) {
	if w.out = append(w.out, b); b == 0xff {
		w.out = append(w.out, 0)
	}
}

// end fills the last byte with ones.
func (w *bitWriter) end() {
	for ; w.n%8 > 0; w.n++ {
		w.last |= 1 << (63 - w.n)
	}
	for ; w.n > 0; w.n -= 8 {
		w.byte(byte(w.last >> 56))
		w.last <<= 8
	}
}
