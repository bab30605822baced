package turn

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"sync"
)

// quickBits is the length of codes that are found by one look-up.
const quickBits = 10

// A decodeTable decodes Huffman codes (T.81, annex C).
type decodeTable struct {
	quick  [1 << quickBits]uint16 // by the next bits: the code's length << 8 | its symbol; 0 if longer
	end    [17]uint32             // of each length, the code after the last
	first  [17]int32              // of each length, the index in symbols less the first code
	symbol []byte
}

// newDecodeTable reads a table of a DHT segment: the number of codes of each length, 1 to 16,
// and their symbols. n is the number of bytes that it has.
func newDecodeTable(body []byte) (t *decodeTable, n int, ok bool) {
	t = &decodeTable{}
	sum := 0
	for _, codes := range body[:16] {
		sum += int(codes)
	}
	if len(body) < 16+sum || sum > 256 {
		return nil, 0, false
	}
	t.symbol = body[16 : 16+sum]
	code, index := uint32(0), 0
	for length := 1; length <= 16; length++ {
		t.first[length] = int32(index) - int32(code)
		for range body[length-1] {
			if code >= 1<<length {
				return nil, 0, false
			}
			if length <= quickBits {
				from := code << (quickBits - length)
				for i := range uint32(1) << (quickBits - length) {
					t.quick[from+i] = uint16(length)<<8 | uint16(t.symbol[index])
				}
			}
			code, index = code+1, index+1
		}
		t.end[length] = code
		code <<= 1
	}
	return t, 16 + sum, true
}

// long returns what quick does for codes that are longer; 0 if the bits are no code.
func (t *decodeTable) long(bits uint64) uint16 {
	for length := quickBits + 1; length <= 16; length++ {
		code := uint32(bits >> (64 - length))
		if code < t.end[length] {
			return uint16(length)<<8 | uint16(t.symbol[int32(code)+t.first[length]])
		}
	}
	return 0
}

// A code is a Huffman code of a symbol; its length is 0 if there is none.
type code struct {
	bits   uint32
	length uint8
}

// encoding has the tables that nearly all encoders write (T.81, annex K.3): they have a code
// for each symbol, which those of a picture that was optimized may lack.
type encoding struct {
	segments []byte        // DHT
	dc, ac   [2]*[256]code // of brightness, of colours
}

// standard returns the tables of image/jpeg, which are those of annex K.3.
var standard = sync.OnceValue(func() *encoding {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, 8, 8), image.YCbCrSubsampleRatio420), nil); err != nil {
		panic(err) // to memory
	}
	e := &encoding{}
	for data := b.Bytes()[2:]; data[1] != sos; {
		segment := data[:2+binary.BigEndian.Uint16(data[2:])]
		data = data[len(segment):]
		if segment[1] == dht {
			e.segments = append(e.segments, segment...)
			e.add(segment[4:])
		}
	}
	return e
})

func (e *encoding) add(body []byte) {
	for len(body) > 0 {
		to, counts, symbols := new([256]code), body[1:17], body[17:]
		bits := uint32(0)
		for i, n := range counts {
			for range n {
				to[symbols[0]] = code{bits, uint8(i + 1)}
				bits, symbols = bits+1, symbols[1:]
			}
			bits <<= 1
		}
		if body[0]>>4 == 0 {
			e.dc[body[0]&1] = to
		} else {
			e.ac[body[0]&1] = to
		}
		body = symbols
	}
}
