package barcode

import (
	"context"
	"math"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/oned/rss"

	"example.com/whatis/internal/gs1"
)

// A linear is a symbology that is read only where another source says that there is a code.
type linear struct {
	name   string
	reader func() gozxing.Reader
	code   func(text string) (Code, bool)
}

var linears = []linear{
	{"DataBar", rss.NewRSS14Reader, numberCode},
	{"ITF-14", oned.NewITFReader, numberCode},
	{"GS1-128", oned.NewCode128Reader, elementCode},
	{"DataBar Expanded", newExpandedReader, bracketedCode},
}

// numberCode decodes a GTIN-14.
func numberCode(text string) (Code, bool) {
	gtin, ok := gs1.GTIN(text)
	return Code{GTIN: gtin, Text: text}, ok && len(text) == 14
}

// elementCode decodes a GS1-128: it must begin with FNC1, which the reader returns as ]C1,
// contain only known identifiers, and a GTIN.
func elementCode(text string) (Code, bool) {
	if !strings.HasPrefix(text, "]C1") {
		return Code{}, false
	}
	e, err := gs1.Parse(text)
	return Code{GTIN: e.GTIN, Text: strings.TrimPrefix(text, "]C1"), GS1: &e}, err == nil && e.GTIN != ""
}

// linearCodes returns the DataBar, ITF-14, GS1-128 and DataBar Expanded symbols of v on which two reads agree
// and which none contradicts.
func (v *view) linearCodes(ctx context.Context) []Code {
	for _, r := range directions(v.grid.regions()) {
		p := v.plane
		if angle := r.angle(); math.Abs(angle) > level {
			p = v.plane.upright(angle)
		}
		all := p.flattened(enoughRows).bitmaps()
		for _, l := range linears {
			if c, ok := l.agreed(all); ok && ctx.Err() == nil {
				c.Symbology, c.Box = l.name, v.thousandths(v.grid.box(&r))
				return []Code{c}
			}
		}
	}
	return nil
}

// level is the largest angle, in radians, at which bars are read without rotation.
const level = 0.05

// directions returns the first region of each direction, at most two.
func directions(regions []region) (out []region) {
	for _, r := range regions {
		same := false
		for _, o := range out {
			same = same || math.Abs(math.Remainder(r.angle()-o.angle(), math.Pi)) < 3*level
		}
		if !same && len(out) < 2 {
			out = append(out, r)
		}
	}
	return out
}

// enoughRows is the number of rows that suffices to read bars.
const enoughRows = 160

// flattened returns p reduced to about so many rows, each the mean of several.
func (p plane) flattened(rows int) plane {
	each := p.height / rows
	if each < 2 {
		return p
	}
	out := newPlane(p.width, p.height/each)
	sums := make([]int, p.width)
	for y := range out.height {
		clear(sums)
		for i := range each {
			for x, v := range p.row(y*each + i) {
				sums[x] += int(v)
			}
		}
		for x, row := 0, out.row(y); x < len(row); x++ {
			row[x] = uint8(sums[x] / each)
		}
	}
	return out
}

// bitmaps returns bitmaps of the whole of p, its upper and its lower half, each made by
// every binarizer.
func (p plane) bitmaps() (all [3][]*gozxing.BinaryBitmap) {
	half := p.height / 2
	parts := [3]plane{p, {p.width, half, p.pix[:half*p.width]}, {p.width, p.height - half, p.pix[half*p.width:]}}
	for i, part := range parts {
		for _, way := range binarizers {
			if part.height > 1 {
				all[i] = append(all[i], part.bitmap(way))
			}
		}
	}
	return all
}

// agreed returns what at least two reads agree on, of different rows or binarizers, if no
// read contradicts.
func (l linear) agreed(all [3][]*gozxing.BinaryBitmap) (code Code, ok bool) {
	var read [3]int // for each part a bit set of the binarizers that read it
	for i, part := range all {
		hints := plainly
		if i == 0 {
			hints = harder
		}
		for j, bitmap := range part {
			r := decoded(l.reader(), bitmap, hints)
			if r == nil {
				continue
			}
			c, valid := l.code(r.GetText())
			switch {
			case !valid:
			case code.Reads > 0 && c.Text != code.Text:
				return Code{}, false
			default:
				c.Reads = code.Reads + 1
				code = c
				read[i] |= 1 << j
			}
		}
	}
	ways := read[0] | read[1] | read[2]
	return code, ways == 1<<len(binarizers)-1 || read[1] != 0 && read[2] != 0
}
