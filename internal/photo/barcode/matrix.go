package barcode

import (
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/qrcode"

	"example.com/whatis/internal/gs1"
)

// central is the longest side, in pixels, of the middle of the picture in which
// a DataMatrix is looked for: its reader begins in the middle.
const central = 640

// matrixCodes returns the QR code whose finder patterns the lines crossed and
// the DataMatrix in the middle of p, where they hold GS1 data. One read is
// enough: both correct errors and know when they cannot.
func matrixCodes(p plane, hits []finder) []Code {
	var codes []Code
	if b, ok := square(hits); ok {
		if c, ok := matrixCode(p, b.within(p), qrcode.NewQRCodeReader(), "QR Code"); ok {
			codes = append(codes, c)
		}
	}
	w, h := float32(min(p.width, central)), float32(min(p.height, central))
	x, y := (float32(p.width)-w)/2, (float32(p.height)-h)/2
	if c, ok := matrixCode(p, box{x, y, x + w, y + h}, datamatrix.NewDataMatrixReader(), "DataMatrix"); ok {
		codes = append(codes, c)
	}
	return codes
}

// matrixCode reads the part b of p.
func matrixCode(p plane, b box, reader gozxing.Reader, name string) (c Code, ok bool) {
	defer func() {
		if recover() != nil { // the reader indexes by what it reads
			c, ok = Code{}, false
		}
	}()
	x, y, w, h := int(b.x0), int(b.y0), int(b.x1-b.x0), int(b.y1-b.y0)
	source, err := gozxing.NewPlanarYUVLuminanceSource(p.pix, p.width, p.height, x, y, w, h, false)
	if err != nil {
		return Code{}, false
	}
	bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewHybridBinarizer(source))
	if err != nil {
		return Code{}, false
	}
	result, err := reader.Decode(bitmap, nil)
	if err != nil {
		return Code{}, false
	}
	e, ok := elements(result)
	if !ok {
		return Code{}, false
	}
	return Code{
		GTIN: e.GTIN, Symbology: name, Reads: 1, Text: result.GetText(), GS1: &e,
		Box: around4(result.GetResultPoints(), b).thousandths(p),
	}, true
}

// elements parses what a matrix symbol says, when it says that it is GS1's: by
// FNC1 at its start, by brackets, or as a Digital Link.
func elements(result *gozxing.Result) (gs1.Elements, bool) {
	text := result.GetText()
	id, _ := result.GetResultMetadata()[gozxing.ResultMetadataType_SYMBOLOGY_IDENTIFIER].(string)
	marked := id == "]Q3" || id == "]d2" || strings.HasPrefix(text, "\x1d") || strings.HasPrefix(text, "]d2")
	if !marked && !strings.HasPrefix(text, "(") && !strings.Contains(text, "://") {
		return gs1.Elements{}, false
	}
	e, err := gs1.Parse(text)
	return e, err == nil
}

// around4 is the box of a symbol's corner points, which lie in part b.
func around4(points []gozxing.ResultPoint, b box) box {
	var out box
	for i, pt := range points {
		x, y := float32(pt.GetX())+b.x0, float32(pt.GetY())+b.y0
		if one := (box{x, y, x, y}); i == 0 {
			out = one
		} else {
			out = out.with(one)
		}
	}
	return out
}

// within cuts b to the picture.
func (b box) within(p plane) box {
	return box{max(0, b.x0), max(0, b.y0), min(float32(p.width), b.x1), min(float32(p.height), b.y1)}
}
