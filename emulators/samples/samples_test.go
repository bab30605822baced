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

func TestOrder(t *testing.T) {
	want := []struct {
		kind       Kind
		mime, lang string
		// unsure is a Product that must not be answered from the picture alone.
		unsure bool
	}{
		{Product, "image/jpeg", "en", false},
		{Product, "image/png", "ko", true},
		{Product, "image/webp", "en", true},
		{Product, "image/jpeg", "en", true},
		{Product, "image/gif", "ko", false},
		{NonProduct, "image/jpeg", "en", false},
		{Unreadable, "image/png", "ko", false},
		{Product, "image/jpeg", "ko", true},
		{Product, "image/jpeg", "en", false},
	}
	list := All()
	if len(list) != len(want) {
		t.Fatalf("All() has %d samples, want %d", len(list), len(want))
	}
	for i, s := range list {
		w, truth := want[i], s.Truth
		if truth.Kind != w.kind || s.MIMEType != w.mime || s.Lang != w.lang {
			t.Errorf("All()[%d] = %v %s %s, want %v %s %s", i, truth.Kind, s.MIMEType, s.Lang, w.kind, w.mime, w.lang)
		}
		certain := truth.NameConfidence >= 0.95 && truth.BrandConfidence >= 0.95 && truth.Known == "yes"
		if truth.Kind == Product && certain == w.unsure {
			t.Errorf("All()[%d] confidences = %v, %v, known %s, want unsure %v", i, truth.NameConfidence, truth.BrandConfidence, truth.Known, w.unsure)
		}
	}
}

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

func TestTruthOfProducts(t *testing.T) {
	for _, s := range All() {
		truth := s.Truth
		if truth.Kind != Product {
			continue
		}
		read := ""
		clear := 0
		for _, l := range truth.Lines {
			read += strings.ToLower(l.Text) + " "
			if l.Clear {
				clear++
			}
		}
		found := 0
		for _, f := range truth.Features {
			if strings.Contains(read, strings.ToLower(f)) {
				found++
			}
		}
		if clear < 3 || found < 3 {
			t.Errorf("%s: %d clear lines, %d features in the read text, want 3 of each", s.File, clear, found)
		}
		checkFeatures(t, s.File, truth.Features)
		if c := truth.Category; c == "" || strings.IndexFunc(c, func(r rune) bool { return r > 'z' }) >= 0 {
			t.Errorf("%s: category %q, want English", s.File, c)
		}
		if truth.Brand == "" || truth.Name == "" || truth.Description == "" || truth.Count != 1 {
			t.Errorf("%s: brand %q, name %q, description %q, count %d, want all of them and 1", s.File, truth.Brand, truth.Name, truth.Description, truth.Count)
		}
		for _, d := range truth.Dates {
			if !strings.Contains(read, strings.ToLower(d.Text)) || !strings.Contains(read, strings.ToLower(d.Label)) {
				t.Errorf("%s: date %+v is not in the lines", s.File, d)
			}
		}
	}
}

func TestTruthOfOthers(t *testing.T) {
	for _, s := range All() {
		truth := s.Truth
		if truth.Kind == Product {
			continue
		}
		if truth.Name+truth.Brand+truth.GTIN != "" || len(truth.Lines)+len(truth.Features) > 0 || truth.NameConfidence+truth.BrandConfidence != 0 || truth.Description == "" {
			t.Errorf("%s: truth = %+v, want a description only", s.File, truth)
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

func checkFeatures(t *testing.T, what string, features []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range features {
		if key := strings.ToLower(f); seen[key] || key == "" || key != strings.TrimSpace(key) {
			t.Errorf("%s: feature %q is empty, untidy or there twice", what, f)
		} else {
			seen[key] = true
		}
	}
	if n := len(features); n < 8 || n > 20 {
		t.Errorf("%s: %d features, want 8 to 20", what, n)
	}
}
