package analyze_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// withBars returns a photo of barcodes only, one below the other.
func withBars(t *testing.T, codes ...string) *photo.Photo {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 560, 240*max(1, len(codes))))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	for i, digits := range codes {
		bars, err := oned.NewEAN13Writer().Encode(digits, gozxing.BarcodeFormat_EAN_13, 480, 160, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := image.Pt(40, 240*i+40)
		draw.Draw(m, image.Rectangle{Min: at, Max: at.Add(image.Pt(480, 160))}, bars, image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return prepared(t, b.Bytes())
}

// Row 1 from the pixels of a barcode: the model has read no digit.
func TestBarsDecide(t *testing.T) {
	t.Parallel()
	const tea, cola, shop = "8801234567893", "4006381333931", "2012345678903"
	named := func(brand string) func(*catalog.Product) {
		return func(p *catalog.Product) { p.GTIN, p.Brand = "0"+tea, brand }
	}
	tests := []struct {
		what  string
		reads barcode.When
		bars  []string
		brand string
		edit  func(*analyze.Analysis)
		want  string
	}{
		{"bars that the catalogue knows", barcode.Always, []string{tea}, "햇살마루", unclear, "row 1 보리차 골드, gtin 08801234567893 [], []"},
		{"codes are not read", barcode.Never, []string{tea}, "햇살마루", unclear, "row 6 보리차, gtin  [], [unidentified]"},
		{"another brand is read with confidence", barcode.Always, []string{tea}, "다른곳", nil, "row 6 보리차, gtin 08801234567893 [], [gtin_conflict unidentified]"},
		{"two codes in one picture", barcode.Always, []string{tea, cola}, "햇살마루", unclear, "row 6 보리차, gtin  [04006381333931 08801234567893], [unidentified]"},
		{"bars and print disagree", barcode.Always, []string{tea}, "햇살마루", both(unclear, read(cola)), "row 6 보리차, gtin  [04006381333931 08801234567893], [unidentified]"},
		{"a shop's own number", barcode.Always, []string{shop}, "햇살마루", unclear, "row 6 보리차, gtin 02012345678903 [], [gtin_restricted unidentified]"},
		{"a periodical's ISSN", barcode.Always, []string{"9771234567003"}, "햇살마루", unclear, "row 6 보리차, gtin 09771234567003 [], [gtin_restricted unidentified]"},
		{"a coupon beside the maker's bars", barcode.Always, []string{tea, "9901234567899"}, "햇살마루", unclear, "row 1 보리차 골드, gtin 08801234567893 [08801234567893 09901234567899], [gtin_restricted]"},
		{"no bars, and print beside a barcode", barcode.Always, nil, "햇살마루", both(unclear, barcoded(tea)), "row 1 보리차 골드, gtin 08801234567893 [], []"},
		{"no bars, and a number that may be any", barcode.Always, nil, "햇살마루", both(unclear, read(tea)), "row 6 보리차, gtin  [], [unidentified]"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(c *analyze.Config) { c.ReadCodes, c.Learn = test.reads, false })
			b.keep("보리차 골드", 0.1, named(test.brand))
			b.keep("매장 도시락", 0.1, func(p *catalog.Product) { p.GTIN = "0" + shop })
			b.req.Photo = withBars(t, test.bars...)
			b.Gemini.Script(analysis(test.edit), ungrounded(), ungrounded(), embedded())
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(r.GTINs)
			warnings := slices.DeleteFunc(r.Warnings, func(w string) bool { return w == "emulated_model" })
			if got := fmt.Sprintf("row %d %s, gtin %s %s, %s", r.Decision.Row, r.ProductName, r.GTIN, r.GTINs, warnings); got != test.want {
				t.Errorf("Run = %s, want %s", got, test.want)
			}
			if r.Image.PHash != "" {
				t.Errorf("phash = %q, which nobody asked for", r.Image.PHash)
			}
			if test.reads == barcode.Always && len(test.bars) == 1 && (r.Evidence == nil || r.GTIN != "" && r.Evidence.GTIN.Box == nil) {
				t.Errorf("evidence = %+v, want the box of the bars", r.Evidence)
			}
		})
	}
}

// The date in a QR Code is used if the print has none or the same; a different
// printed date makes it uncertain.
func TestCodeLendsItsDate(t *testing.T) {
	t.Parallel()
	symbol, err := qrcode.NewQRCodeWriter().Encode("https://id.example/01/08801234567893?17=270315", gozxing.BarcodeFormat_QR_CODE, 420, 420, nil)
	if err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, symbol); err != nil {
		t.Fatal(err)
	}
	dates := func(text string) func(*analyze.Analysis) {
		return func(a *analyze.Analysis) {
			a.Dates = []analyze.Date{{Text: text, Label: "소비기한", Kind: "use_by"}}
			a.VisibleText[3].Text = "소비기한 " + text
		}
	}
	tests := []struct {
		edit func(*analyze.Analysis)
		want string
	}{
		{func(a *analyze.Analysis) { a.Dates = nil }, "2027.03.15 2027-03-15 [], gtin 08801234567893"},
		{dates("2027.03.15"), "2027.03.15 2027-03-15 [], gtin 08801234567893"},
		{dates("03/2027"), "2027.03.15 2027-03-15 [], gtin 08801234567893"},
		{dates("2028.03.15"), " 2027-03-15 [2027-03-15 2028-03-15], gtin 08801234567893"},
	}
	for _, test := range tests {
		b := newBench(t, func(c *analyze.Config) { c.ReadCodes = barcode.Always })
		b.req.Photo = prepared(t, picture.Bytes())
		b.Gemini.Script(analysis(test.edit))
		r, err := b.run(nil)
		if err != nil || r.Expiry == nil {
			t.Fatalf("Run = expiry %v, %v", r.Expiry, err)
		}
		if got := fmt.Sprintf("%s %s %s, gtin %s", r.ExpirationDate, r.Expiry.Date, r.Expiry.Ambiguous, r.GTIN); got != test.want {
			t.Errorf("Run = %s, want %s", got, test.want)
		}
		if conflict := slices.Contains(r.Warnings, "date_conflict"); conflict != (len(r.Expiry.Ambiguous) > 0) {
			t.Errorf("%s with warnings %q, want a conflict where both are named", r.Expiry.Date, r.Warnings)
		}
	}
}

