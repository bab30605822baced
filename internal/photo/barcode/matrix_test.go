package barcode

import (
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/draw"
)

const (
	link    = "https://id.gs1.org/01/09506000134352/10/ABC123?17=270228"
	element = "010950600013435217270228" + "10ABC123"
)

func TestMatrixDrawn(t *testing.T) {
	product := ean13(t, "8801234567893")
	code := qr(t, link, 0, 1, false)
	tests := []struct {
		name string
		img  image.Image
		want string
	}{
		{"QR Code", at(code, 4, 0), "QR Code 09506000134352"},
		{"QR Code of 13 pixels a module", at(code, 13, 0), "QR Code 09506000134352"},
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
		"QR Code": qrModules(t, link, 4, 1, false), "DataMatrix": dmModules(t, gs1Words("\x1d"+element), 20, 20),
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
			if v < want[i]-6 || v > want[i]+6 {
				t.Errorf("%s: Box = %v, want about %v", name, got[0].Box, want)
				break
			}
		}
	}
}

// A drawing is a symbol and its content.
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

// What is read in drawn symbols is right, and the number read does not drop. With -every
// the table contains all of them.
func TestMatrixYield(t *testing.T) {
	total := map[string]*yield{"QR Code": {}, "DataMatrix": {}}
	symbols := drawings(t)
	for i, w := range ways() {
		row := map[string]*yield{"QR Code": {}, "DataMatrix": {}}
		for j, s := range symbols {
			if !*every && (i+j)%5 != 0 {
				continue
			}
			img := w.do(s.img, rand.New(rand.NewPCG(uint64(i), uint64(j))))
			whole, boxed := s.reads(t, Read(t.Context(), img)), s.reads(t, ReadIn(t.Context(), img, [][4]int{{100, 100, 900, 900}}))
			for _, n := range []*yield{row[s.name], total[s.name]} {
				n.of, n.whole, n.boxed = n.of+1, n.whole+whole, n.boxed+boxed
			}
		}
		t.Logf("%-45s QR Code %s, DataMatrix %s", w.name, row["QR Code"], row["DataMatrix"])
	}
	t.Logf("%-45s QR Code %s, DataMatrix %s", "all", total["QR Code"], total["DataMatrix"])
	for name, want := range map[string]yield{"QR Code": {whole: 37, boxed: 45}, "DataMatrix": {whole: 46, boxed: 54}} {
		if got := total[name]; !*every && (got.whole < want.whole || got.boxed < want.boxed) {
			t.Errorf("%s: %s; want %d and %d at least", name, got, want.whole, want.boxed)
		}
	}
}

// A yield is how many drawings were read in the whole picture and in a box.
type yield struct{ whole, boxed, of int }

func (y *yield) String() string { return fmt.Sprintf("%d, in a box %d, of %d", y.whole, y.boxed, y.of) }

// reads returns 1 if codes are the drawing's, 0 if there are none.
func (d drawing) reads(t *testing.T, codes []Code) int {
	t.Helper()
	for _, c := range codes {
		if c.Symbology != d.name || strings.Trim(c.Text, "\x1d") != strings.Trim(d.text, "\x1d") {
			t.Errorf("%s %q reads as %s %q", d.name, d.text, c.Symbology, c.Text)
		}
	}
	return len(codes)
}
