package barcode

import (
	"context"
	"maps"
	"math"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/qrcode"

	"example.com/whatis/internal/gs1"
)

// Limits of what is looked at in a picture.
const (
	tried    = 3      // places for QR Codes
	squarely = 50_000 // pixels for Data Matrix symbols
)

// matrixCodes returns the QR Codes and Data Matrix symbols of v with GS1 data. One read
// suffices, because both have error correction and detect when it fails.
func (v *view) matrixCodes(ctx context.Context) (codes []Code) {
	s := newScanner(v.plane)
	for _, b := range triples(s.patterns(v.grid)) {
		if ctx.Err() == nil {
			codes = v.matrixCode(codes, b, qrcode.NewQRCodeReader(), "QR Code")
		}
	}
	left := float32(squarely)
	if v.grid.size == smallBlockSize {
		left *= 6
	}
	for _, b := range v.grid.squares() {
		area := (b.x1 - b.x0) * (b.y1 - b.y0)
		if ctx.Err() == nil && area < left && v.plane.twoTone(b) && !held(codes, v.thousandths(b)) {
			codes = v.matrixCode(codes, b, datamatrix.NewDataMatrixReader(), "DataMatrix")
			left -= area
		}
	}
	return codes
}

// matrixCode appends to codes what reader reads in b.
func (v *view) matrixCode(codes []Code, b box, reader gozxing.Reader, symbology string) []Code {
	part := v.part(b, glanced)
	defer part.plane.release()
	found := part.read(codes, reader, symbology)
	if len(found) == len(codes) && len(part.plane.pix)*v.grid.size <= tiny {
		twice := view{img: part.img, from: part.from, plane: part.plane.enlarged()}
		found = twice.read(codes, reader, symbology)
	}
	return found
}

// read appends to codes what reader reads in v.
func (v *view) read(codes []Code, reader gozxing.Reader, symbology string) []Code {
	for _, way := range binarizers {
		if c, ok := v.code(reader, v.plane.bitmap(way), symbology); ok {
			return unique(codes, c)
		}
	}
	return codes
}

// code returns what reader reads in v's bitmap.
func (v *view) code(reader gozxing.Reader, bitmap *gozxing.BinaryBitmap, symbology string) (Code, bool) {
	r := decoded(reader, bitmap, bounded())
	if r == nil {
		return Code{}, false
	}
	c, ok := gs1Code(r, symbology)
	c.Box = v.thousandths(enclosing(r))
	return c, ok
}

// matrixCodesIn returns the QR Code or Data Matrix symbol in the middle of v. It tries the
// original size, half and double size, and a rotation by 45°, because the library does not
// find Data Matrix symbols that stand on a corner.
func (v *view) matrixCodesIn(ctx context.Context) []Code {
	for _, scaled := range []func() plane{v.itself, v.plane.halved, v.plane.enlarged} {
		if ctx.Err() != nil {
			return nil
		}
		at := view{img: v.img, from: v.from, plane: scaled()}
		for _, way := range binarizers {
			bitmap := at.plane.bitmap(way)
			if c, ok := at.code(qrcode.NewQRCodeReader(), bitmap, "QR Code"); ok {
				return []Code{c}
			}
			if c, ok := at.code(datamatrix.NewDataMatrixReader(), bitmap, "DataMatrix"); ok {
				return []Code{c}
			}
		}
	}
	return v.onCorner()
}

func (v *view) itself() plane { return v.plane }

// onCorner returns the Data Matrix symbol in the middle of v that stands on a corner. Its
// box is the whole of v.
func (v *view) onCorner() []Code {
	at := view{img: v.img, from: v.from, plane: v.plane.upright(math.Pi / 4)}
	codes := at.read(nil, datamatrix.NewDataMatrixReader(), "DataMatrix")
	for i := range codes {
		codes[i].Box = v.thousandths(box{0, 0, float32(v.plane.width), float32(v.plane.height)})
	}
	return codes
}

