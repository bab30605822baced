package answers

import (
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
	"example.com/whatis/emulators/realdata"
)

func TestRealPhotoNamesNoBrand(t *testing.T) {
	client := geminitest.API(t, start(t, Options{}))
	data := realdata.Read(t, "photos/upc1.jpg")
	d := describedAs(t, client, &genai.Blob{MIMEType: "image/jpeg", Data: data})
	if d.Brand != "" || d.BrandConfidence != 0 || d.NameConfidence > largestRead || d.KnownProduct != "unsure" {
		t.Errorf("upc1.jpg: %+v, want no brand, at most a weak name", d)
	}
	if len(d.VisibleText) != 1 || d.VisibleText[0].Clear != nil || letters(d.VisibleText[0].Text) > 0 {
		t.Errorf("upc1.jpg: visible text %+v, want the digits of its barcode", d.VisibleText)
	}
}

func TestLargestClearLineIsAWeakName(t *testing.T) {
	seen := &observation{lines: []seenLine{{text: "Net 240 ml", clear: true, height: 12}, {text: "OAT LATTE", clear: true, height: 60}, {text: "Shiny", clear: false, height: 90}, {text: "12 34", clear: true, height: 95}}}
	d := new(analyze).describe(seen)
	if d.Name != "OAT LATTE" || d.NameConfidence != 0.3 || d.Brand != "" || d.KnownProduct != "unsure" {
		t.Errorf("describe = %q %v brand %q known %s; want OAT LATTE 0.3, no brand, unsure", d.Name, d.NameConfidence, d.Brand, d.KnownProduct)
	}
}
