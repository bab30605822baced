package barcode

import (
	"strings"

	"github.com/ericlevine/zxinggo"
	"github.com/ericlevine/zxinggo/bitutil"
	expanded "github.com/ericlevine/zxinggo/oned"
	"github.com/makiuchi-d/gozxing"

	"example.com/whatis/internal/gs1"
)

// expandedReader reads GS1 DataBar Expanded, stacked or not, which gozxing does not, from
// gozxing's bitmaps.
type expandedReader struct{}

func newExpandedReader() gozxing.Reader { return expandedReader{} }

// Decode returns the symbol's elements, with identifiers in brackets.
func (expandedReader) Decode(bitmap *gozxing.BinaryBitmap, hints map[gozxing.DecodeHintType]any) (*gozxing.Result, error) {
	_, all := hints[gozxing.DecodeHintType_TRY_HARDER]
	r, err := expanded.DecodeOneD(zxinggo.NewBinaryBitmap(blackRows{bitmap}), expanded.NewRSSExpandedReader(), &zxinggo.DecodeOptions{TryHarder: all})
	if err != nil {
		return nil, err
	}
	return gozxing.NewResult(r.Text, nil, nil, gozxing.BarcodeFormat_RSS_EXPANDED), nil
}

// DecodeWithoutHints is Decode of few rows.
func (e expandedReader) DecodeWithoutHints(bitmap *gozxing.BinaryBitmap) (*gozxing.Result, error) {
	return e.Decode(bitmap, nil)
}

// Reset does nothing: each Decode has its own state.
func (expandedReader) Reset() {}

// blackRows gives the rows of a bitmap to zxinggo, whose readers of bars use nothing else.
type blackRows struct{ *gozxing.BinaryBitmap }

func (b blackRows) Width() int  { return b.GetWidth() }
func (b blackRows) Height() int { return b.GetHeight() }

// BlackRow returns row y.
func (b blackRows) BlackRow(y int, row *bitutil.BitArray) (*bitutil.BitArray, error) {
	black, err := b.GetBlackRow(y, nil)
	if err != nil {
		return nil, err
	}
	if row == nil || row.Size() != black.GetSize() {
		row = bitutil.NewBitArray(black.GetSize())
	}
	row.Clear()
	for x := black.GetNextSet(0); x < black.GetSize(); x = black.GetNextSet(x + 1) {
		row.Set(x)
	}
	return row, nil
}

func (blackRows) BlackMatrix() (*bitutil.BitMatrix, error) { return nil, zxinggo.ErrNotFound }
func (blackRows) LuminanceSource() zxinggo.LuminanceSource { return nil }

// bracketedCode decodes elements with identifiers in brackets, all of them known.
func bracketedCode(text string) (Code, bool) {
	e, err := gs1.Parse(text)
	return Code{GTIN: e.GTIN, Text: text, GS1: &e}, err == nil && strings.HasPrefix(text, "(")
}
