package barcode

// A kind is a symbology of the EAN/UPC family: its runs and modules.
type kind struct {
	name    string
	left    int // digits before the centre, in number sets A and B
	right   int // digits after it, in number set C
	centre  int // runs of the centre guard
	end     int // runs of the end guard
	modules float32
	quiet   float32 // modules that must be empty on either side
	both    bool    // the left half uses number sets A and B, not only A
}

// kinds require less empty space than the 7 or more modules that GS1 prescribes, because
// printing and fingers reduce it. The short ones, which parts of longer codes resemble,
// require at least the 4 modules that a code contains inside.
var kinds = []kind{
	{"EAN-13", 6, 6, 5, 3, 95, 2, true},
	{"EAN-8", 4, 4, 5, 3, 67, 4, false},
	{"UPC-E", 6, 0, 0, 6, 51, 4.5, true},
}

func (k *kind) runs() int { return 3 + 4*k.left + k.centre + 4*k.right + k.end }

// A read is one line's reading of one symbol.
type read struct {
	gtin, text string
	name       string
	from, to   float32 // along the line
}

// decode calls yield for each symbol that begins at an edge of e, whether it is dark on
// bright or, as on reflecting metal, bright on dark. It returns how many places look like a
// symbol, even if the digits cannot be read.
func decode(e *edges, yield func(read)) (likely int) {
	for i := range max(0, len(e.at)-shortest+1) {
		if !e.begins(i) {
			continue
		}
		for n := range kinds {
			at, module, ok := kinds[n].fits(e, i)
			if !ok {
				continue
			}
			likely++
			if r, ok := kinds[n].decode(at, module); ok {
				yield(r)
			}
		}
	}
	return likely
}

// begins reports whether the runs from i on may be a start guard and two digits: a guard is
// 3 modules wide and a digit 7.
func (e *edges) begins(i int) bool {
	at := e.at[i:][:12]
	guard, first, second := at[3]-at[0], at[7]-at[3], at[11]-at[7]
	return guard > 0.28*first && guard < 0.65*first && near(first, second, 0.3) &&
		at[1]-at[0] < 0.7*guard && at[2]-at[1] < 0.7*guard && at[3]-at[2] < 0.7*guard
}

func near(a, b, part float32) bool {
	return a-b < part*a && b-a < part*a
}

// fits returns the edges of the symbol that begins at edge i, and its module. It requires
// guards and digits of the right widths and empty space on either side.
func (k *kind) fits(e *edges, i int) (at []float32, module float32, ok bool) {
	if i+k.runs() >= len(e.at) {
		return nil, 0, false
	}
	at = e.at[i : i+k.runs()+1]
	module = (at[len(at)-1] - at[0]) / k.modules
	return at, module, near(at[3]-at[0], 3*module, 0.5) && k.even(at, module) && k.free(e, i, module)
}

// decode decodes the symbol with the edges in at.
func (k *kind) decode(at []float32, module float32) (read, bool) {
	r := read{name: k.name, from: at[0], to: at[len(at)-1]}
	digits, sets, ok := k.digits(at, k.thickness(at)/module)
	return r, ok && r.number(k, digits, sets)
}

// Limits for accepting a digit, in squared modules, and for accepting bars.
const (
	farthest = 1.2 // largest distance of its runs
	distinct = 0.2 // smallest margin to the next best digit
	thickest = 0.7 // modules by which a bar may be too wide or too narrow
)

// digits returns the symbol's digits, the number sets of the left half (a bit for each
// digit, set for B), and whether every digit is clear.
func (k *kind) digits(at []float32, thick float32) (string, uint8, bool) {
	if thick > thickest || thick < -thickest {
		return "", 0, false
	}
	var digits [12]byte
	sets := uint8(0)
	for d := range k.left + k.right {
		from, right := 3+4*d, d >= k.left
		if right {
			from += k.centre
		}
		f := fitDigit(at[from:], thick, right, k.both && !right)
		if f.off > farthest || f.margin < distinct {
			return "", 0, false
		}
		digits[d] = byte('0' + f.digit)
		if f.b {
			sets |= 1 << (k.left - 1 - d)
		}
	}
	return string(digits[:k.left+k.right]), sets, true
}

// free reports whether the space on either side of the symbol is empty.
func (k *kind) free(e *edges, i int, module float32) bool {
	end := i + k.runs()
	left, right := e.at[i], e.length-e.at[end]
	if i > 0 {
		left -= e.at[i-1]
	}
	if end+1 < len(e.at) {
		right = e.at[end+1] - e.at[end]
	}
	return left >= k.quiet*module && right >= k.quiet*module
}

// even reports whether the symbol's guards and digits have the right widths; curved or
// slanted surfaces change widths only gradually.
func (k *kind) even(at []float32, module float32) bool {
	last := float32(0)
	digit := func(from int) bool {
		w := at[from+4] - at[from]
		ok := near(w, 7*module, 0.35) && (last == 0 || near(w, last, 0.22))
		last = w
		return ok
	}
	for d := range k.left {
		if !digit(3 + 4*d) {
			return false
		}
	}
	if c := 3 + 4*k.left; k.centre > 0 && !near(at[c+k.centre]-at[c], 5*last/7, 0.3) {
		return false
	}
	for d := range k.right {
		if !digit(3 + 4*k.left + k.centre + 4*d) {
			return false
		}
	}
	n := len(at) - 1
	return near(at[n]-at[n-k.end], float32(k.end)*last/7, 0.35)
}

// thickness returns by how many pixels the guards' bars are wider than their spaces: ink
// spreads, and bright light does the opposite.
func (k *kind) thickness(at []float32) float32 {
	var bars, spaces, b, s float32
	add := func(from, n int, bar bool) {
		for i := from; i < from+n; i++ {
			if w := at[i+1] - at[i]; bar {
				bars, b = bars+w, b+1
			} else {
				spaces, s = spaces+w, s+1
			}
			bar = !bar
		}
	}
	add(0, 3, true)
	add(3+4*k.left, k.centre, false)
	add(len(at)-1-k.end, k.end, k.end == 3)
	return (bars/b - spaces/s) / 2
}