// Sizes to which parts are scaled, in pixels.
const (
	glanced      = 120_000 // a place in the whole picture
	surroundings = 250_000 // a box
	tiny         = 100_000 // up to this size, times a block's side, a place is also read at double size
)

// A binarizer separates dark from bright.
type binarizer func(gozxing.LuminanceSource) gozxing.Binarizer

// binarizers are the local and the global one.
var binarizers = []binarizer{
	gozxing.NewHybridBinarizer, gozxing.NewGlobalHistgramBinarizer,
}

// Hints for reading; harder tries every row of bars, not 15.
var (
	plainly = map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_ASSUME_GS1: true, gozxing.DecodeHintType_ALLOWED_LENGTHS: []int{14},
	}
	harder = map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_ASSUME_GS1: true, gozxing.DecodeHintType_ALLOWED_LENGTHS: []int{14},
		gozxing.DecodeHintType_TRY_HARDER: true,
	}
)

// bounded returns the hints of harder, but gives up where many places look like finder
// patterns, because the library compares all triples of them.
func bounded() map[gozxing.DecodeHintType]any {
	left := 3 * patterns
	hints := maps.Clone(harder)
	hints[gozxing.DecodeHintType_NEED_RESULT_POINT_CALLBACK] = gozxing.ResultPointCallback(func(gozxing.ResultPoint) {
		if left--; left < 0 {
			panic("too many finder patterns")
		}
	})
	return hints
}

// bitmap returns p binarized, to be used by all readers.
func (p plane) bitmap(way binarizer) *gozxing.BinaryBitmap {
	source, err := gozxing.NewPlanarYUVLuminanceSource(p.pix, p.width, p.height, 0, 0, p.width, p.height, false)
	if err != nil {
		return nil
	}
	bitmap, err := gozxing.NewBinaryBitmap(way(source))
	if err != nil {
		return nil
	}
	return bitmap
}

// decoded returns what reader reads, or nil. It recovers from panics of the library, which
// uses data of the symbol as indices, and of the callback in bounded.
func decoded(reader gozxing.Reader, bitmap *gozxing.BinaryBitmap, hints map[gozxing.DecodeHintType]any) *gozxing.Result {
	if bitmap == nil {
		return nil
	}
	return guarded(func() *gozxing.Result {
		r, err := reader.Decode(bitmap, hints)
		if err != nil {
			return nil
		}
		return r
	})
}

// gs1Code returns r's code if r declares GS1 data: by FNC1 at its start, by brackets, or as
// a Digital Link.
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

// enclosing returns the box around what was read. The library returns the centres of a QR
// Code's three finder patterns, three and a half modules inside its edges, and sometimes
// that of the alignment pattern; for a Data Matrix symbol it returns the corners.
func enclosing(r *gozxing.Result) box {
	points := r.GetResultPoints()
	at := func(i int) (x, y float32) { return float32(points[i].GetX()), float32(points[i].GetY()) }
	if r.GetBarcodeFormat() != gozxing.BarcodeFormat_QR_CODE {
		var b box
		for i := range points {
			x, y := at(i)
			if i == 0 {
				b = box{x, y, x, y}
			}
			b = b.with(box{x, y, x, y})
		}
		return b
	}
	pattern := func(i int) pattern { x, y := at(i); return pattern{x: x, y: y} }
	b := squareOf(pattern(0), pattern(1), pattern(2))
	module := float32(1)
	if f, ok := points[0].(interface{ GetEstimatedModuleSize() float64 }); ok {
		module = float32(f.GetEstimatedModuleSize())
	}
	const in = 3.5
	return box{b.x0 - in*module, b.y0 - in*module, b.x1 + in*module, b.y1 + in*module}
}

// unique appends c to codes unless it is there.
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

// held reports whether the middle of b lies in one of codes.
func held(codes []Code, b [4]int) bool {
	y, x := (b[0]+b[2])/2, (b[1]+b[3])/2
	for _, c := range codes {
		if c.Box[0] <= y && y <= c.Box[2] && c.Box[1] <= x && x <= c.Box[3] {
			return true
		}
	}
	return false
}
