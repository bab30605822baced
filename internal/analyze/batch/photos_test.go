package batch_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
)

// shade returns a photo whose greys depend on i.
func shade(t *testing.T, i int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 24, 16))
	for at := range m.Pix {
		m.Pix[at] = uint8(i * (at + 1))
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// upload puts an object into a bucket.
func (d *harness) upload(bucket, name string, data []byte) {
	d.t.Helper()
	d.Put(d.t, bucket, name, data)
}

// photos uploads n photos that the model reads clearly.
func (d *harness) photos(n int) {
	d.t.Helper()
	for i := range n {
		d.upload("uploads", fmt.Sprintf("p%03d.jpg", i), shade(d.t, i))
		d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: readable()})
	}
}

// readable returns the reading of a photo that decides alone.
func readable() analyze.Analysis {
	return analyze.Analysis{
		VisibleText:   []analyze.Line{{Text: "햇살마루", Clear: true}, {Text: "보리차", Clear: true}, {Text: "볶은 곡물 500 ml", Clear: true}},
		NameAsPrinted: "보리차", BrandAsPrinted: "햇살마루", SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Beverage",
		KeyFeatures: []string{"보리차", "볶은 곡물", "500 ml", "초록 라벨"}, ProductName: "보리차", Brand: "햇살마루",
		ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}
}
