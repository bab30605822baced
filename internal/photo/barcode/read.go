// Package barcode reads the product numbers on a picture.
//
//	picture → grey, 2 MP → lines at six slants → edges → digits → votes by value
//	        → values that several lines read and none contradicts → Codes
//	edges of 1:1:3:1:1 → finder patterns → views → modules → QR Code → GS1 → Code
//	the middle, dark or bright → blots → solid sides → views → modules
//	        → DataMatrix → GS1 → Code
//
// A single reading of a bar code is wrong now and then, its check digit right
// all the same. So a value counts only when independent lines agree on it: 3 for
// an EAN-13 or a UPC-A, 6 for an EAN-8, 5 for a UPC-E, and 12 for a UPC-E of
// number system 1, whose bars are those of an EAN-13's left half. Two values in
// one place with comparable votes are both dropped. A missed code is cheaper
// than a wrong one. QR Codes (ISO/IEC 18004, model 2) and DataMatrix symbols
// (ISO/IEC 16022, ECC 200) correct themselves: one whose blocks are not whole
// after as many corrections as its standard allows is not read.
package barcode

import (
	"context"
	"image"

	"example.com/whatis/internal/gs1"
)

// A Code is a symbol that independent reads agree on.
type Code struct {
	GTIN      string        // GTIN-14, check digit verified; empty where GS1 has none
	Symbology string        // EAN-13, EAN-8, UPC-A, UPC-E, QR Code or DataMatrix
	Reads     int           // lines that agree; 1 for a QR Code or DataMatrix, which correct themselves
	Box       [4]int        // y0, x0, y1, x1 in thousandths of the picture
	Text      string        // what the symbol itself says: a UPC-E's eight digits, a QR Code's address
	GS1       *gs1.Elements // what a QR Code or DataMatrix says; nil for bars
}

// Sizes of picture, in pixels.
const (
	scanned = 2 << 20  // a larger one is scaled down to it
	whole   = 12 << 20 // as which a larger one is tried again when nothing was read
	small   = 200_000  // up to which one is tried again with lines doubled
)

// Read returns the codes of img, bars first, those with most reads first. They
// may stand at any angle, bright on dark, and partly in glare. A picture larger
// than 2 MP is scaled down to it; where that shows no bars, its level and upright
// lines are read again at up to 12 MP. QR Codes and DataMatrix symbols count
// only when they hold GS1 data: one QR Code anywhere, one DataMatrix within the
// 640 pixels in the middle, both dark on bright and not mirrored. The same picture always has the same result. When ctx ends, Read
// returns nil at the next slant.
func Read(ctx context.Context, img image.Image) []Code {
	if img.Bounds().Empty() {
		return nil
	}
	p := grey(img, scanned)
	s := newScanner(p)
	codes := s.bars(ctx, p, slopes)
	if b := img.Bounds(); len(codes) == 0 && ctx.Err() == nil {
		switch pixels := b.Dx() * b.Dy(); {
		case pixels > scanned:
			large := grey(img, whole)
			codes = newScanner(large).bars(ctx, large, slopes[:1])
		case pixels <= small:
			s.doubled = true
			codes = s.bars(ctx, p, slopes)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return append(codes, matrixCodes(p, s.hits)...)
}

// bars reads the lines of p at the given slopes and returns what they agree on,
// together with what s read before.
func (s *scanner) bars(ctx context.Context, p plane, slopes []float64) []Code {
	step, t := max(1, float64(len(p.pix)/lineBudget)), p.turned()
	for _, slope := range slopes {
		for _, sw := range []sweep{{plane: p, slope: slope}, {plane: t, turned: true, slope: slope}} {
			if ctx.Err() != nil {
				return nil
			}
			s.sweep(sw, step)
		}
	}
	s.refine()
	return agree(s.votes, p)
}

// lineBudget is how many pixels the level lines of one direction have together.
const lineBudget = 300_000

// sweep reads the lines of sw. The slanting ones stand twice as far apart, and
// in a picture full of texture four times.
func (s *scanner) sweep(sw sweep, step float64) {
	if sw.slope != 0 {
		step *= 2
		if s.turns > texture {
			step *= 2
		}
	}
	sw.step = step
	first, last := sw.reach()
	for start := first; start <= last; start += step {
		s.read(sw, start)
		if sw.slope == 0 {
			s.turns += len(s.all)
		}
	}
}

// texture is how many turns from bright to dark and back the level lines have
// where all of the picture is grained.
const texture = 100_000

// refine reads the lines between those that read something and their
// neighbours, 250 at most.
func (s *scanner) refine() {
	lines := 0
	for _, v := range s.votes[:len(s.votes):len(s.votes)] {
		for off := 1.0; off < v.sweep.step && lines < 250; off++ {
			s.read(v.sweep, v.start+off)
			s.read(v.sweep, v.start-off)
			lines += 2
		}
	}
}
