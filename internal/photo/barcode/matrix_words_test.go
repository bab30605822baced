package barcode

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix/encoder"
	qrdecoder "github.com/makiuchi-d/gozxing/qrcode/decoder"
	qrencoder "github.com/makiuchi-d/gozxing/qrcode/encoder"
)

var levels = []qrdecoder.ErrorCorrectionLevel{
	qrdecoder.ErrorCorrectionLevel_L, qrdecoder.ErrorCorrectionLevel_M, qrdecoder.ErrorCorrectionLevel_Q, qrdecoder.ErrorCorrectionLevel_H,
}

// qrModules draws text by the reference.
func qrModules(t testing.TB, text string, version, level int, gs1 bool) modules {
	t.Helper()
	hints := map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_CHARACTER_SET: "UTF-8"}
	if version > 0 {
		hints[gozxing.EncodeHintType_QR_VERSION] = version
	}
	if gs1 {
		hints[gozxing.EncodeHintType_GS1_FORMAT] = true
	}
	code, err := qrencoder.Encoder_encode(text, levels[level], hints)
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

// dmModules draws the data code words, padded, by the reference.
func dmModules(t testing.TB, data []uint8, size dmSize) modules {
	t.Helper()
	shape := encoder.SymbolShapeHint_FORCE_SQUARE
	if size.rows != size.columns {
		shape = encoder.SymbolShapeHint_FORCE_RECTANGLE
	}
	info, err := encoder.SymbolInfo_Lookup(size.data, shape, nil, nil, true)
	if err != nil || info.GetSymbolWidth() != size.columns || info.GetSymbolHeight() != size.rows {
		t.Fatalf("the reference has no symbol of %d by %d: %v, %v", size.columns, size.rows, info, err)
	}
	words, err := encoder.ErrorCorrection_EncodeECC200(padded(data, size.data), info)
	if err != nil {
		t.Fatal(err)
	}
	p := encoder.NewDefaultPlacement(words, info.GetSymbolDataWidth(), info.GetSymbolDataHeight())
	p.Place()
	m := modules{size.columns, size.rows, make([]bool, size.columns*size.rows)}
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

// padded fills data up as annex B says.
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

// gs1Words is an element string in ASCII encodation: \x1d is FNC1.
func gs1Words(text string) []uint8 {
	digit := func(i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }
	var words []uint8
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\x1d':
			words = append(words, wordFNC1)
		case digit(i) && digit(i+1):
			words = append(words, 130+10*(text[i]-'0')+text[i+1]-'0')
			i++
		default:
			words = append(words, text[i]+1)
		}
	}
	return words
}

// Every version and level is laid out as the reference lays it out.
func TestQRWords(t *testing.T) {
	for version := 1; version <= 40; version++ {
		for level := range levels {
			text := fmt.Sprintf("A%d", version*level)
			if version > 5 {
				text = strings.Repeat("https://a.b/01/ü?17=", version*version/30+1) + text
			}
			m := qrModules(t, text, version, level, false)
			if got, ok := qrRead(m); !ok || got.text != text || got.gs1 {
				t.Errorf("version %d, level %d: qrRead = %q, %v; want %q", version, level, got.text, ok, text)
			}
		}
	}
}

func TestDMWords(t *testing.T) {
	for _, size := range dmSizes {
		text := strings.Repeat("\x1d0109506000134352", size.data/9+1)
		data := gs1Words(text)[:size.data]
		m := dmModules(t, data, size)
		got, ok := dmRead(m, size)
		if !ok || len(got.text) < size.data-1 || !strings.HasPrefix(text, got.text) || !got.gs1 {
			t.Errorf("%d by %d: dmRead = %q, %v; want %q", size.columns, size.rows, got.text, ok, text)
		}
	}
}

