// Package barcode reads the product numbers on a picture.
//
//	picture → grey, 2 MP → blocks → regions of one direction → lines across them
//	        → edges → digits → votes by value
//	        → values that several lines read and none contradicts → Codes
//	lines → finder patterns → their surroundings → QR Code → GS1 → Code
//	blocks of all directions → dense squares → Data Matrix → GS1 → Code
//	boxes → their surroundings → all of that, and DataBar, ITF-14, GS1-128
//
// A single reading of a bar code is sometimes wrong although its check digit is right. So a
// value is accepted only if independent lines agree on it: 3 for an EAN-13 or a UPC-A, 6
// for an EAN-8, 5 for a UPC-E, and 12 for a UPC-E of number system 1, which has the same
// bars as the left half of an EAN-13. Two values in one place with similar numbers of votes
// are both dropped. A missed code costs less than a wrong one. QR Codes (ISO/IEC 18004,
// model 2) and Data Matrix symbols (ISO/IEC 16022, ECC 200) have error correction; they are
// read by gozxing, and so are DataBar, ITF-14 and GS1-128, of which two reads must agree.
package barcode

import (
	"context"
	"image"

	"example.com/whatis/internal/gs1"
)

// A Code is a symbol on which independent reads agree.
type Code struct {
	GTIN      string        // GTIN-14 with a valid check digit; empty if the GS1 data has none
	Symbology string        // EAN-13, EAN-8, UPC-A, UPC-E, QR Code, DataMatrix, DataBar, ITF-14 or GS1-128
	Reads     int           // reads that agree; 1 for a QR Code or DataMatrix, which have error correction
	Box       [4]int        // y0, x0, y1, x1 in thousandths of the picture
	Text      string        // the symbol's own text: a UPC-E's eight digits, a QR Code's address
	GS1       *gs1.Elements // the data of a QR Code, DataMatrix or GS1-128; nil for other symbols
}

// Sizes of picture, in pixels.
const (
	scanned = 2 << 20 // larger pictures are scaled down to this
	closely = 1 << 20 // the size of a part that is read again
	small   = 200_000 // pictures up to this size are scanned as a whole if no region shows a code
)

// Read returns the codes of img, bars first, those with most reads first. Codes may be
// rotated, bright on dark, and partly in glare. A picture larger than 2 MP is scaled down
// to that; if it shows no bars, the places that look most like bars are read again in the
// original pixels. QR Codes and Data Matrix symbols are returned only if they contain GS1
// data. The same picture always gives the same result. Read returns nil when ctx ends or
// img cannot be read.
func Read(ctx context.Context, img image.Image) []Code {
	return guarded(func() []Code { return readWhole(ctx, img) })
}

// guarded returns the result of f, or the zero value if f panics.
func guarded[T any](f func() T) (result T) {
	defer func() {
		if recover() != nil {
			result = *new(T)
		}
	}()
	return f()
}

func readWhole(ctx context.Context, img image.Image) []Code {
	if img.Bounds().Empty() {
		return nil
	}
	p := grey(img, img.Bounds(), scanned)
	defer p.release()
	v := view{img: img, from: img.Bounds(), plane: p, grid: gridOf(p)}
	codes := append(v.bars(ctx, true), v.matrixCodes(ctx)...)
	if ctx.Err() != nil {
		return nil
	}
	return codes
}

// A view is a part of a picture as a plane.
type view struct {
	img   image.Image
	from  image.Rectangle
	plane plane
	grid  *grid
}

// bars returns the EAN and UPC symbols of v. If there are none and v is scaled down, closer
// says whether to look at the original pixels.
func (v *view) bars(ctx context.Context, closer bool) []Code {
	s := newScanner(v.plane)
	again := s.bars(ctx, v.grid)
	found := agree(s.votes)
	switch {
	case len(found) > 0:
	case closer && v.from.Dx() > v.plane.width:
		return v.closer(ctx, again)
	case len(v.plane.pix) <= small:
		s.sweep(ctx, manner{})
		s.sweep(ctx, manner{doubled: true})
		found = agree(s.votes)
	}
	var codes []Code
	for _, c := range found {
		codes = append(codes, Code{GTIN: c.gtin, Symbology: c.name, Reads: len(c.lines), Box: v.thousandths(c.box), Text: c.text})
	}
	return codes
}

// places is how many regions of a large picture are read again in the original pixels.
const places = 3

// closer reads the regions that look most like bars in the original picture.
func (v *view) closer(ctx context.Context, regions []*attempt) []Code {
	for _, a := range regions[:min(len(regions), places)] {
		part := v.part(v.grid.box(a.region), closely)
		codes := part.bars(ctx, false)
		part.plane.release()
		if len(codes) > 0 {
			return codes
		}
	}
	return nil
}

// part returns the part of the picture in b, widened by a quarter of its longer side, with
// at most limit pixels.
func (v *view) part(b box, limit int) *view {
	sx, sy := float32(v.from.Dx())/float32(v.plane.width), float32(v.from.Dy())/float32(v.plane.height)
	more := widened * max((b.x1-b.x0)*sx, (b.y1-b.y0)*sy)
	r := image.Rect(int(b.x0*sx-more), int(b.y0*sy-more), int(b.x1*sx+more)+1, int(b.y1*sy+more)+1)
	r = r.Add(v.from.Min).Intersect(v.img.Bounds())
	if r.Empty() {
		r = image.Rectangle{Min: v.from.Min, Max: v.from.Min.Add(image.Pt(1, 1))}
	}
	p := grey(v.img, r, limit)
	return &view{img: v.img, from: r, plane: p, grid: gridOf(p)}
}

// widened is how far a box is widened on each side, relative to its longer side.
const widened = 0.25

// thousandths returns y0, x0, y1, x1 of b in thousandths of the picture.
func (v *view) thousandths(b box) [4]int {
	whole := v.img.Bounds()
	part := func(at float32, plane, size, from, of int) int {
		pixel := at*float32(size)/float32(plane) + float32(from)
		return max(0, min(1000, int(pixel*1000/float32(of)+0.5)))
	}
	x := func(at float32) int {
		return part(at, v.plane.width, v.from.Dx(), v.from.Min.X-whole.Min.X, whole.Dx())
	}
	y := func(at float32) int {
		return part(at, v.plane.height, v.from.Dy(), v.from.Min.Y-whole.Min.Y, whole.Dy())
	}
	return [4]int{y(b.y0), x(b.x0), y(b.y1), x(b.x1)}
}
