package barcode

import (
	"image"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix/encoder"
	qrdecoder "github.com/makiuchi-d/gozxing/qrcode/decoder"
	qrencoder "github.com/makiuchi-d/gozxing/qrcode/encoder"
	"golang.org/x/image/draw"
)

// modules are the dark modules of a symbol, row by row.
type modules struct {
	columns, rows int
	dark          []bool
}

func (m modules) at(x, y int) bool { return m.dark[y*m.columns+x] }

// fnc1 is the codeword for \x1d in a Data Matrix symbol.
const fnc1 = 232

// drawn draws a symbol with a white border of `quiet` modules.
func (m modules) drawn(quiet int) *image.Gray {
	img := white((m.columns+2*quiet)*fine, (m.rows+2*quiet)*fine)
	for y := range m.rows {
		for x := range m.columns {
			if m.at(x, y) {
				r := image.Rect(x+quiet, y+quiet, x+quiet+1, y+quiet+1)
				draw.Draw(img, image.Rectangle{r.Min.Mul(fine), r.Max.Mul(fine)}, image.Black, image.Point{}, draw.Src)
			}
		}
	}
	return img
}

func qr(t testing.TB, text string, version, level int, gs1 bool) *image.Gray {
	return qrModules(t, text, version, level, gs1).drawn(4)
}

// dm draws text as a rectangular or square symbol: \x1d is FNC1.
func dm(t testing.TB, text string, columns, rows int) *image.Gray {
	return dmModules(t, gs1Words(text), columns, rows).drawn(2)
}

var qrLevels = []qrdecoder.ErrorCorrectionLevel{
	qrdecoder.ErrorCorrectionLevel_L, qrdecoder.ErrorCorrectionLevel_M, qrdecoder.ErrorCorrectionLevel_Q, qrdecoder.ErrorCorrectionLevel_H,
}

// qrModules encodes text by the reference.
func qrModules(t testing.TB, text string, version, level int, gs1 bool) modules {
	t.Helper()
	hints := map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_CHARACTER_SET: "UTF-8"}
	if version > 0 {
		hints[gozxing.EncodeHintType_QR_VERSION] = version
	}
	if gs1 {
		hints[gozxing.EncodeHintType_GS1_FORMAT] = true
	}
	code, err := qrencoder.Encoder_encode(text, qrLevels[level], hints)
	if err != nil {
		t.Fatalf("drawing %q as version %d, level %d: %v", text, version, level, err)
	}
	b := code.GetMatrix()
	m := modules{columns: b.GetWidth(), rows: b.GetHeight()}
	for y := range m.rows {
		for x := range m.columns {
			m.dark = append(m.dark, b.Get(x, y) == 1)
		}
	}
	return m
}

// dmModules encodes the data codewords, padded, by the reference.
func dmModules(t testing.TB, data []uint8, columns, rows int) modules {
	t.Helper()
	shape := encoder.SymbolShapeHint_FORCE_SQUARE
	if rows != columns {
		shape = encoder.SymbolShapeHint_FORCE_RECTANGLE
	}
	side, err := gozxing.NewDimension(columns, rows)
	if err != nil {
		t.Fatal(err)
	}
	info, err := encoder.SymbolInfo_Lookup(len(data), shape, side, side, true)
	if err != nil {
		t.Fatalf("the reference has no symbol of %d by %d: %v", columns, rows, err)
	}
	words, err := encoder.ErrorCorrection_EncodeECC200(padded(data, info.GetDataCapacity()), info)
	if err != nil {
		t.Fatal(err)
	}
	p := encoder.NewDefaultPlacement(words, info.GetSymbolDataWidth(), info.GetSymbolDataHeight())
	p.Place()
	m := modules{columns, rows, make([]bool, columns*rows)}
	w, h := info.GetMatrixWidth(), info.GetMatrixHeight()
	for y := range m.rows {
		for x := range m.columns {
			i, j := x%(w+2), y%(h+2)
			dark := i == 0 || j == h+1 || j == 0 && i%2 == 0 || i == w+1 && j%2 == 1
			if i > 0 && i <= w && j > 0 && j <= h {
				dark = p.GetBit(x/(w+2)*w+i-1, y/(h+2)*h+j-1)
			}
			m.dark[y*m.columns+x] = dark
		}
	}
	return m
}

// padded pads data as in annex B.
func padded(data []uint8, to int) []uint8 {
	out := append([]uint8{}, data...)
	for len(out) < to {
		v := 129
		if len(out) > len(data) {
			v += 149*(len(out)+1)%253 + 1
			if v > 254 {
				v -= 254
			}
		}
		out = append(out, uint8(v))
	}
	return out
}

// gs1Words returns an element string in ASCII encodation: \x1d is FNC1.
func gs1Words(text string) []uint8 {
	digit := func(i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }
	var words []uint8
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\x1d':
			words = append(words, fnc1)
		case digit(i) && digit(i+1):
			words = append(words, 130+10*(text[i]-'0')+text[i+1]-'0')
			i++
		default:
			words = append(words, text[i]+1)
		}
	}
	return words
}
