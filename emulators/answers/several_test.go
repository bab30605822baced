package answers

import (
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

// askAbout sends several photos and then texts as the parts of one content.
func askAbout(ctx context.Context, c *genai.Client, config *genai.GenerateContentConfig, photos []*genai.Blob, texts ...string) (*genai.GenerateContentResponse, error) {
	content := &genai.Content{Role: "user"}
	for _, p := range photos {
		content.Parts = append(content.Parts, &genai.Part{InlineData: p})
	}
	for _, t := range texts {
		content.Parts = append(content.Parts, &genai.Part{Text: t})
	}
	return c.Models.GenerateContent(ctx, "emulated-image", []*genai.Content{content}, config)
}

// barcodeOf is a photo of nothing but an EAN-13 code.
func barcodeOf(t testing.TB, digits string) *genai.Blob {
	t.Helper()
	bars, err := oned.NewEAN13Writer().Encode(digits, gozxing.BarcodeFormat_EAN_13, 480, 240, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pngOf(bars)
}

// photosOf are photos by short names: a part of a sample's file name, the digits of
// a barcode, "blank" or "heic".
func photosOf(t testing.TB, names ...string) []*genai.Blob {
	t.Helper()
	var photos []*genai.Blob
	for _, name := range names {
		switch {
		case name == "blank":
			photos = append(photos, pngOf(plain(64, 48, color.White)))
		case name == "heic":
			photos = append(photos, &genai.Blob{MIMEType: "image/heic", Data: []byte("\x00\x00\x00\x18ftypheic")})
		case len(name) == 13 && letters(name) == 0:
			photos = append(photos, barcodeOf(t, name))
		default:
			photos = append(photos, photoOf(t, sampleNamed(t, name)))
		}
	}
	return photos
}

// What is seen on several photos of one product: the text of all, the names of
// the first pack, the products counted.
func TestTogether(t *testing.T) {
	const code, other = "8801234567893", "4901780188352"
	client := geminitest.API(t, start(t, Options{}))
	for _, tt := range []struct {
		photos string
		want   string   // name by brand, products seen, dates, error
		lines  []string // each there once, clear
		absent []string // not there
	}{
		{"oat-latte.webp", "Cold Brew Oat Latte by Ostrawell, 1 [] ", []string{"Cold Brew"}, []string{code, "OSTRAWELL"}},
		{"oat-latte.webp " + code, "Cold Brew Oat Latte by Ostrawell, 1 [] ", []string{"Cold Brew", code}, nil},
		{code + " oat-latte.webp", "Cold Brew Oat Latte by Ostrawell, 1 [] ", []string{"Cold Brew", code}, nil},
		{"oat-latte.webp latte-again", "Cold Brew Oat Latte by Ostrawell, 1 [] ", []string{"OSTRAWELL", "Cold Brew", "No added sugar", "Shake well"}, nil},
		{"latte-again oat-latte.webp", "Cold Brew Oat by Ostrawell, 1 [] ", []string{"OSTRAWELL", "Cold Brew", "No added sugar", "Oat Latte"}, nil},
		{"oat-latte.webp oat-crackers", "Cold Brew Oat Latte by Ostrawell, 2 [14 MAR 2027] ", []string{"Cold Brew", "9 520011 000017"}, nil},
		{"oat-latte.webp latte-again oat-crackers oat-crackers", "Cold Brew Oat Latte by Ostrawell, 2 [14 MAR 2027] ", []string{"Cold Brew", "9 520011 000017"}, nil},
		{"oat-crackers 9520011000017", "Sea Salt Oat Crackers by Brindlemoor, 1 [14 MAR 2027] ", []string{"9 520011 000017"}, []string{"9520011000017"}},
		{"too-dark rice-chips", "현미 누룽지 by 볕고을, 1 [2027.02.18] ", []string{"소비기한 2027.02.18 까지"}, nil},
		{"rice-chips too-dark", "현미 누룽지 by 볕고을, 1 [2027.02.18] ", []string{"소비기한 2027.02.18 까지"}, nil},
		{"too-dark blank", " by , 1 [] ", nil, nil},
		{"mountain-lake oat-crackers", "Sea Salt Oat Crackers by Brindlemoor, 1 [14 MAR 2027] ", []string{"BRINDLEMOOR"}, nil},
		{"mountain-lake mountain-lake", " by , 0 [] no product", nil, nil},
		{"mountain-lake blank", " by , 0 [] ", nil, nil},
		{"heic oat-crackers", "Sea Salt Oat Crackers by Brindlemoor, 1 [14 MAR 2027] ", []string{"BRINDLEMOOR"}, nil},
		{"blank " + code, " by , 1 [] ", []string{code}, nil},
		{code + " blank " + other, " by , 1 [] ", []string{code, other}, nil},
		{code + " " + code, " by , 1 [] ", []string{code}, nil},
		{"blank blank", " by , 0 [] ", nil, nil},
	} {
		resp, err := askAbout(t.Context(), client, geminitest.Wanting("visible_text"), photosOf(t, strings.Fields(tt.photos)...))
		if err != nil {
			t.Fatalf("%s: %v", tt.photos, err)
		}
		var d description
		if err := json.Unmarshal([]byte(resp.Text()), &d); err != nil {
			t.Fatalf("%s: %v", tt.photos, err)
		}
		var dates []string
		for _, date := range d.Dates {
			dates = append(dates, date.Text)
		}
		if got := fmt.Sprintf("%s by %s, %d %v %s", d.Name, d.Brand, d.ProductsSeen, dates, map[bool]string{true: "no product"}[d.NotProduct]); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.photos, got, tt.want)
		}
		for _, want := range tt.lines {
			if n := count(d.VisibleText, want); n != 1 {
				t.Errorf("%s: %q is read clearly %d times in %+v, want once", tt.photos, want, n, d.VisibleText)
			}
		}
		for _, no := range tt.absent {
			if count(d.VisibleText, no) != 0 {
				t.Errorf("%s: %q is read clearly in %+v", tt.photos, no, d.VisibleText)
			}
		}
	}
}

// count is how often a line is there that was read clearly.
func count(lines []visibleLine, text string) int {
	n := 0
	for _, l := range lines {
		if l.Clear == nil && l.Text == text {
			n++
		}
	}
	return n
}
