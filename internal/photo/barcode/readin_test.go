package barcode

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"golang.org/x/image/draw"
)

// moved returns box with each side moved by up to a tenth of the box's size.
func moved(box [4]int, r *rand.Rand) [4]int {
	h, w := float64(box[2]-box[0]), float64(box[3]-box[1])
	off := func(size float64) int { return int((r.Float64()*0.2 - 0.1) * max(size, 10)) }
	return [4]int{box[0] + off(h), box[1] + off(w), box[2] + off(h), box[3] + off(w)}
}

// A code that is read in the whole picture is also read in a model's box that is off by a
// tenth.
func TestReadInReal(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	of, lost := 0, 0
	for _, s := range realPhotos(t) {
		for _, c := range Read(t.Context(), s.img) {
			of++
			got := ReadIn(t.Context(), s.img, [][4]int{moved(c.Box, r)})
			if bad := others(got, s.wants); len(bad) > 0 {
				t.Errorf("%s: ReadIn = %v, want %v", s.name, bad, s.wants)
			}
			if !slices.ContainsFunc(got, func(o Code) bool { return o.GTIN == c.GTIN }) {
				lost++
				t.Logf("lost: %s %v", s.name, c.Box)
			}
		}
	}
	t.Logf("lost %d of %d", lost, of)
	if lost > 1 {
		t.Errorf("lost %d of %d, want 1 at most", lost, of)
	}
}

// others returns the GTINs of codes that are not in wants.
func others(codes []Code, wants []string) []string {
	return slices.DeleteFunc(gtins(codes), func(g string) bool { return slices.Contains(wants, g) })
}

// Nothing is read in boxes of photos without codes.
func TestReadInNothingReal(t *testing.T) {
	for _, s := range realPhotos(t) {
		if s.wants != nil {
			continue
		}
		for _, box := range [][4]int{{0, 0, 1000, 1000}, {400, 300, 600, 700}} {
			if got := ReadIn(t.Context(), s.img, [][4]int{box}); got != nil {
				t.Errorf("%s: ReadIn(%v) = %v, want nothing", s.name, box, got)
			}
		}
	}
}

func itf(t testing.TB, text string) *image.Gray {
	return bars(t, oned.NewITFWriter(), gozxing.BarcodeFormat_ITF, text, 14, 50)
}

// code128 draws text; \u00f1 is FNC1.
func code128(t testing.TB, text string) *image.Gray {
	return bars(t, oned.NewCode128Writer(), gozxing.BarcodeFormat_CODE_128, text, 12, 50)
}

func TestReadInDrawn(t *testing.T) {
	tests := []struct {
		name string
		img  image.Image
		want string
	}{
		{"ITF-14", at(itf(t, "18801234567890"), 3, 0), "ITF-14 18801234567890"},
		{"ITF-14 turned 90°", at(itf(t, "18801234567890"), 3, 90), "ITF-14 18801234567890"},
		{"ITF-14 turned 20°", at(itf(t, "18801234567890"), 3, 20), "ITF-14 18801234567890"},
		{"ITF-14 of a wrong check digit", at(itf(t, "18801234567891"), 3, 0), ""},
		{"ITF of 10 digits", at(itf(t, "1880123456"), 3, 0), ""},
		{"GS1-128", at(code128(t, "\u00f1010950600013435217270228"+"10ABC123"), 2.5, 0), "GS1-128 09506000134352"},
		{"GS1-128 upside down", at(code128(t, "\u00f1010950600013435210ABC\u00f117270228"), 3, 180), "GS1-128 09506000134352"},
		{"Code 128 without FNC1", at(code128(t, "010950600013435217270228"), 3, 0), ""},
		{"GS1-128 of a wrong check digit", at(code128(t, "\u00f10109506000134353"), 3, 0), ""},
		{"GS1-128 of an unknown identifier", at(code128(t, "\u00f10109506000134352"+"\u00f10512345"), 3, 0), ""},
		{"GS1-128 without a GTIN", at(code128(t, "\u00f110ABC123"), 3, 0), ""},
		{"EAN-13", at(ean13(t, "8801234567893"), 3, 30), "EAN-13 08801234567893"},
		{"QR Code", at(qr(t, link, 0, 1, false), 4, 12), "QR Code 09506000134352"},
		{"DataMatrix", at(dm(t, "\x1d"+element, 20, 20), 4, 0), "DataMatrix 09506000134352"},
	}
	for _, test := range tests {
		img := white(1000, 800)
		b := test.img.Bounds()
		draw.Draw(img, b.Add(image.Pt(200, 150)), test.img, b.Min, draw.Src)
		box := [4]int{150 * 1000 / 800, 200, (150 + b.Dy()) * 1000 / 800, 200 + b.Dx()}
		got := ReadIn(t.Context(), img, [][4]int{box})
		if said(got) != test.want {
			t.Errorf("%s: ReadIn = %q, want %q", test.name, said(got), test.want)
		}
		for _, c := range got {
			if far := 40; c.Box[0] < box[0]-far || c.Box[1] < box[1]-far || c.Box[2] > box[2]+far || c.Box[3] > box[3]+far {
				t.Errorf("%s: Box = %v, want within %v", test.name, c.Box, box)
			}
		}
	}
}

// Boxes may have any values.
func TestReadInAnyBox(t *testing.T) {
	img := at(ean13(t, "8801234567893"), 3, 0)
	for _, box := range [][4]int{{0, 0, 0, 0}, {1000, 1000, 1000, 1000}, {900, 800, 100, 200}, {-5, -900, 70000, 12}, {500, 500, 500, 501}} {
		for _, c := range ReadIn(t.Context(), img, [][4]int{box}) {
			if c.GTIN != "08801234567893" {
				t.Errorf("ReadIn(%v) = %v", box, c)
			}
		}
	}
	if got := ReadIn(t.Context(), img, nil); got != nil {
		t.Errorf("ReadIn of no box = %v, want nothing", got)
	}
	if got := ReadIn(t.Context(), img, slices.Repeat([][4]int{{0, 0, 1000, 1000}}, 20)); len(got) != 1 {
		t.Errorf("ReadIn of one box, twenty times = %v, want one code", got)
	}
}

// broken is an image that cannot be read.
type broken struct{ image.Image }

func (b broken) At(x, y int) color.Color { panic("no such pixel") }

// A picture that makes the decoder panic has no codes, and the program continues.
func TestPanic(t *testing.T) {
	img := broken{at(ean13(t, "8801234567893"), 3, 0)}
	if got := Read(t.Context(), img); got != nil {
		t.Errorf("Read = %v, want nothing", got)
	}
	if got := ReadIn(t.Context(), img, [][4]int{{0, 0, 1000, 1000}}); got != nil {
		t.Errorf("ReadIn = %v, want nothing", got)
	}
}

// Reading a picture full of finder patterns is cut short: complete, it would take 11 s.
func TestReadInBounded(t *testing.T) {
	img := white(1600, 1250)
	runs := []uint8{0, 255, 0, 0, 0, 255, 0, 255}
	for i := range img.Pix {
		img.Pix[i] = runs[i%1600/3%8] | runs[i/1600/3%8]
	}
	start := processorTime()
	if got := ReadIn(t.Context(), img, [][4]int{{0, 0, 1000, 1000}}); got != nil {
		t.Errorf("ReadIn = %v, want nothing", got)
	}
	if took := processorTime() - start; took > 3*time.Second {
		t.Errorf("ReadIn took %v, want less than 3 s", took)
	}
}
