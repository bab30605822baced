package barcode

import "slices"

// A field is GF(256), as powers of 2 and their logarithms.
type field struct {
	exp   [510]uint8
	log   [256]int
	first int // which power of 2 is the generator polynomial's first root
}

// The fields of ISO/IEC 18004, section 7.5.2, and of ISO/IEC 16022, section 5.7.
var (
	qrField         = newField(0x11d, 0)
	dataMatrixField = newField(0x12d, 1)
)

func newField(polynomial, first int) *field {
	f := &field{first: first}
	x := 1
	for i := range 255 {
		f.exp[i], f.exp[i+255] = uint8(x), uint8(x)
		f.log[x] = i
		if x <<= 1; x > 255 {
			x ^= polynomial
		}
	}
	return f
}

func (f *field) times(a, b uint8) uint8 {
	if a == 0 || b == 0 {
		return 0
	}
	return f.exp[f.log[a]+f.log[b]]
}

// over returns a/b, where b is not 0.
func (f *field) over(a, b uint8) uint8 {
	if a == 0 {
		return 0
	}
	return f.exp[f.log[a]+255-f.log[b]]
}

// at returns the value of a polynomial, its constant term first, at 2 to the
// power.
func (f *field) at(p []uint8, power int) uint8 {
	x, sum := f.exp[power%255], uint8(0)
	for i := len(p) - 1; i >= 0; i-- {
		sum = f.times(sum, x) ^ p[i]
	}
	return sum
}

// correct mends block in place, whose last check code words are Reed and
// Solomon's, and reports that it is whole: with at most so many code words
// changed, its syndromes are all zero. It has 255 code words at most.
func (f *field) correct(block []uint8, check, most int) bool {
	s, whole := f.syndromes(block, check)
	if whole {
		return true
	}
	locator := f.locator(s)
	wrong := len(locator) - 1
	if wrong < 1 || wrong > min(most, check/2) {
		return false
	}
	evaluator := f.evaluator(s, locator)
	found := 0
	for i := range block {
		power := len(block) - 1 - i
		if f.at(locator, 255-power) == 0 {
			found++
			block[i] ^= f.magnitude(locator, evaluator, power)
		}
	}
	_, whole = f.syndromes(block, check)
	return whole && found == wrong
}

func (f *field) syndromes(block []uint8, check int) (s []uint8, whole bool) {
	s = make([]uint8, check)
	for j := range s {
		x := f.exp[(f.first+j)%255]
		for _, v := range block {
			s[j] = f.times(s[j], x) ^ v
		}
	}
	return s, !slices.ContainsFunc(s, func(v uint8) bool { return v != 0 })
}

// locator returns the polynomial whose roots tell where the errors are, by
// Berlekamp and Massey.
func (f *field) locator(s []uint8) []uint8 {
	now, before := make([]uint8, len(s)+1), make([]uint8, len(s)+1)
	now[0], before[0] = 1, 1
	degree, gap, last := 0, 1, uint8(1)
	for n := range s {
		off := s[n]
		for i := 1; i <= degree; i++ {
			off ^= f.times(now[i], s[n-i])
		}
		if off == 0 {
			gap++
			continue
		}
		kept := slices.Clone(now)
		for i := 0; i+gap < len(now); i++ {
			now[i+gap] ^= f.times(f.over(off, last), before[i])
		}
		if 2*degree <= n {
			degree, before, last, gap = n+1-degree, kept, off, 1
		} else {
			gap++
		}
	}
	return now[:degree+1]
}

// evaluator returns the polynomial that tells how large the errors are.
func (f *field) evaluator(s, locator []uint8) []uint8 {
	out := make([]uint8, len(s))
	for i := range out {
		for j := 0; j <= i && j < len(locator); j++ {
			out[i] ^= f.times(locator[j], s[i-j])
		}
	}
	return out
}

// magnitude returns the error at 2 to the power, by Forney; 0 where it has none.
func (f *field) magnitude(locator, evaluator []uint8, power int) uint8 {
	slope := uint8(0) // the locator's derivative has its odd terms alone
	for i := 1; i < len(locator); i += 2 {
		slope ^= f.times(locator[i], f.exp[(255-power)*(i-1)%255])
	}
	if slope == 0 {
		return 0
	}
	scale := f.exp[power*(1-f.first)%255]
	return f.times(scale, f.over(f.at(evaluator, 255-power), slope))
}
