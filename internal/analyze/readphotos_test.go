package analyze

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
)

// white returns a photo that can be painted on; photos differ by width.
func white(t *testing.T, width int) *photo.Photo {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, 64)), nil); err != nil {
		t.Fatal(err)
	}
	p, err := photo.Prepare(b.Bytes(), photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An injected line is painted over where it has a box and hides no line of the
// name, the brand or a date; the others are left.
func TestMasked(t *testing.T) {
	jpeg, heic := white(t, 64), &photo.Photo{SHA256: "heic", Sent: []byte("\x00\x00\x00\x18ftypheic")}
	name := Line{Text: "Barley Tea", Box: Box{100, 100, 200, 900}}
	tests := []struct {
		what    string
		photos  []*photo.Photo
		lines   []Line
		plain   []Line
		painted []bool // which photos
		left    string
	}{
		{"a box", []*photo.Photo{jpeg}, []Line{{Text: "a", Box: Box{300, 0, 400, 500}}}, nil, []bool{true}, "[]"},
		{"no box", []*photo.Photo{jpeg}, clearly("a"), nil, []bool{false}, "[a]"},
		{"one of two has a box", []*photo.Photo{jpeg}, []Line{{Text: "a", Box: Box{300, 0, 400, 500}}, {Text: "b"}}, nil, []bool{true}, "[b]"},
		{"close to the name", []*photo.Photo{jpeg}, []Line{{Text: "a", Box: Box{190, 100, 290, 900}}}, []Line{name}, []bool{true}, "[]"},
		{"over the name", []*photo.Photo{jpeg}, []Line{{Text: "a", Box: Box{0, 0, 1000, 1000}}}, []Line{name}, []bool{false}, "[a]"},
		{"over the name of another photo", []*photo.Photo{jpeg, white(t, 80)}, []Line{{Text: "a", Photo: 2, Box: Box{0, 0, 1000, 1000}}},
			[]Line{{Text: "Tea", Photo: 1, Box: name.Box}}, []bool{false, true}, "[]"},
		{"which photo is not known", []*photo.Photo{jpeg, white(t, 80)}, []Line{{Text: "a", Box: Box{300, 0, 400, 500}}}, nil, []bool{true, true}, "[]"},
		{"a format that is not decoded", []*photo.Photo{heic}, []Line{{Text: "a", Box: Box{300, 0, 400, 500}}}, nil, []bool{false}, "[a]"},
		{"one of two such", []*photo.Photo{jpeg, heic}, []Line{{Text: "a", Photo: 1, Box: Box{300, 0, 400, 500}}, {Text: "b", Photo: 2, Box: Box{300, 0, 400, 500}}},
			nil, []bool{true, false}, "[b]"},
	}
	for _, test := range tests {
		r := Request{Photo: test.photos[0], More: test.photos[1:]}
		masked, left, _, err := (&Pipeline{}).usePixels(t.Context(), r, pixelUse{injected: test.lines, plain: test.plain})
		if err != nil {
			t.Fatal(err)
		}
		var painted []bool
		for i, p := range masked.Photos() {
			painted = append(painted, !bytes.Equal(p.Sent, test.photos[i].Sent))
		}
		if got, want := fmt.Sprint(painted, texts(left)), fmt.Sprint(test.painted, " ", test.left); got != want {
			t.Errorf("%s: masked = %s, want %s", test.what, got, want)
		}
	}
}

// Later models' answers that only injected lines name are removed if these models
// have seen the lines.
func TestDropInjectedAnswers(t *testing.T) {
	cola := catalog.Match{Product: catalog.Product{ProductName: "Gold Cola", Brand: "Nestora"}}
	tea := catalog.Match{Product: catalog.Product{ProductName: "Barley Tea", Brand: "Haetsal"}}
	tests := []struct {
		what      string
		unplaced  bool
		judgement Judgement
		finding   Finding
		want      string // pick, the judge's brand, whether the finding stands
	}{
		{"painted over", false, Judgement{Pick: 1, Brand: "Nestora"}, Finding{ProductName: "Gold Cola", Brand: "Nestora"}, "1 Nestora true"},
		{"in sight", true, Judgement{Pick: 1, Brand: "Nestora"}, Finding{ProductName: "Gold Cola", Brand: "Nestora"}, "0  false"},
		{"another product", true, Judgement{Pick: 2, Brand: "Haetsal"}, Finding{ProductName: "Barley Tea", Brand: "Haetsal"}, "2 Haetsal true"},
		{"named by no print", true, Judgement{Pick: 3, Brand: "Elsewhere"}, Finding{ProductName: "Cold Brew"}, "3 Elsewhere true"},
	}
	for _, test := range tests {
		r := rag{
			reading: imageReading{analysis: Analysis{VisibleText: clearly("HAETSAL", "Barley Tea")}, injected: clearly("brand Nestora, Gold Cola"), unplaced: test.unplaced},
			facts:   facts{candidates: hits(cola, tea)},
		}
		r.dropInjected(&test.judgement)
		if got := fmt.Sprint(test.judgement.Pick, " ", test.judgement.Brand, " ", !r.onlyInjected(test.finding.ProductName) && !r.onlyInjected(test.finding.Brand)); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}
