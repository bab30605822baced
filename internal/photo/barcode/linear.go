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

// A linear is a symbology that is read only where something said that a code
// stands.
type linear struct {
	name   string
	reader func() gozxing.Reader
	code   func(text string) (Code, bool)
}

var linears = []linear{
	{"DataBar", rss.NewRSS14Reader, numberCode},
	{"ITF-14", oned.NewITFReader, numberCode},
	{"GS1-128", oned.NewCode128Reader, elementCode},
}

// numberCode is that of a GTIN-14.
func numberCode(text string) (Code, bool) {
	gtin, ok := gs1.GTIN(text)
	return Code{GTIN: gtin, Text: text}, ok && len(text) == 14
}

// elementCode is that of a GS1-128: FNC1 stands first, which the reader tells as
// ]C1, each identifier is known, and one of them is the GTIN's.
func elementCode(text string) (Code, bool) {
	if !strings.HasPrefix(text, "]C1") {
		return Code{}, false
	}
	e, err := gs1.Parse(text)
	return Code{GTIN: e.GTIN, Text: strings.TrimPrefix(text, "]C1"), GS1: &e}, err == nil && e.GTIN != ""
}

// linearCodes returns the DataBar, ITF-14 and GS1-128 symbols of v: what two
// reads agree on and none contradicts.
func (v *view) linearCodes(ctx context.Context) (codes []Code) {
	for _, r := range directions(v.grid.regions()) {
		p := v.plane
		if angle := float64(r.angle()); math.Abs(angle) > level {
			p = v.plane.upright(angle)
		}
		for _, l := range linears {
			if c, ok := l.agreed(p); ok && ctx.Err() == nil {
				c.Symbology, c.Box = l.name, v.thousandths(v.grid.box(&r))
				codes = unique(codes, c)
			}
		}
		if len(codes) > 0 {
			return codes
		}
	}
	return codes
}

// level is the angle, in radians, up to which bars are read as they are.
const level = 0.05

// directions returns the first of regions of each direction, three at most.
func directions(regions []region) (out []region) {
	for _, r := range regions {
		same := false
		for _, o := range out {
			same = same || math.Abs(math.Remainder(r.angle()-o.angle(), math.Pi)) < 3*level
		}
		if !same && len(out) < 3 {
			out = append(out, r)
		}
	}
	return out
}

// agreed is what at least two reads of p say, by other rows or another way to
// tell dark from bright, when no read says anything else.
func (l linear) agreed(p plane) (code Code, ok bool) {
	half := p.height / 2
	parts := []plane{p, {p.width, half, p.pix[:half*p.width]}, {p.width, p.height - half, p.pix[half*p.width:]}}
	var read [3]int // bits of the ways that read a part
	for i, part := range parts {
		for j, way := range binarizers {
			c, valid := l.read(part, way)
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

// read is what l's reader reads of p.
func (l linear) read(p plane, way binarizer) (Code, bool) {
	if p.height < 2 {
		return Code{}, false
	}
	r := p.decoded(l.reader(), way)
	if r == nil {
		return Code{}, false
	}
	return l.code(r.GetText())
}
