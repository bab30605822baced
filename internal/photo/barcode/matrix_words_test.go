package barcode

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// Every version is laid out as the reference lays it out, at one of the levels.
func TestQRWords(t *testing.T) {
	for version := 1; version <= 40; version++ {
		text := fmt.Sprintf("A%d", version)
		if version > 5 {
			text = strings.Repeat("https://a.b/01/ü?17=", version*version/30+1) + text
		}
		m := qrModules(t, text, version, version%4, false)
		if got, ok := qrRead(m); !ok || got.text != text || got.gs1 {
			t.Errorf("version %d, level %d: qrRead = %q, %v; want %q", version, version%4, got.text, ok, text)
		}
	}
}

// The blocks are the reference's in every version and level, and so are the
// alignment patterns.
func TestQRBlocks(t *testing.T) {
	for version := 1; version <= 40; version++ {
		want, err := qrdecoder.Version_GetVersionForNumber(version)
		if err != nil {
			t.Fatal(err)
		}
		if got := qrCentres(version); !slices.Equal(got, want.GetAlignmentPatternCenters()) {
			t.Errorf("qrCentres(%d) = %v, want %v", version, got, want.GetAlignmentPatternCenters())
		}
		for level, as := range levels {
			blocks := want.GetECBlocksForLevel(as)
			check, many := int(qrChecks[level][version]), int(qrBlocks[level][version])
			if check != blocks.GetECCodewordsPerBlock() || many != blocks.GetNumBlocks() {
				t.Errorf("version %d, level %d: %d blocks with %d of check, want %d with %d", version, level, many, check, blocks.GetNumBlocks(), blocks.GetECCodewordsPerBlock())
			}
		}
	}
}

// A QR Code's segments, bit by bit.
func TestQRText(t *testing.T) {
	tests := []struct {
		name, bits string
		version    int
		want       string
		gs1, ok    bool
	}{
		{"digits", "0001 0000001000 0000001100 0101011001 1000011 0000", 1, "01234567", false, true},
		{"one digit more", "0001 0000000001 0111", 1, "7", false, true},
		{"three digits that are none", "0001 0000000011 1111111111", 1, "", false, false},
		{"characters", "0010 000000101 00111001110 11100111001 000010", 1, "AC-42", false, true},
		{"characters that are none", "0010 000000001 101101", 1, "", false, false},
		{"bytes in UTF-8", "0100 00000010 11000011 10111100 0000", 1, "ü", false, true},
		{"bytes in Latin-1", "0100 00000001 11111100 0000", 1, "ü", false, true},
		{"bytes of version 10", "0100 0000000000000001 01000001", 10, "A", false, true},
		{"more bytes than there are", "0100 00000010 01000001", 1, "", false, false},
		{"GS1's", "0101 0001 0000000010 0000001 0010 000000001 100110 0000", 1, "01\x1d", true, true},
		{"GS1's, two percent signs", "0101 0010 000000010 11011010100 0000", 1, "%", true, true},
		{"percent sign that is one", "0010 000000001 100110 0000", 1, "%", false, true},
		{"FNC1 after data", "0001 0000000001 0111 0101 0000", 1, "", false, false},
		{"ECI of one byte", "0111 00011010 0100 00000001 01000001 0000", 1, "A", false, true},
		{"ECI of three bytes", "0111 11000000 00000000 00000011 0100 00000001 01000001", 1, "A", false, true},
		{"Kanji", "1000 00000001 0000000000000 0000", 1, "", false, false},
		{"one of several symbols", "0011 0000 0001 00000000 0100 00000001 01000001", 1, "", false, false},
	}
	for _, test := range tests {
		m, ok := qrText(packed(test.bits), test.version)
		if m.text != test.want || m.gs1 != test.gs1 || ok != test.ok {
			t.Errorf("%s: qrText = %q, %v, %v; want %q, %v, %v", test.name, m.text, m.gs1, ok, test.want, test.gs1, test.ok)
		}
	}
}

// packed makes bytes of bits.
func packed(text string) []uint8 {
	text = strings.ReplaceAll(text, " ", "")
	out := make([]uint8, (len(text)+7)/8)
	for i := range text {
		out[i/8] |= (text[i] - '0') << (7 - i%8)
	}
	return out
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

// FNC1 makes a symbol GS1's where it stands first, and nowhere else.
func TestDMFNC1(t *testing.T) {
	for text, want := range map[string]bool{"\x1d10A\x1d21B": true, "10A\x1d21B": false, "A": false} {
		if m, ok := dmText(gs1Words(text)); !ok || m.gs1 != want || m.text != text {
			t.Errorf("dmText(%q) = %q, %v, %v; want GS1 %v", text, m.text, m.gs1, ok, want)
		}
	}
}

// Format information, version and data are read with modules that are wrong.
func TestWrongModules(t *testing.T) {
	m := qrModules(t, link, 7, 3, false)
	for _, at := range [][2]int{{8, 0}, {8, 2}, {8, 4}, {m.columns - 1, 8}, {m.columns - 3, 8}, {m.columns - 11, 0}, {0, m.columns - 11}, {20, 20}, {30, 30}, {40, 30}} {
		m.dark[at[1]*m.columns+at[0]] = !m.at(at[0], at[1])
	}
	if got, ok := qrRead(m); !ok || got.text != link {
		t.Errorf("qrRead = %q, %v; want %q", got.text, ok, link)
	}
	size := dmSizes[5]
	d := dmModules(t, gs1Words("\x1d"+element), size)
	for _, at := range []int{21, 50, 100, 210, 300} {
		d.dark[at] = !d.dark[at]
	}
	if got, ok := dmRead(d, size); !ok || got.text != "\x1d"+element {
		t.Errorf("dmRead = %q, %v; want %q", got.text, ok, element)
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
