package barcode

// Modes of a QR Code's segments (ISO/IEC 18004, table 2).
const (
	modeEnd          = 0
	modeNumeric      = 1
	modeAlphanumeric = 2
	modeByte         = 4
	modeGS1          = 5
	modeECI          = 7
)

// lengths are how many bits the count of characters has, by mode, for versions
// up to 9, up to 26 and above (table 3).
var lengths = map[int][3]int{modeNumeric: {10, 12, 14}, modeAlphanumeric: {9, 11, 13}, modeByte: {8, 16, 16}}

// alphanumeric are the characters of that mode (table 5).
const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"

// qrText reads a QR Code's data. What GS1 does not use, such as Kanji and
// messages in several symbols, is refused.
func qrText(data []uint8, version int) (m message, ok bool) {
	b := &stream{from: data}
	var raw []uint8
	for b.left() >= 4 {
		mode, _ := b.take(4)
		switch mode {
		case modeEnd:
			return message{written(raw), m.gs1}, true
		case modeGS1:
			if raw != nil {
				return message{}, false
			}
			m.gs1 = true
		case modeECI:
			if !b.skipECI() {
				return message{}, false
			}
		default:
			if raw, ok = b.segment(mode, version, m.gs1, raw); !ok {
				return message{}, false
			}
		}
	}
	return message{written(raw), m.gs1}, true
}

// skipECI passes over the number of a character set: one byte, or as many more
// as it begins with ones.
func (b *stream) skipECI() bool {
	first, ok := b.take(8)
	switch {
	case first&0x80 == 0:
		return ok
	case first&0x40 == 0:
		_, ok = b.take(8)
		return ok
	case first&0x20 == 0:
		_, ok = b.take(16)
		return ok
	}
	return false
}

func (b *stream) segment(mode, version int, gs1 bool, raw []uint8) ([]uint8, bool) {
	class := 0
	if version > 26 {
		class = 2
	} else if version > 9 {
		class = 1
	}
	n, ok := b.take(lengths[mode][class])
	if !ok || lengths[mode][class] == 0 {
		return nil, false
	}
	switch mode {
	case modeNumeric:
		return b.digits(n, raw)
	case modeAlphanumeric:
		from := len(raw)
		raw, ok = b.characters(n, raw)
		if ok && gs1 {
			raw = separated(raw, from)
		}
		return raw, ok
	}
	for range n {
		v, ok := b.take(8)
		if !ok {
			return nil, false
		}
		raw = append(raw, uint8(v))
	}
	return raw, true
}

// digits come in threes of 10 bits, the last two in 7 and a single one in 4.
func (b *stream) digits(n int, raw []uint8) ([]uint8, bool) {
	for ; n > 0; n -= 3 {
		size, limit := 10, 1000
		switch n {
		case 2:
			size, limit = 7, 100
		case 1:
			size, limit = 4, 10
		}
		v, ok := b.take(size)
		if !ok || v >= limit {
			return nil, false
		}
		for limit /= 10; limit > 0; limit /= 10 {
			raw = append(raw, uint8('0'+v/limit%10))
		}
	}
	return raw, true
}

// characters come in twos of 11 bits, and a single one in 6.
func (b *stream) characters(n int, raw []uint8) ([]uint8, bool) {
	const many = len(alphanumeric)
	for ; n > 1; n -= 2 {
		v, ok := b.take(11)
		if !ok || v >= many*many {
			return nil, false
		}
		raw = append(raw, alphanumeric[v/many], alphanumeric[v%many])
	}
	if n == 1 {
		v, ok := b.take(6)
		if !ok || v >= many {
			return nil, false
		}
		raw = append(raw, alphanumeric[v])
	}
	return raw, true
}

// separated makes GS1's separator of each percent sign from from on, and one
// percent sign of two (section 7.4.8.3).
func separated(raw []uint8, from int) []uint8 {
	out := raw[:from]
	for i := from; i < len(raw); i++ {
		switch {
		case raw[i] != '%':
			out = append(out, raw[i])
		case i+1 < len(raw) && raw[i+1] == '%':
			out = append(out, '%')
			i++
		default:
			out = append(out, '\x1d')
		}
	}
	return out
}
