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

func Read(ctx context.Context, img image.Image) []Code {
	if img.Bounds().Empty() {
		return nil
	}
	p := grey(img, scanned)
	s := newScanner(p)
	g := gridOf(p)
	codes := s.bars(ctx, g)
	if len(codes) == 0 && len(p.pix) <= small {
		s.sweep(manner{})
		s.sweep(manner{doubled: true})
		codes = agree(s.votes, p)
	}
	if ctx.Err() != nil {
		return nil
	}
	return codes
}
