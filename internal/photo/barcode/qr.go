package barcode

import "math/bits"

// qrRead returns what the modules of a QR Code, upright and with no border, say.
func qrRead(m modules) (message, bool) {
	version := (m.columns - 17) / 4
	if said, ok := qrVersion(m); ok && said != version {
		return message{}, false
	}
	level, mask, ok := qrFormat(m)
	if !ok {
		return message{}, false
	}
	data, ok := qrData(qrWords(m, version, mask), version, level)
	if !ok {
		return message{}, false
	}
	return qrText(data, version)
}

// formats are the 32 format informations with their 10 bits of check, masked,
// and versions the version informations from 7 on with their 12 (ISO/IEC 18004,
// sections 7.9 and 7.10).
var formats, versions = checked(0, 32, 10, 0x537, 0x5412), checked(7, 41, 12, 0x1f25, 0)

// checked appends so many bits of check to each number, by a BCH code.
func checked(from, to, check, generator, mask int) []int {
	var all []int
	for v := from; v < to; v++ {
		rest := v << check
		for i := 5; i >= 0; i-- {
			if rest>>(i+check)&1 == 1 {
				rest ^= generator << i
			}
		}
		all = append(all, (v<<check|rest)^mask)
	}
	return all
}

// closest returns the index of the number of all that is closest to either
// reading; ok is false when more than 3 bits are other, which is as many as the
// check corrects.
func closest(all []int, readings ...int) (index int, ok bool) {
	least := 4
	for _, v := range readings {
		for i, a := range all {
			if off := bits.OnesCount(uint(v ^ a)); off < least {
				index, least = i, off
			}
		}
	}
	return index, least < 4
}

// qrFormat reads the level of error correction, 0 for L to 3 for H, and the
// mask.
func qrFormat(m modules) (level, mask int, ok bool) {
	last := m.columns - 1
	var first, second int
	for i := range 15 {
		switch {
		case i < 6:
			first |= m.bit(8, i) << i
		case i < 8: // beyond the timing pattern
			first |= m.bit(8, i+1) << i
		case i == 8:
			first |= m.bit(7, 8) << i
		default:
			first |= m.bit(14-i, 8) << i
		}
		if i < 8 {
			second |= m.bit(last-i, 8) << i
		} else {
			second |= m.bit(8, last-14+i) << i
		}
	}
	v, ok := closest(formats, first, second)
	return [4]int{1, 0, 3, 2}[v>>3], v & 7, ok
}

// qrVersion reads the version that is written from version 7 on.
func qrVersion(m modules) (version int, ok bool) {
	if m.columns < 45 {
		return 0, false
	}
	var first, second int
	for i := range 18 {
		across, along := m.columns-11+i%3, i/3
		first |= m.bit(across, along) << i
		second |= m.bit(along, across) << i
	}
	v, ok := closest(versions, first, second)
	return v + 7, ok
}

func (m modules) bit(x, y int) int {
	if m.at(x, y) {
		return 1
	}
	return 0
}

// qrWords reads the code words in columns of two from the right, up and down in
// turns, and takes the mask off them (sections 7.7.3 and 7.8.2).
func qrWords(m modules, version, mask int) []uint8 {
	var words []uint8
	n, word, aligned := 0, uint8(0), qrAligned(version)
	for right, up := m.columns-1, true; right > 0; right, up = right-2, !up {
		if right == 6 { // the timing pattern
			right--
		}
		for i := range m.rows {
			y := i
			if up {
				y = m.rows - 1 - i
			}
			for _, x := range [2]int{right, right - 1} {
				if qrPattern(x, y, version, aligned) {
					continue
				}
				word <<= 1
				if m.at(x, y) != qrMasked(mask, x, y) {
					word |= 1
				}
				if n++; n%8 == 0 {
					words = append(words, word)
				}
			}
		}
	}
	return words
}

// qrMasked reports that a mask turns a module (table 10).
func qrMasked(mask, x, y int) bool {
	switch mask {
	case 0:
		return (x+y)%2 == 0
	case 1:
		return y%2 == 0
	case 2:
		return x%3 == 0
	case 3:
		return (x+y)%3 == 0
	case 4:
		return (x/3+y/2)%2 == 0
	case 5:
		return x*y%2+x*y%3 == 0
	case 6:
		return (x*y%2+x*y%3)%2 == 0
	}
	return ((x+y)%2+x*y%3)%2 == 0
}

// qrPattern reports that a module holds no data: finder, timing and alignment
// patterns, format and version information.
func qrPattern(x, y, version int, aligned []bool) bool {
	size := 17 + 4*version
	switch {
	case x == 6 || y == 6, x < 9 && y < 9, x >= size-8 && y < 9, x < 9 && y >= size-8:
		return true
	case version >= 7 && (x >= size-11 && y < 6 || x < 6 && y >= size-11):
		return true
	}
	finder := x < 9 && y >= size-9 || x >= size-9 && y < 9
	return aligned[x] && aligned[y] && !finder
}

// qrAligned tells which columns, and rows alike, cross alignment patterns.
func qrAligned(version int) []bool {
	aligned := make([]bool, 17+4*version)
	for _, c := range qrCentres(version) {
		for i := c - 2; i <= c+2; i++ {
			aligned[i] = true
		}
	}
	return aligned
}

// qrCentres returns where the alignment patterns' middles are, across and along
// alike (annex E): evenly from the right, the rest before the first.
func qrCentres(version int) []int {
	if version < 2 {
		return nil
	}
	many := version/7 + 2
	step := (version*8 + many*3 + 5) / (many*4 - 4) * 2
	if version == 32 {
		step = 26
	}
	centres := make([]int, many)
	for i := range centres {
		centres[i] = 10 + 4*version - step*(many-1-i)
	}
	centres[0] = 6
	return centres
}
