package barcode

import "unicode/utf8"

// A message is what a matrix symbol says.
type message struct {
	text string
	gs1  bool // FNC1 stands first, which makes it GS1's
}

// A stream reads code words from the highest bit of the first on.
type stream struct {
	from []uint8
	at   int
}

func (b *stream) left() int { return len(b.from)*8 - b.at }

// take returns the next n bits, 16 at most; ok is false when so many are not left.
func (b *stream) take(n int) (v int, ok bool) {
	if n > b.left() {
		return 0, false
	}
	for range n {
		v = v<<1 | int(b.from[b.at/8]>>(7-b.at%8)&1)
		b.at++
	}
	return v, true
}

// written returns bytes as text: UTF-8 where they are that, else Latin-1.
func written(raw []uint8) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	runes := make([]rune, len(raw))
	for i, v := range raw {
		runes[i] = rune(v)
	}
	return string(runes)
}
