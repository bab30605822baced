package barcode

import (
	"context"
	"image"
	"image/color"
	"image/color/palette"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"
)

// votes returns n votes for text on lines 3 pixels apart, from (x, y) on.
func votes(name, text string, n int, x, y float32) []vote {
	var all []vote
	for i := range n {
		start := y + 3*float32(i)
		all = append(all, vote{
			read: read{gtin: text, text: text, name: name},
			box:  box{x, start, x + 100, start},
		})
	}
	return all
}

func TestAgree(t *testing.T) {
	again := votes("EAN-13", "a", 1, 0, 0)
	near := votes("EAN-13", "a", 3, 0, 0)
	for i := range near {
		near[i].box.y0, near[i].box.y1 = float32(i), float32(i)
	}
	tests := []struct {
		name  string
		votes [][]vote
		want  string
	}{
		{"three lines", [][]vote{votes("EAN-13", "a", 3, 0, 0)}, "EAN-13 a"},
		{"two lines", [][]vote{votes("EAN-13", "a", 2, 0, 0)}, ""},
		{"one line, read three times", [][]vote{again, again, again}, ""},
		{"three neighbours", [][]vote{near}, ""},
		{"EAN-8, too few", [][]vote{votes("EAN-8", "a", 5, 0, 0)}, ""},
		{"EAN-8", [][]vote{votes("EAN-8", "a", 6, 0, 0)}, "EAN-8 a"},
		{"UPC-E, too few", [][]vote{votes("UPC-E", "0a", 4, 0, 0)}, ""},
		{"UPC-E", [][]vote{votes("UPC-E", "0a", 5, 0, 0)}, "UPC-E 0a"},
		{"UPC-E of system 1, too few", [][]vote{votes("UPC-E", "1a", 11, 0, 0)}, ""},
		{"UPC-E of system 1", [][]vote{votes("UPC-E", "1a", 12, 0, 0)}, "UPC-E 1a"},
		{"a weak rival in the same place", [][]vote{votes("EAN-13", "a", 30, 0, 0), votes("UPC-E", "0b", 9, 20, 10)}, "EAN-13 a"},
		{"a strong rival in the same place", [][]vote{votes("EAN-13", "a", 30, 0, 0), votes("EAN-13", "b", 12, 10, 10)}, ""},
		{"a rival too weak to stand alone", [][]vote{votes("EAN-13", "a", 5, 0, 0), votes("EAN-13", "b", 2, 0, 3)}, ""},
		{"another in another place", [][]vote{votes("EAN-13", "a", 30, 0, 0), votes("EAN-13", "b", 12, 300, 10)}, "EAN-13 a, EAN-13 b"},
	}
	for _, test := range tests {
		var all []vote
		for _, v := range test.votes {
			all = append(all, v...)
		}
		var codes []Code
		for _, c := range agree(all) {
			codes = append(codes, Code{GTIN: c.gtin, Symbology: c.name})
		}
		if got := said(codes); got != test.want {
			t.Errorf("%s: agree = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Read(ctx, at(ean13(t, "8801234567893"), 3, 0)); got != nil {
		t.Errorf("Read after the end of its context = %v, want nothing", got)
	}
}

// All image types give the same grey values, scaled or not, and transparent pixels count as
// white.
func TestGrey(t *testing.T) {
	from := image.NewRGBA(image.Rect(2, 3, 50, 43))
	for y := 3; y < 43; y++ {
		for x := 2; x < 50; x++ {
			from.Set(x, y, color.RGBA{uint8(5 * x), uint8(5 * x), uint8(5 * x), 255})
		}
	}
	kinds := []draw.Image{
		image.NewGray(from.Rect), image.NewNRGBA(from.Rect), image.NewRGBA64(from.Rect), image.NewPaletted(from.Rect, grays()),
	}
	for _, limit := range []int{1 << 20, 500} {
		want := grey(from, from.Rect, limit)
		for _, to := range kinds {
			draw.Draw(to, from.Rect, from, from.Rect.Min, draw.Src)
			got := grey(to, from.Rect, limit)
			for i, v := range got.pix {
				if d := int(v) - int(want.pix[i]); d < -1 || d > 1 {
					t.Errorf("grey(%T, %d) = %d at %d, want %d", to, limit, v, i, want.pix[i])
					break
				}
			}
		}
	}
	for _, clear := range []image.Image{image.NewRGBA(from.Rect), image.NewNRGBA(from.Rect), image.NewRGBA64(from.Rect), image.NewPaletted(from.Rect, append(color.Palette{color.Transparent}, palette.Plan9[:9]...))} {
		if got := grey(clear, clear.Bounds(), 1<<20).pix[5]; got != 255 {
			t.Errorf("grey of a transparent %T = %d, want 255", clear, got)
		}
	}
}

func grays() color.Palette {
	var p color.Palette
	for i := range 256 {
		p = append(p, color.Gray{uint8(i)})
	}
	return p
}

// Pictures of every shape can be read.
func TestReadAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, size := range []image.Point{{1, 1}, {1, 900}, {900, 1}, {2, 2}, {3, 40}, {31, 4}, {33, 33}, {64, 65}, {100, 7}, {4000, 3}, {2, 5000}, {3_000_000, 1}} {
		img := noisy(white(size.X, size.Y), 80, r)
		if got := Read(t.Context(), img); got != nil {
			t.Errorf("Read of noise of %v = %v, want nothing", size, got)
		}
	}
}
