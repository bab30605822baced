package barcode

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"golang.org/x/image/draw"
)

// fine is how many pixels a module has before a drawing is scaled down.
const fine = 8

// bars draws a symbol with a white border of `quiet` modules, `tall` modules high.
func bars(t testing.TB, w gozxing.Writer, format gozxing.BarcodeFormat, text string, quiet, tall int) *image.Gray {
	t.Helper()
	hints := map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_MARGIN: 0}
	m, err := w.Encode(text, format, 1, 1, hints)
	if err != nil {
		t.Fatalf("drawing %q: %v", text, err)
	}
	rows := max(tall, m.GetHeight())
	img := white((m.GetWidth()+2*quiet)*fine, (rows+8)*fine)
	for y := range rows {
		for x := range m.GetWidth() {
			if m.Get(x, min(y, m.GetHeight()-1)) {
				at := image.Rect(x+quiet, y+4, x+quiet+1, y+5)
				draw.Draw(img, image.Rectangle{at.Min.Mul(fine), at.Max.Mul(fine)}, image.Black, image.Point{}, draw.Src)
			}
		}
	}
	return img
}

func white(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	return img
}

func ean13(t testing.TB, text string) *image.Gray {
	return bars(t, oned.NewEAN13Writer(), gozxing.BarcodeFormat_EAN_13, text, 11, 50)
}

func ean8(t testing.TB, text string, quiet int) *image.Gray {
	return bars(t, oned.NewEAN8Writer(), gozxing.BarcodeFormat_EAN_8, text, quiet, 40)
}

func upce(t testing.TB, text string, quiet int) *image.Gray {
	return bars(t, oned.NewUPCEWriter(), gozxing.BarcodeFormat_UPC_E, text, quiet, 40)
}

// at scales a drawing so that a module has that many pixels, and rotates it.
func at(img image.Image, module, degrees float64) image.Image {
	return warp(img, degrees, module/fine, module/fine)
}

// on puts pictures side by side on a printed pattern of stripes.
func on(parts ...image.Image) image.Image {
	w, h := 40, 0
	for _, p := range parts {
		w, h = w+p.Bounds().Dx()+40, max(h, p.Bounds().Dy()+80)
	}
	out := white(w, h)
	for i := range out.Pix {
		out.Pix[i] = uint8(120 + (i%w/7+i/w/5)%3*50)
	}
	x := 40
	for _, p := range parts {
		draw.Draw(out, image.Rect(x, 40, x+p.Bounds().Dx(), 40+p.Bounds().Dy()), p, p.Bounds().Min, draw.Src)
		x += p.Bounds().Dx() + 40
	}
	return out
}

// inverted returns light bars on dark.
func inverted(img image.Image) image.Image {
	return mapped(img, func(v float64) float64 { return 255 - v })
}

func flat(img image.Image) image.Image {
	return mapped(img, func(v float64) float64 { return 100 + v/12 })
}

func TestDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	product := ean13(t, "8801234567893")
	upca := ean13(t, "0036000291452")
	short := ean8(t, "96385074", 7)
	tiny := upce(t, "01234565", 9)
	tests := []struct {
		name string
		img  image.Image
		want string
	}{
		{"EAN-13", at(product, 3, 0), "EAN-13 08801234567893"},
		{"EAN-13 turned 90°", at(product, 3, 90), "EAN-13 08801234567893"},
		{"EAN-13 upside down", at(product, 3, 180), "EAN-13 08801234567893"},
		{"EAN-13 turned 270°", at(product, 3, 270), "EAN-13 08801234567893"},
		{"EAN-13 turned 11°", at(product, 3, 11), "EAN-13 08801234567893"},
		{"EAN-13 turned 34°", at(product, 3, 34), "EAN-13 08801234567893"},
		{"EAN-13 turned 60°", at(product, 3, 60), "EAN-13 08801234567893"},
		{"EAN-13 of 1.7 pixels a module", at(product, 1.7, 0), "EAN-13 08801234567893"},
		{"EAN-13 of 12 pixels a module", at(product, 12, 2), "EAN-13 08801234567893"},
		{"EAN-13 blurred", warp(at(product, 1.6, 0), 0, 2, 2), "EAN-13 08801234567893"},
		{"EAN-13 with noise", noisy(at(product, 3, 3), 14, r), "EAN-13 08801234567893"},
		{"EAN-13 of low contrast", flat(at(product, 3, 0)), "EAN-13 08801234567893"},
		{"EAN-13 as metal throws it back", inverted(at(product, 3, 0)), "EAN-13 08801234567893"},
		{"EAN-13 with 3 modules free", at(bars(t, oned.NewEAN13Writer(), gozxing.BarcodeFormat_EAN_13, "8801234567893", 3, 40), 3, 0), "EAN-13 08801234567893"},
		{"EAN-13 seen from the side", warp(product, 5, 0.22, 0.4), "EAN-13 08801234567893"},
		{"EAN-13 in a compressed picture", compressed(at(product, 2.5, 4), 40), "EAN-13 08801234567893"},
		{"EAN-13 on stripes", on(at(product, 3, 0)), "EAN-13 08801234567893"},
		{"UPC-A", at(upca, 3, 0), "UPC-A 00036000291452"},
		{"EAN-8", at(short, 3, 0), "EAN-8 00000096385074"},
		{"EAN-8 turned 95°", at(short, 3, 95), "EAN-8 00000096385074"},
		{"EAN-8 upside down", at(short, 3, 180), "EAN-8 00000096385074"},
		{"UPC-E", at(tiny, 3, 0), "UPC-E 00012345000065"},
		{"UPC-E upside down", at(tiny, 3, 180), "UPC-E 00012345000065"},
		{"UPC-E of number system 1", at(upce(t, "11234562", 9), 3, 0), "UPC-E 00112345000062"},
		{"two codes", on(at(product, 2, 0), at(upca, 2, 0)), "EAN-13 08801234567893, UPC-A 00036000291452"},
		{"two codes at right angles", on(at(product, 2, 0), at(short, 2, 90)), "EAN-13 08801234567893, EAN-8 00000096385074"},
		{"the same code twice", on(at(product, 2, 0), at(product, 2, 90)), "EAN-13 08801234567893"},
		{"all edges at even columns", on(at(product, 4, 0), white(400, 400)), "EAN-13 08801234567893"},
		{"all edges at even rows", on(at(product, 4, 90), white(400, 400)), "EAN-13 08801234567893"},
		{"6 MP", on(at(product, 2, 0), white(3500, 1700)), "EAN-13 08801234567893"},
	}
	for _, test := range tests {
		if got := said(Read(t.Context(), test.img)); got != test.want {
			t.Errorf("%s: Read = %q, want %q", test.name, got, test.want)
		}
	}
}

