package barcode

// widths are the modules of a digit's four runs in the number set A, which
// begins with a space, and in C, which begins with a bar; in B they come in
// the opposite order (General Specifications, section 5.2.1.2.1).
var widths = [10][4]float32{
	{3, 2, 1, 1}, {2, 2, 2, 1}, {2, 1, 2, 2}, {1, 4, 1, 1}, {1, 1, 3, 2},
	{1, 2, 3, 1}, {1, 1, 1, 4}, {1, 3, 1, 2}, {1, 2, 1, 3}, {3, 1, 1, 2},
}

// firstDigits are the number sets of an EAN-13's left half by the first digit that they
// encode: a bit for each digit, set for B.
var firstDigits = [10]uint8{0b000000, 0b001011, 0b001101, 0b001110, 0b010011, 0b011001, 0b011100, 0b010101, 0b010110, 0b011010}

// checkDigits are the number sets of a UPC-E with number system 0 by the check digit that
// they encode: a bit for each digit, set for B. With number system 1 the bits are inverted.
var checkDigits = [10]uint8{0b111000, 0b110100, 0b110010, 0b110001, 0b101100, 0b100110, 0b100011, 0b101010, 0b101001, 0b100101}

// A fit is the digit that is most similar to four runs.
type fit struct {
	digit  int
	b      bool    // in number set B
	off    float32 // squared distance of the runs from the digit's, in modules
	margin float32 // by how much the next best digit is farther off
}

// fitDigit finds the digit of the four runs from at[0] on. Thick is how much wider than it
// should be a bar is, in modules; bar says whether the first run is a bar. The distance of
// two edges of the same kind does not depend on the thickness of bars, so these distances
// count more than the runs.
func fitDigit(at []float32, thick float32, bar, both bool) fit {
	total := at[4] - at[0]
	unit := 7 / total
	if bar {
		thick = -thick
	}
	v := [4]float32{
		(at[1]-at[0])*unit + thick, (at[2]-at[1])*unit - thick,
		(at[3]-at[2])*unit + thick, (at[4]-at[3])*unit - thick,
	}
	best, second := fit{off: 1e9}, float32(1e9)
	try := func(d int, b bool, p0, p1, p2, p3 float32) {
		d0, d1, d2, d3 := v[0]-p0, v[1]-p1, v[2]-p2, v[3]-p3
		off := (d0+d1)*(d0+d1) + (d1+d2)*(d1+d2) + runWeight*(d0*d0+d1*d1+d2*d2+d3*d3)
		if off < best.off {
			second = best.off
			best = fit{digit: d, b: b, off: off}
		} else if off < second {
			second = off
		}
	}
	for d, w := range &widths {
		try(d, false, w[0], w[1], w[2], w[3])
		if both {
			try(d, true, w[3], w[2], w[1], w[0])
		}
	}
	best.margin = second - best.off
	return best
}

// runWeight is the weight of a run relative to a distance of two edges of the same kind.
const runWeight = 0.3
