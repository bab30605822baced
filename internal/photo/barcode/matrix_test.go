package barcode

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/qrcode"
	"golang.org/x/image/draw"
)

const (
	link    = "https://id.gs1.org/01/09506000134352/10/ABC123?17=270228"
	element = "010950600013435217270228" + "10ABC123"
)

// drawn draws a symbol with a white border of quiet modules.
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

// dm is the text in a symbol that is long or square: \x1d is FNC1.
func dm(t testing.TB, text string, columns, rows int) *image.Gray {
	t.Helper()
	i := slices.IndexFunc(dmSizes, func(s dmSize) bool { return s.columns == columns && s.rows == rows })
	return dmModules(t, gs1Words(text), dmSizes[i]).drawn(2)
}

func TestMatrixDrawn(t *testing.T) {
	product := ean13(t, "8801234567893")
	code := qr(t, link, 0, 1, false)
	tests := []struct {
		name string
		img  image.Image
		want string
	}{
		{"QR Code", at(code, 4, 0), "QR Code 09506000134352"},
		{"QR Code turned 33°", at(code, 4, 33), "QR Code 09506000134352"},
		{"QR Code of GS1's", at(qr(t, element, 0, 2, true), 4, 120), "QR Code 09506000134352"},
		{"QR Code beside an EAN-13", on(at(code, 3, 0), at(product, 3, 0)), "EAN-13 08801234567893, QR Code 09506000134352"},
		{"QR Code beside a shop's", on(at(qr(t, "https://example.com/a?b=1", 0, 1, false), 4, 0), at(code, 4, 0)), "QR Code 09506000134352"},
		{"QR Code of a shop", at(qr(t, "https://example.com/a?b=1", 0, 1, false), 4, 0), ""},
		{"QR Code that says no more than digits", at(qr(t, "0109506000134352", 0, 1, false), 4, 0), ""},
		{"QR Code of a wrong check digit", at(qr(t, strings.Replace(link, "352/", "353/", 1), 0, 1, false), 4, 0), ""},
		{"DataMatrix", at(dm(t, "\x1d"+element, 20, 20), 5, 0), "DataMatrix 09506000134352"},
		{"DataMatrix on stripes", on(at(dm(t, "\x1d"+element, 20, 20), 5, 40)), "DataMatrix 09506000134352"},
		{"DataMatrix that is long", at(dm(t, "\x1d"+element, 36, 12), 5, 0), "DataMatrix 09506000134352"},
		{"DataMatrix of a Digital Link", at(dm(t, link, 32, 32), 5, 200), "DataMatrix 09506000134352"},
		{"DataMatrix of brackets", at(dm(t, "(01)09506000134352(17)270228(10)ABC123", 32, 32), 5, 0), "DataMatrix 09506000134352"},
		{"DataMatrix without FNC1", at(dm(t, element, 20, 20), 5, 0), ""},
		{"both", on(at(code, 3, 0), at(dm(t, "\x1d"+element, 20, 20), 4, 0)), "DataMatrix 09506000134352, QR Code 09506000134352"},
	}
	for _, test := range tests {
		got := Read(t.Context(), test.img)
		if said(got) != test.want {
			t.Errorf("%s: Read = %q, want %q", test.name, said(got), test.want)
		}
		for _, c := range got {
			if c.GS1 != nil && (c.GS1.Lot != "ABC123" || c.GS1.UseBy != "270228") {
				t.Errorf("%s: GS1 = %+v, want the lot ABC123 and 270228", test.name, c.GS1)
			}
		}
	}
}

// A symbol's box is around its modules.
func TestMatrixBox(t *testing.T) {
	for name, m := range map[string]modules{
		"QR Code": qrModules(t, link, 4, 1, false), "DataMatrix": dmModules(t, gs1Words("\x1d"+element), dmSizes[5]),
	} {
		img := white(1000, 500)
		code := at(m.drawn(4), 5, 0)
		draw.Draw(img, code.Bounds().Add(image.Pt(400, 150)), code, image.Point{}, draw.Src)
		got := Read(t.Context(), img)
		if len(got) != 1 || got[0].Symbology != name || got[0].Reads != 1 {
			t.Fatalf("Read = %v, want one %s", got, name)
		}
		want := [4]int{340, 420, 340 + 10*m.rows, 420 + 5*m.columns}
		for i, v := range got[0].Box {
			if v < want[i]-3 || v > want[i]+3 {
				t.Errorf("%s: Box = %v, want about %v", name, got[0].Box, want)
				break
			}
		}
	}
}

// reference is what gozxing's reader says of the whole picture.
func reference(img image.Image, reader gozxing.Reader) (text string) {
	defer func() {
		if recover() != nil { // it indexes by what it reads
			text = ""
		}
	}()
	p := grey(img, 1<<30)
	source, err := gozxing.NewPlanarYUVLuminanceSource(p.pix, p.width, p.height, 0, 0, p.width, p.height, false)
	if err != nil {
		return ""
	}
	bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewHybridBinarizer(source))
	if err != nil {
		return ""
	}
	result, err := reader.Decode(bitmap, nil)
	if err != nil {
		return ""
	}
	return result.GetText()
}

