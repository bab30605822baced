package samples

import (
	_ "embed"
	"fmt"
	"image"
	"math"
	"strings"
	"sync"
)

const (
	grid    = 16 // cells a side
	perCell = 10 // points sampled in each cell, a side
	minSide = 48 // a smaller picture has too little detail
	values  = 3 * grid * grid
)

// A fingerprint is a picture in coarse cells: the mean red, green and blue of
// each, row by row.
type fingerprint struct {
	width, height int
	cells         [values]uint8
}

// fingerprints.txt has a line for each sample, in the order of All.
//
//go:embed fingerprints.txt
var fingerprintsText string

var fingerprints = sync.OnceValue(func() []fingerprint {
	var list []fingerprint
	for line := range strings.Lines(fingerprintsText) {
		list = append(list, parseFingerprint(line))
	}
	return list
})

// Recognise finds the sample that img is a copy of. The copy may have been
// encoded again, scaled down to a third, or made brighter or darker by up to
// a fifth. A crop, a turn or another photo of the same pack is not a copy.
func Recognise(img image.Image) (*Sample, bool) {
	if size := img.Bounds().Size(); size.X < minSide || size.Y < minSide {
		return nil, false
	}
	f := fingerprintOf(img)
	for i, known := range fingerprints() {
		if f.copyOf(known) {
			return all()[i], true
		}
	}
	return nil, false
}

func fingerprintOf(img image.Image) fingerprint {
	const side = grid * perCell
	var sum [values]uint32
	b, at := img.Bounds(), reader(img)
	for j := range side {
		y := b.Min.Y + (2*j+1)*b.Dy()/(2*side)
		for i := range side {
			r, g, bl := at(b.Min.X+(2*i+1)*b.Dx()/(2*side), y)
			cell := sum[3*(j/perCell*grid+i/perCell):]
			cell[0], cell[1], cell[2] = cell[0]+r>>8, cell[1]+g>>8, cell[2]+bl>>8
		}
	}
	f := fingerprint{width: b.Dx(), height: b.Dy()}
	for i, v := range sum {
		f.cells[i] = uint8((v + perCell*perCell/2) / (perCell * perCell))
	}
	return f
}

// reader returns a function from a point to red, green and blue in 0–65535,
// without an allocation for the usual kinds of image.
func reader(img image.Image) func(x, y int) (r, g, b uint32) {
	if m, ok := img.(image.RGBA64Image); ok {
		return func(x, y int) (uint32, uint32, uint32) {
			c := m.RGBA64At(x, y)
			return uint32(c.R), uint32(c.G), uint32(c.B)
		}
	}
	return func(x, y int) (uint32, uint32, uint32) {
		r, g, b, _ := img.At(x, y).RGBA()
		return r, g, b
	}
}

// The limits of a copy. A residue is the root of the mean squared difference
// of the cells, in levels of 0–255, once the exposure is made equal.
const (
	maxAspect  = 1.03 // of the two ratios of width and height
	minGain    = 0.74
	maxGain    = 1.28
	maxOffset  = 24
	maxResidue = 0.19 // of the deviation of the cells
)

// copyOf reports that f differs from known by no more than exposure and
// little losses.
func (f fingerprint) copyOf(known fingerprint) bool {
	aspect := float64(f.width*known.height) / float64(f.height*known.width)
	if aspect > maxAspect || aspect < 1/maxAspect {
		return false
	}
	gain, offset := f.exposure(known)
	if !(gain >= minGain && gain <= maxGain && math.Abs(offset) <= maxOffset) {
		return false
	}
	return f.residue(known, gain, offset) <= maxResidue*gain*known.deviation()
}

// exposure returns the gain and the offset that make the cells of known most
// like those of f, by least squares over the cells that no gain burns out. The
// gain is NaN when there are none or all are alike.
func (f fingerprint) exposure(known fingerprint) (gain, offset float64) {
	const bright = 240 / maxGain
	var n, x, y, xx, xy float64
	for i, v := range f.cells {
		if a, b := float64(known.cells[i]), float64(v); a < bright {
			n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
		}
	}
	gain = (n*xy - x*y) / (n*xx - x*x)
	return gain, (y - gain*x) / n
}

func (f fingerprint) residue(known fingerprint, gain, offset float64) float64 {
	sum := 0.0
	for i, v := range f.cells {
		d := float64(v) - min(max(float64(known.cells[i])*gain+offset, 0), 255)
		sum += d * d
	}
	return math.Sqrt(sum / values)
}

// deviation returns the standard deviation of all cells.
func (f fingerprint) deviation() float64 {
	var sum, squares float64
	for _, v := range f.cells {
		sum, squares = sum+float64(v), squares+float64(v)*float64(v)
	}
	return math.Sqrt(max(0, squares/values-sum/values*sum/values))
}

// line returns the fingerprint as a line of fingerprints.txt; its first word, the
// name of the file, is for people only.
func (f fingerprint) line(file string) string {
	return fmt.Sprintf("%s %d %d %x\n", file, f.width, f.height, f.cells)
}

func parseFingerprint(line string) fingerprint {
	var f fingerprint
	var file string
	var cells []byte
	_, err := fmt.Sscanf(line, "%s %d %d %x", &file, &f.width, &f.height, &cells)
	if err != nil || copy(f.cells[:], cells) != values {
		panic(fmt.Sprintf("samples: fingerprints.txt: line %.40q: %v", line, err))
	}
	return f
}
