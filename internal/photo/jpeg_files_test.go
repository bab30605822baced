package photo

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// segment returns a JPEG segment.
func segment(marker byte, body string) []byte {
	return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
}

// withSegments inserts segments after a JPEG's SOI.
func withSegments(data []byte, segments ...[]byte) []byte {
	return bytes.Join([][]byte{data[:2], bytes.Join(segments, nil), data[2:]}, nil)
}

func jpegWithExif(data []byte, exif []byte) []byte {
	return withSegments(data, segment(0xe1, "Exif\x00\x00"+string(exif)))
}

// withJPEGSize changes the size in a JPEG's frame header.
func withJPEGSize(data []byte, width, height uint16) []byte {
	out := bytes.Clone(data)
	at := bytes.Index(out, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(out[at+5:], height)
	binary.BigEndian.PutUint16(out[at+7:], width)
	return out
}

// A flatJPEG is a grey JPEG whose Huffman tables only have the code 0, so that a block
// takes two bits, in progressive files one.
type flatJPEG struct {
	width, height, components int
	progressive               bool
	restart                   int // MCUs between restart markers
	blocks                    int // written; by default as many as there should be
}

func (f flatJPEG) file() []byte {
	n := f.components
	b := append([]byte{0xff, 0xd8}, segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x00")...)
	b = append(b, segment(0xdb, "\x00"+strings.Repeat("\x01", 64))...)
	for _, class := range []string{"\x00", "\x10"} {
		b = append(b, segment(0xc4, class+"\x01"+strings.Repeat("\x00", 15)+"\x00")...)
	}
	sof, frame, scan := byte(0xc0), "\x08"+u16(f.height)+u16(f.width)+string(byte(n)), string(byte(n))
	for i := range n {
		frame += string([]byte{byte(i + 1), 0x11, 0})
		scan += string([]byte{byte(i + 1), 0})
	}
	last := "\x3f"
	if f.progressive {
		sof, last = 0xc2, "\x00"
	}
	b = append(b, segment(sof, frame)...)
	if f.restart > 0 {
		b = append(b, segment(0xdd, u16(f.restart))...)
	}
	b = append(b, segment(0xda, scan+"\x00"+last+"\x00")...)
	b = append(b, f.scan()...)
	return append(b, 0xff, 0xd9)
}

// scan returns the entropy-coded data: zeros, padded with ones.
func (f flatJPEG) scan() (out []byte) {
	left := ceilDiv(f.width, 8) * ceilDiv(f.height, 8)
	if f.blocks > 0 {
		left = f.blocks
	}
	per := left
	if f.restart > 0 {
		per = f.restart
	}
	for i := 0; left > 0; i++ {
		bits := min(left, per) * f.components
		if !f.progressive {
			bits *= 2
		}
		out = append(out, make([]byte, bits/8)...)
		if bits%8 > 0 {
			out = append(out, 0xff>>(bits%8))
		}
		if left -= per; left > 0 {
			out = append(out, 0xff, 0xd0+byte(i%8))
		}
	}
	return out
}
