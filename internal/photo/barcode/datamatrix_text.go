package barcode

// A dmReader reads a Data Matrix symbol's code words (ISO/IEC 16022, section
// 5.2).
type dmReader struct {
	words []uint8
	at    int
	raw   []uint8
	gs1   bool
	upper bool // the next character is of the upper half
}

// The code words of ASCII encodation that are no characters (table 2).
const (
	wordPad     = 129
	wordC40     = 230
	wordBase256 = 231
	wordFNC1    = 232
	wordUpper   = 235
	wordX12     = 238
	wordText    = 239
	wordEDIFACT = 240
	wordECI     = 241
	unlatch     = 254
)

// dmText reads the data code words. What GS1 does not use, such as macros and
// messages in several symbols, is refused.
func dmText(words []uint8) (message, bool) {
	d := &dmReader{words: words}
	for d.left() > 0 {
		word := d.next()
		if word == wordPad {
			break
		}
		if !d.ascii(word) {
			return message{}, false
		}
	}
	return message{written(d.raw), d.gs1}, true
}

func (d *dmReader) left() int { return len(d.words) - d.at }

func (d *dmReader) next() int {
	d.at++
	return int(d.words[d.at-1])
}

func (d *dmReader) add(v int) {
	if d.upper {
		v, d.upper = v+128, false
	}
	d.raw = append(d.raw, uint8(v))
}

// fnc1 is GS1's mark where it stands first, and a separator elsewhere; either is
// told as a separator.
func (d *dmReader) fnc1() {
	d.gs1 = d.gs1 || len(d.raw) == 0
	d.raw = append(d.raw, '\x1d')
}

// ascii reads a code word of ASCII encodation, and what follows one that
// changes to another.
func (d *dmReader) ascii(word int) bool {
	switch {
	case word == 0:
		return false
	case word <= 128:
		d.add(word - 1)
		return true
	case word < wordC40:
		d.raw = append(d.raw, uint8('0'+(word-130)/10), uint8('0'+(word-130)%10))
		return true
	}
	switch word {
	case wordC40:
		return d.threes(&c40)
	case wordText:
		return d.threes(&lower)
	case wordX12:
		return d.x12()
	case wordEDIFACT:
		d.edifact()
	case wordBase256:
		return d.base256()
	case wordFNC1:
		d.fnc1()
	case wordUpper:
		d.upper = true
	case wordECI:
		return d.eci()
	default: // an unlatch too many at the end is some printers' habit
		return word == unlatch && d.left() == 0
	}
	return true
}

// eci passes over the number of a character set (table 6).
func (d *dmReader) eci() bool {
	more := 0
	if d.left() > 0 {
		switch first := d.next(); {
		case first > 191:
			more = 2
		case first > 127:
			more = 1
		}
	}
	d.at = min(d.at+more, len(d.words))
	return true
}

// A set is C40's or Text's characters: without a shift, and after the third
// (tables C.1 and C.2).
type set struct{ basic, third string }

const digitsOf40 = " 0123456789"

var (
	c40   = set{digitsOf40 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "`abcdefghijklmnopqrstuvwxyz{|}~\x7f"}
	lower = set{digitsOf40 + "abcdefghijklmnopqrstuvwxyz", "`ABCDEFGHIJKLMNOPQRSTUVWXYZ{|}~\x7f"}
)

// second are the characters after the second shift, in both sets.
const second = "!\"#$%&'()*+,-./:;<=>?@[\\]^_"

// three returns the next three values of 40 in two code words; ok is false
// where the encodation ends, by an unlatch or because fewer are left.
func (d *dmReader) three() (v [3]int, ok bool) {
	if d.left() < 2 {
		return v, false
	}
	first := d.next()
	if first == unlatch {
		return v, false
	}
	pair := first<<8 + d.next() - 1
	return [3]int{pair / 1600, pair / 40 % 40, pair % 40}, true
}

// threes reads C40 or Text.
func (d *dmReader) threes(s *set) bool {
	shift := 0
	for {
		three, ok := d.three()
		if !ok {
			return true
		}
		for _, v := range three {
			if shift == 0 && v >= 0 && v < 3 {
				shift = v + 1
				continue
			}
			if !d.character(s, shift, v) {
				return false
			}
			shift = 0
		}
	}
}

func (d *dmReader) character(s *set, shift, v int) bool {
	switch shift {
	case 0:
		return d.of(s.basic, v-3)
	case 1:
		if v < 32 {
			d.add(v)
		}
		return v < 32
	case 2:
		switch v {
		case 27:
			d.fnc1()
			return true
		case 30:
			d.upper = true
			return true
		}
		return d.of(second, v)
	}
	return d.of(s.third, v)
}

// of adds the character v of a set.
func (d *dmReader) of(characters string, v int) bool {
	if v < 0 || v >= len(characters) {
		return false
	}
	d.add(int(characters[v]))
	return true
}

// x12 reads ANSI X12 (section 5.2.7).
func (d *dmReader) x12() bool {
	for {
		three, ok := d.three()
		if !ok {
			return true
		}
		for _, v := range three {
			if !d.of("\r*> 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", v) {
				return false
			}
		}
	}
}

// edifact reads characters of 6 bits, four in three code words, up to an unlatch
// or until fewer than three are left (section 5.2.8).
func (d *dmReader) edifact() {
	for d.left() > 2 {
		b := &stream{from: d.words[d.at : d.at+3]}
		for range 4 {
			v, _ := b.take(6)
			if v == 0x1f {
				d.at += (b.at + 7) / 8
				return
			}
			if v&0x20 == 0 {
				v |= 0x40
			}
			d.add(v)
		}
		d.at += 3
	}
}

// base256 reads bytes, whose code words a sequence of random numbers is added
// to (section 5.2.9 and annex B).
func (d *dmReader) base256() bool {
	if d.left() == 0 {
		return false
	}
	n := d.plain()
	switch {
	case n == 0:
		n = d.left()
	case n > 249:
		if d.left() == 0 {
			return false
		}
		n = 250*(n-249) + d.plain()
	}
	if n > d.left() {
		return false
	}
	for range n {
		d.raw = append(d.raw, uint8(d.plain()))
	}
	return true
}

func (d *dmReader) plain() int {
	v := d.next()
	return (v - (149*d.at%255 + 1) + 256) % 256
}