// A sample whose bars are in the catalogue, end to end: the model is asked once.
func TestSampleByItsBars(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *analyze.Config) { c.ReadCodes = barcode.Always })
	crackers := samples.All()[0]
	b.stock("Oat Crackers with Sea Salt", crackers.Truth.Brand, "0"+crackers.Truth.GTIN, catalog.Imported, "x")
	b.req.Photo = prepared(t, crackers.Bytes())
	r, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Decision.Row != 1 || r.ProductName != "Oat Crackers with Sea Salt" || r.ModelCalls.Generate != 1 || r.Evidence.GTIN.Text != crackers.Truth.GTIN || r.Evidence.GTIN.Box == nil {
		t.Errorf("Run = row %d %s with %+v on %+v; want row 1 by the bars, with one call", r.Decision.Row, r.ProductName, r.ModelCalls, r.Evidence.GTIN)
	}
	again := r.FromCache(analyze.Request{Photo: &photo.Photo{SHA256: b.req.Photo.SHA256}}, time.Minute)
	if *again.Image != *r.Image {
		t.Errorf("recalled by the hash alone = %+v, want %+v", *again.Image, *r.Image)
	}
}

// Many concurrent runs get the same codes, and none waits forever.
func TestBarsOfManyAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *analyze.Config) { c.ReadCodes, c.Learn = barcode.Always, false })
	p := prepared(t, samples.Barcode("8801234567893", 0))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			req := b.req
			req.Photo = p
			r, err := b.pipeline.Run(t.Context(), req, nil)
			if err != nil || r.GTIN != "08801234567893" {
				t.Errorf("Run = gtin %q, %v; want that of the bars", r.GTIN, err)
			}
		})
	}
	all.Wait()
}

// The product of a near duplicate is a candidate like the catalogue's: the judge may
// pick it, but it never decides alone and its date is not used.
func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	twin := catalog.Match{Score: 0.97, Product: catalog.Product{ID: "twin", ProductName: "보리차 골드", Brand: "햇살마루", Category: "Tea"}}
	undated := func(a *analyze.Analysis) { unclear(a); a.Dates = nil }
	tests := []struct {
		what   string
		edit   func(*analyze.Analysis)
		near   []catalog.Match
		pick   int
		stock  bool
		want   string
		judged bool
	}{
		{"picked", undated, []catalog.Match{twin}, 1, false, "row 4 보리차 골드 0.97 near duplicate of 햇살마루 보리차 골드: 같은 라벨", true},
		{"not picked", undated, []catalog.Match{twin}, 0, false, "row 6 보리차 0.3 no source names a product that fits", true},
		{"the photo is sure", func(a *analyze.Analysis) { a.Dates = nil }, []catalog.Match{twin}, 0, false, "row 3 보리차", false},
		{"no features to search by", func(a *analyze.Analysis) { undated(a); a.KeyFeatures = nil }, []catalog.Match{twin}, 1, false, "row 4 보리차 골드 0.97 near duplicate of 햇살마루 보리차 골드: 같은 라벨", true},
		{"the catalogue has it too", undated, []catalog.Match{twin, twin}, 1, true, "row 4 보리차 골드 0.75 같은 라벨", true},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			if test.stock {
				b.keep("보리차 골드", 0.75)
			}
			b.req.Near = test.near
			b.Gemini.Script(analysis(test.edit), judgement(analyze.Judgement{Pick: test.pick, Reason: "같은 라벨"}), ungrounded(), ungrounded(), embedded())
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("row %d %s", r.Decision.Row, r.ProductName)
			if r.RAGConfidence != nil {
				got += fmt.Sprintf(" %v %s", r.RAGConfidence.Probability, r.RAGConfidence.Evidence)
			}
			if got != test.want || r.ExpirationDate != "" || r.Expiry != nil {
				t.Errorf("Run = %s, date %q; want %s without a date", got, r.ExpirationDate, test.want)
			}
			for _, c := range b.Gemini.Calls() {
				if strings.Contains(strings.Join(c.Texts, ""), `"number":2`) {
					t.Errorf("%s was offered %q, want one candidate", c.Kind, c.Texts)
				}
			}
			if kinds, _ := b.calls(); (kinds["judge"] > 0) != test.judged {
				t.Errorf("calls = %v, want it judged %v", kinds, test.judged)
			}
		})
	}
}
