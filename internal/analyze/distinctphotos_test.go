package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
)

// pack returns the sample whose file name contains part.
func pack(t *testing.T, part string) *photo.Photo {
	t.Helper()
	i := slices.IndexFunc(samples.All(), func(s *samples.Sample) bool { return strings.Contains(s.File, part) })
	if i < 0 {
		t.Fatalf("no sample is called %q", part)
	}
	return prepared(t, samples.All()[i].Bytes())
}

func prepared(t *testing.T, data []byte) *photo.Photo {
	t.Helper()
	p, err := photo.Prepare(data, photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Text on the back decides like text on the front. Nothing is scripted: the model
// reads the pixels.
func TestDecidesByAllSides(t *testing.T) {
	const code = "8801234567893"
	latte, again, dark := pack(t, "03-oat-latte"), pack(t, "latte-again"), pack(t, "too-dark")
	chips, crackers, lake, bars := pack(t, "rice-chips"), pack(t, "crackers"), pack(t, "mountain-lake"), prepared(t, samples.Barcode(code, 0))
	tests := []struct {
		name   string
		photos []*photo.Photo
		want   string // row, name by brand, GTIN, date, whether several products
	}{
		{"the front alone", []*photo.Photo{latte}, "row 5 Cold Brew Oat Latte by Ostrawell, gtin , date , several false"},
		{"the back alone", []*photo.Photo{bars}, "row 1 Oat Latte, cold brewed by Ostrawell, gtin 08801234567893, date , several false"},
		{"the GTIN on the back", []*photo.Photo{latte, bars}, "row 1 Oat Latte, cold brewed by Ostrawell, gtin 08801234567893, date , several false"},
		{"the GTIN on the front", []*photo.Photo{bars, latte}, "row 1 Oat Latte, cold brewed by Ostrawell, gtin 08801234567893, date , several false"},
		{"the GTIN on the last of three", []*photo.Photo{latte, again, bars}, "row 1 Oat Latte, cold brewed by Ostrawell, gtin 08801234567893, date , several false"},
		{"a landscape and the barcode", []*photo.Photo{lake, bars}, "row 1 Oat Latte, cold brewed by Ostrawell, gtin 08801234567893, date , several false"},
		{"two sides of one product", []*photo.Photo{latte, again}, "row 5 Cold Brew Oat Latte by Ostrawell, gtin , date , several false"},
		{"too dark alone", []*photo.Photo{dark}, "row 6  by , gtin , date , several false"},
		{"the date and the name on the back", []*photo.Photo{dark, chips}, "row 6 현미 누룽지 by 볕고을, gtin , date 2027.02.18, several false"},
		{"the date and the name on the front", []*photo.Photo{chips, dark}, "row 6 현미 누룽지 by 볕고을, gtin , date 2027.02.18, several false"},
		{"two products", []*photo.Photo{latte, crackers}, "row 5 Cold Brew Oat Latte by Ostrawell, gtin , date , several true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(c *analyze.Config) { c.Learn = false })
			b.stock("Oat Latte, cold brewed", "Ostrawell", "0"+code, catalog.Confirmed, "전혀", "다른", "특징")
			b.req.Photo, b.req.More = test.photos[0], test.photos[1:]
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("row %d %s by %s, gtin %s, date %s, several %v", r.Decision.Row, r.ProductName, r.Brand,
				r.GTIN, r.ExpirationDate, slices.Contains(r.Warnings, "multiple_products"))
			if got != test.want {
				t.Errorf("Run = %s, want %s", got, test.want)
			}
		})
	}
}