// The reference's encoder chooses between the encodations; ours reads them all.
func TestDMText(t *testing.T) {
	for _, text := range []string{
		"A", "12", "123456", "ABCDEFGHIJ123", "abcdefghij 123", "AAAAAA>BBBBBB*CCCC\r", "ABC.DEF-GHI!JKL;MNO?PQR", "\x00\x1f`~\x7f{}",
		"é", "ÄÖÜßéÄÖÜßéÄÖÜßé", "Äbc Ödef", "https://id.gs1.org/01/09506000134352/10/ABC123?17=270228", "AIMAIMAIM\r\r", ".A.C1.3.DATA.123DATA.123DATA", "aimaimaim{aimaim", "AIMaimAIMaim<>\x1e",
		strings.Repeat("üöä", 100),
	} {
		words, err := encoder.EncodeHighLevel(text, encoder.SymbolShapeHint_FORCE_NONE, nil, nil)
		if err != nil {
			t.Fatalf("drawing %q: %v", text, err)
		}
		if got, ok := dmText(words); !ok || got.text != text || got.gs1 {
			t.Errorf("dmText(%v) = %q, %v; want %q", words, got.text, ok, text)
		}
	}
}

// Code words that are as wrong as can be corrected are corrected; with one more,
// a block is refused or, by chance, another's, but never left wrong.
func TestReedSolomon(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, f := range []*field{qrField, dataMatrixField} {
		others := 0
		for range 500 {
			check := 5 + r.IntN(64)
			block := make([]uint8, check+1+r.IntN(255-check))
			for i := range block[:len(block)-check] {
				block[i] = uint8(r.Uint32())
			}
			f.append(block, check)
			want := string(block)
			wrong := min(len(block), r.IntN(check/2+2))
			for _, i := range r.Perm(len(block))[:wrong] {
				block[i] ^= uint8(1 + r.IntN(255))
			}
			ok := f.correct(block, check, check/2)
			switch {
			case wrong <= check/2 && (!ok || string(block) != want):
				t.Fatalf("%d of %d code words wrong, %d of check: correct = %v, or they are others", wrong, len(block), check, ok)
			case ok && wrong > check/2:
				others++
			}
			if _, whole := f.syndromes(block, check); ok && !whole {
				t.Fatal("correct reports a block whose syndromes are not zero")
			}
		}
		if others > 5 {
			t.Errorf("%d blocks with an error too many were taken for others", others)
		}
	}
}

// append computes the check code words, by dividing as the standards do.
func (f *field) append(block []uint8, check int) {
	generator := []uint8{1} // the highest power first
	for i := range check {
		next := make([]uint8, len(generator)+1)
		for j, g := range generator {
			next[j] ^= g
			next[j+1] ^= f.times(g, f.exp[(f.first+i)%255])
		}
		generator = next
	}
	rest := append([]uint8{}, block...)
	clear(rest[len(rest)-check:])
	for i := range len(rest) - check {
		for j := 1; j <= check; j++ {
			rest[i+j] ^= f.times(generator[j], rest[i])
		}
	}
	copy(block[len(block)-check:], rest[len(rest)-check:])
}

func FuzzQRText(f *testing.F) {
	f.Add([]byte{0x10, 0x20, 0x0c, 0x56, 0x61, 0x80}, 1)
	f.Add([]byte{0x51, 0x10, 0xff, 0xff, 0xff}, 27)
	f.Add([]byte{0x40, 0xff, 0xff}, 9)
	f.Fuzz(func(t *testing.T, data []byte, version int) {
		m, ok := qrText(data, version)
		if len(m.text) > 2*len(data)*4 || !ok && m.text != "" {
			t.Errorf("qrText(%x, %d) = %q, %v", data, version, m.text, ok)
		}
	})
}

func FuzzDMText(f *testing.F) {
	for _, seed := range [][]byte{{230, 1, 2}, {231, 0, 9}, {231, 250}, {238, 0, 0}, {239, 255, 255, 254}, {240, 255}, {240, 0x7c, 1, 2, 3}, {241, 200}, {232, 130, 129, 7}, {235}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, ok := dmText(data)
		if len(m.text) > 2*len(data)*3 || !ok && m.text != "" {
			t.Errorf("dmText(%x) = %q, %v", data, m.text, ok)
		}
	})
}

// FuzzModules reads symbols of modules at random, as well as of their data.
func FuzzModules(f *testing.F) {
	f.Add([]byte("some modules"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		fill := func(columns, rows int) modules {
			m := modules{columns, rows, make([]bool, columns*rows)}
			for i := range m.dark {
				m.dark[i] = len(data) > 0 && data[i/8%len(data)]>>(i%8)&1 == 1
			}
			return m
		}
		size := 17 + 4*(1+int(n)%40)
		qrRead(fill(size, size))
		dm := dmSizes[int(n)%len(dmSizes)]
		dmRead(fill(dm.columns, dm.rows), dm)
	})
}