// A drawing is a symbol and what it says.
type drawing struct {
	name, text string
	img        *image.Gray
}

func drawings(t testing.TB) []drawing {
	long := link + "&3103=000195&21=" + strings.Repeat("X1y2Z3", 3)
	var all []drawing
	for _, x := range []struct {
		text           string
		version, level int
		gs1            bool
	}{
		{"0109506000134352", 1, 0, true}, {"01095060001343521727022810ABC123", 2, 1, true}, {link, 4, 0, false}, {link, 6, 2, false},
		{link, 7, 3, false}, {long, 8, 1, false}, {long, 14, 3, false}, {"(01)09506000134352(10)" + strings.Repeat("L", 20), 25, 3, false},
	} {
		all = append(all, drawing{"QR Code", x.text, qr(t, x.text, x.version, x.level, x.gs1)})
	}
	for _, x := range []struct {
		text          string
		columns, rows int
	}{
		{"\x1d0109506000134352", 16, 16}, {"\x1d010950600013435210A", 18, 18}, {"\x1d01095060001343521727022810ABC123", 20, 20}, {"\x1d01095060001343521727022810ABCDEFGH\x1d21XYZ", 24, 24},
		{"\x1d0109506000134352" + "10ABCDEFGHIJ1234\x1d21ABCDEF123456789", 32, 32}, {link, 36, 36}, {"\x1d0109506000134352", 32, 8}, {"\x1d01095060001343521727022810ABC123", 36, 12},
		{"\x1d0109506000134352" + "10ABC123", 26, 12}, {link, 52, 52},
	} {
		all = append(all, drawing{"DataMatrix", x.text, dm(t, x.text, x.columns, x.rows)})
	}
	return all
}

// What is read of drawn symbols is right, and at least nine of ten that the
// reference reads are read. The table has all of them with -every.
func TestMatrixYield(t *testing.T) {
	total := map[string]*yield{"QR Code": {}, "DataMatrix": {}}
	symbols := drawings(t)
	t.Logf("%-45s %-28s %s", "", "QR Code: ours, reference", "DataMatrix: ours, reference")
	for i, w := range ways() {
		row := map[string]*yield{"QR Code": {}, "DataMatrix": {}}
		for j, s := range symbols {
			if !*every && (i+j)%5 != 0 {
				continue
			}
			img := w.do(s.img, rand.New(rand.NewPCG(uint64(i), uint64(j))))
			one := s.compare(t, w.name, img)
			row[s.name].add(one)
			total[s.name].add(one)
		}
		t.Logf("%-45s %-28s %s", w.name, row["QR Code"], row["DataMatrix"])
	}
	t.Logf("%-45s %-28s %s", "all", total["QR Code"], total["DataMatrix"])
	for name, y := range total {
		if y.both*10 < y.reference*9 {
			t.Errorf("%s: %d read of %d that the reference reads, want 90 %%", name, y.both, y.reference)
		}
	}
}

type yield struct{ ours, reference, both, of int }

func (y *yield) add(o yield) {
	*y = yield{y.ours + o.ours, y.reference + o.reference, y.both + o.both, y.of + o.of}
}

func (y *yield) String() string {
	return fmt.Sprintf("%3d, %3d of %d (both %d)", y.ours, y.reference, y.of, y.both)
}

func (s drawing) compare(t *testing.T, how string, img image.Image) yield {
	t.Helper()
	var reader gozxing.Reader = qrcode.NewQRCodeReader()
	if s.name == "DataMatrix" {
		reader = datamatrix.NewDataMatrixReader()
	}
	y := yield{of: 1}
	for _, c := range Read(t.Context(), img) {
		if c.Symbology != s.name || c.Text != s.text {
			t.Errorf("%s of %q, %s: Read has a %s that says %q", s.name, s.text, how, c.Symbology, c.Text)
		} else {
			y.ours++
		}
	}
	if reference(img, reader) == s.text {
		y.reference, y.both = 1, y.ours
	}
	return y
}

// What looks like a symbol and is none is not read.
func TestMatrixFalse(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 12 {
		size := dmSizes[r.IntN(len(dmSizes))]
		m := dmModules(t, nil, size)
		for i := range m.dark {
			x, y := i%m.columns, i/m.columns
			if x > 0 && y > 0 && x < m.columns-1 && y < m.rows-1 {
				m.dark[i] = r.IntN(2) == 0
			}
		}
		q := qrModules(t, link, 4, 1, false)
		for i := range q.dark {
			if !qrPattern(i%q.columns, i/q.columns, 4, qrAligned(4)) {
				q.dark[i] = r.IntN(2) == 0
			}
		}
		img := on(at(q.drawn(4), 3, 90*math.Floor(4*r.Float64())), at(m.drawn(2), 3, 0))
		if got := Read(t.Context(), img); len(got) != 0 {
			t.Errorf("Read = %v, want nothing of symbols at random", got)
		}
	}
}
