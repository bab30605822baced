package samples

import (
	"bytes"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
)

// The pictures, leaflets included, take less than 3 MB of the repo.
func TestSize(t *testing.T) {
	total := 0
	for _, s := range slices.Concat(All(), Attacks(), Leaflets()) {
		total += len(s.Bytes())
	}
	if total > 3_000_000 {
		t.Errorf("the pictures take %d bytes, want at most 3,000,000", total)
	}
}

func TestFiles(t *testing.T) {
	formats := map[string]string{"image/jpeg": ".jpg jpeg", "image/png": ".png png", "image/webp": ".webp webp", "image/gif": ".gif gif"}
	for _, s := range All() {
		_, format, err := image.DecodeConfig(bytes.NewReader(s.Bytes()))
		if got, want := filepath.Ext(s.File)+" "+format, formats[s.MIMEType]; got != want || err != nil {
			t.Errorf("%s is %s (%v), want %s", s.File, got, err, want)
		}
		if n := len(s.Bytes()); n > 700_000 {
			t.Errorf("len(%s) = %d, want at most 700000", s.File, n)
		}
	}
}

func TestBarcodes(t *testing.T) {
	t.Parallel()
	for i, s := range All() {
		if got := readBarcode(t, decoded()[i]); got != s.Truth.GTIN {
			t.Errorf("barcode of %s = %q, want %q", s.File, got, s.Truth.GTIN)
		}
		if s.Truth.GTIN != "" {
			checkGTIN(t, s.File, s.Truth.GTIN)
		}
	}
}

func readBarcode(t *testing.T, m image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(m)
	if err != nil {
		t.Fatal(err)
	}
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true}
	result, err := oned.NewEAN13Reader().Decode(bitmap, hints)
	if err != nil {
		return ""
	}
	return result.GetText()
}

// checkGTIN wants 13 digits of GS1's range for demonstrations and a right
// check digit.
func checkGTIN(t *testing.T, what, gtin string) {
	t.Helper()
	sum := 0
	for i, r := range gtin {
		sum += int(r-'0') * (1 + 2*(i%2))
	}
	if len(gtin) != 13 || !strings.HasPrefix(gtin, "952") || sum%10 != 0 {
		t.Errorf("%s: GTIN %q, want 13 digits that begin with 952 and a weighted sum (%d) that ends in 0", what, gtin, sum)
	}
}
