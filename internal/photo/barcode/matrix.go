package barcode

import (
	"context"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/qrcode"

	"example.com/whatis/internal/gs1"
)

// tried is how many places of a picture are looked at for each of QR Codes and
// Data Matrix symbols.
const tried = 4

// matrixCodes returns the QR Codes and Data Matrix symbols of v that hold GS1
// data. One read is enough: both correct errors and know when they cannot.
func (v *view) matrixCodes(ctx context.Context) (codes []Code) {
	s := newScanner(v.plane)
	for _, b := range triples(s.patterns(v.grid)) {
		if ctx.Err() == nil {
			codes = v.matrixCode(codes, b, qrcode.NewQRCodeReader(), "QR Code")
		}
	}
	for _, b := range v.grid.squares() {
		if ctx.Err() == nil && !held(codes, v.thousandths(b)) {
			codes = v.matrixCode(codes, b, datamatrix.NewDataMatrixReader(), "DataMatrix")
		}
	}
	return codes
}

// matrixCode adds to codes what reader reads in b.
func (v *view) matrixCode(codes []Code, b box, reader gozxing.Reader, symbology string) []Code {
	part := v.part(b, surroundings)
	defer part.plane.release()
	for _, binarizer := range binarizers {
		r := part.plane.decoded(reader, binarizer)
		if r == nil {
			continue
		}
		if c, ok := gs1Code(r, symbology); ok {
			c.Box = part.thousandths(enclosing(r))
			return unique(codes, c)
		}
		return codes
	}
	return codes
}

// surroundings is as how many pixels a place is looked at.
const surroundings = 400_000

// binarizers tell dark from bright, by the surroundings and over all.
var binarizers = []func(gozxing.LuminanceSource) gozxing.Binarizer{
	gozxing.NewHybridBinarizer, gozxing.NewGlobalHistgramBinarizer,
}

// harder are the hints to read with.
var harder = map[gozxing.DecodeHintType]any{
	gozxing.DecodeHintType_TRY_HARDER: true, gozxing.DecodeHintType_ASSUME_GS1: true,
	gozxing.DecodeHintType_ALLOWED_LENGTHS: []int{14},
}

// decoded is what reader reads of p, or nil. The library indexes by what it
// reads, so that it may panic.
func (p plane) decoded(reader gozxing.Reader, binarizer func(gozxing.LuminanceSource) gozxing.Binarizer) (r *gozxing.Result) {
	defer func() {
		if recover() != nil {
			r = nil
		}
	}()
	source, err := gozxing.NewPlanarYUVLuminanceSource(p.pix, p.width, p.height, 0, 0, p.width, p.height, false)
	if err != nil {
		return nil
	}
	bitmap, err := gozxing.NewBinaryBitmap(binarizer(source))
	if err != nil {
		return nil
	}
	if r, err = reader.Decode(bitmap, harder); err != nil {
		return nil
	}
	return r
}

// gs1Code is r's, when r says that it is GS1's: by FNC1 at its start, by
// brackets, or as a Digital Link.
func gs1Code(r *gozxing.Result, symbology string) (Code, bool) {
	text := r.GetText()
	id, _ := r.GetResultMetadata()[gozxing.ResultMetadataType_SYMBOLOGY_IDENTIFIER].(string)
	switch id {
	case "]Q3", "]Q4", "]d2", "]d5":
	default:
		if !strings.HasPrefix(text, "]d2") && !strings.HasPrefix(text, "(") && !strings.Contains(text, "://") {
			return Code{}, false
		}
	}
	e, err := gs1.Parse(text)
	if err != nil {
		return Code{}, false
	}
	return Code{GTIN: e.GTIN, Symbology: symbology, Reads: 1, Text: text, GS1: &e}, true
}

// enclosing is the box around the corners of what was read. Those that the library
// names lie within the symbol by half a module or, in a QR Code, three and a half.
func enclosing(r *gozxing.Result) box {
	var b box
	for i, p := range r.GetResultPoints() {
		x, y := float32(p.GetX()), float32(p.GetY())
		if i == 0 {
			b = box{x, y, x, y}
		}
		b = b.with(box{x, y, x, y})
	}
	return b
}

// unique adds c to codes, unless they hold it.
func unique(codes []Code, c Code) []Code {
	for i, o := range codes {
		if o.Symbology == c.Symbology && o.Text == c.Text {
			if c.Reads > o.Reads {
				codes[i] = c
			}
			return codes
		}
	}
	return append(codes, c)
}

// held reports that the middle of b lies in one of codes.
func held(codes []Code, b [4]int) bool {
	y, x := (b[0]+b[2])/2, (b[1]+b[3])/2
	for _, c := range codes {
		if c.Box[0] <= y && y <= c.Box[2] && c.Box[1] <= x && x <= c.Box[3] {
			return true
		}
	}
	return false
}