func said(codes []Code) string {
	var all []string
	for _, c := range codes {
		all = append(all, c.Symbology+" "+c.GTIN)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Nothing is read if there is no EAN or UPC, or only part of one.
func TestDrawnFalse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	wrong := ean13(t, "8801234567893")
	second := 11 + 3 + 7 // swap modules of the second digit
	swap(wrong, (second)*fine, (second+7)*fine, 7*fine)
	tests := map[string]image.Image{
		"Code 128":                      at(bars(t, oned.NewCode128Writer(), gozxing.BarcodeFormat_CODE_128, "8801234567893", 10, 50), 3, 0),
		"Code 39":                       at(bars(t, oned.NewCode39Writer(), gozxing.BarcodeFormat_CODE_39, "8801234567893", 10, 50), 3, 5),
		"ITF-14":                        at(bars(t, oned.NewITFWriter(), gozxing.BarcodeFormat_ITF, "18801234567890", 10, 50), 3, 0),
		"a digit exchanged":             at(wrong, 3, 0),
		"half an EAN-13":                at(ean13(t, "8801234567893").SubImage(image.Rect(0, 0, (11+50)*fine, 58*fine)), 3, 0),
		"EAN-8 without room":            on(at(ean8(t, "96385074", 2), 3, 0)),
		"UPC-E without room":            on(at(upce(t, "01234565", 2), 3, 0)),
		"a single line":                 lone(at(ean13(t, "8801234567893"), 3, 0)),
		"even noise":                    noisy(white(600, 400), 60, r),
		"a picture of one pixel":        white(1, 1),
		"an empty picture":              image.NewGray(image.Rectangle{}),
		"a picture wider than any line": white(70_000, 5),
	}
	for seed := range uint64(40) {
		tests["a fence "+string(rune('a'+seed))] = fence(seed)
	}
	for name, img := range tests {
		if got := said(Read(t.Context(), img)); got != "" {
			t.Errorf("%s: Read = %q, want nothing", name, got)
		}
	}
}

// swap exchanges two stripes of a drawing.
func swap(img *image.Gray, a, b, width int) {
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:]
		for i := range width {
			row[a+i], row[b+i] = row[b+i], row[a+i]
		}
	}
}

// lone returns two rows of a picture.
func lone(img image.Image) image.Image {
	out := white(img.Bounds().Dx(), img.Bounds().Dy())
	draw.Draw(out, image.Rect(0, 100, out.Rect.Dx(), 101), img, image.Pt(0, 80), draw.Src)
	return out
}

// fence draws bars of 1 to 4 modules, as in codes, the same on every line.
func fence(seed uint64) image.Image {
	r := rand.New(rand.NewPCG(seed, 8))
	img := white(500, 120)
	for x, dark := 40, true; x < 460; dark = !dark {
		w := 3 * (1 + r.IntN(4))
		if dark {
			draw.Draw(img, image.Rect(x, 10, min(460, x+w), 110), image.NewUniform(color.Gray{30}), image.Point{}, draw.Src)
		}
		x += w
	}
	return img
}

func TestBox(t *testing.T) {
	img := white(1000, 500)
	code := at(bars(t, oned.NewEAN13Writer(), gozxing.BarcodeFormat_EAN_13, "8801234567893", 11, 50), 2, 0)
	draw.Draw(img, code.Bounds().Add(image.Pt(600, 200)), code, image.Point{}, draw.Src)
	got := Read(t.Context(), img)
	if len(got) != 1 {
		t.Fatalf("Read = %v, want one code", got)
	}
	// 22 empty pixels on the left, 190 of bars; 8 empty pixels above, 100 of bars.
	want := [4]int{416, 622, 616, 812}
	for i, v := range got[0].Box {
		if v < want[i]-10 || v > want[i]+10 {
			t.Errorf("Box = %v, want about %v", got[0].Box, want)
			break
		}
	}
	if got[0].Reads < 10 || got[0].Text != "8801234567893" {
		t.Errorf("Reads, Text = %d, %q; want 10 lines or more, 8801234567893", got[0].Reads, got[0].Text)
	}
}
