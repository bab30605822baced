package analyze_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// on returns lines on a photo.
func on(photo int, texts ...string) (lines []analyze.Line) {
	for _, text := range texts {
		lines = append(lines, analyze.Line{Text: text, Clear: true, Photo: photo})
	}
	return lines
}

// The date of the answer stands on a photo that names its product, and says which. Dates
// and codes of other products in sight do not count, however late they are.
func TestDateOfTheNamedProduct(t *testing.T) {
	t.Parallel()
	const early, late = "2027.03.14", "2028.01.31"
	date := func(text string, photo int) analyze.Date {
		return analyze.Date{Text: text, Label: "best before", Kind: "best_before", Photo: photo}
	}
	tea, other := on(1, "햇살마루", "보리차"), on(2, "바다소리", "옥수수차")
	tests := []struct {
		name     string
		products int
		lines    []analyze.Line
		dates    []analyze.Date
		want     string // date, its photo, whether one was left out
	}{
		{"each has one", 2, slices.Concat(tea, on(1, early), other, on(2, late)), []analyze.Date{date(early, 1), date(late, 2)}, early + " on 1, left out false"},
		{"by the lines alone", 2, slices.Concat(tea, on(1, early), other, on(2, late)), []analyze.Date{date(early, 0), date(late, 0)}, early + " on 1, left out false"},
		{"named by the second", 2, slices.Concat(on(1, "바다소리", "옥수수차", late), on(2, "햇살마루", "보리차", early)), []analyze.Date{date(early, 2), date(late, 1)}, early + " on 2, left out false"},
		{"only the other has one", 2, slices.Concat(tea, other, on(2, late)), []analyze.Date{date(late, 2)}, " on 0, left out true"},
		{"the name stands on both sides", 2, slices.Concat(tea, on(3, "햇살마루", "보리차", early), other, on(2, late)), []analyze.Date{date(early, 3), date(late, 2)}, early + " on 3, left out false"},
		{"the other's name holds a part of it", 2, slices.Concat(tea, on(1, early), on(2, "햇살마루", "보리", late)), []analyze.Date{date(early, 1), date(late, 2)}, early + " on 1, left out false"},
		{"one product", 1, slices.Concat(tea, on(2, late)), []analyze.Date{date(late, 2)}, late + " on 2, left out false"},
		{"one product, both sides", 1, slices.Concat(tea, on(1, early), on(2, late)), []analyze.Date{date(early, 1), date(late, 2)}, late + " on 2, left out false"},
		{"no photo is said", 2, []analyze.Line{{Text: "햇살마루", Clear: true}, {Text: "보리차", Clear: true}, {Text: late, Clear: true}}, []analyze.Date{date(late, 0)}, " on 0, left out true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.req.More = []*photo.Photo{stripes(t, 5), stripes(t, 3)}
			b.req.SecondLook = "never"
			b.Gemini.Script(analysis(func(a *analyze.Analysis) {
				a.ProductsSeen, a.VisibleText, a.Dates = test.products, test.lines, test.dates
			}))
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			photo := 0
			if r.Evidence != nil && r.Evidence.ExpirationDate != nil {
				photo = r.Evidence.ExpirationDate.Photo
			}
			if got := fmt.Sprintf("%s on %d, left out %v", r.ExpirationDate, photo, slices.Contains(r.Warnings, "date_of_other_product")); got != test.want {
				t.Errorf("the date is %s, want %s (%s, %q)", got, test.want, r.ProductName, r.Warnings)
			}
		})
	}
}

// Numbers of photos are those of the request, in which a photo may be repeated, also in a
// result that an earlier request for the same photos was answered with.
func TestNumbersOfPhotos(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	back := stripes(t, 5)
	again := photo.Photo{SHA256: "copy", Sent: b.photo.Sent, SentType: b.photo.SentType} // another file with the same picture
	b.req.More = []*photo.Photo{&again, b.photo, back}
	b.req.SecondLook = "never"
	b.Gemini.Script(analysis(func(a *analyze.Analysis) {
		a.VisibleText = slices.Concat(on(1, "햇살마루", "보리차"), on(2, "2027.03.14"))
		a.Dates = []analyze.Date{{Text: "2027.03.14", Label: "best before", Kind: "best_before", Photo: 2}}
	}))
	r, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(b.Gemini.Calls()[0].Inline); n != 2 {
		t.Errorf("%d photos were sent, want 2: copies count once", n)
	}
	if got := r.Evidence.ExpirationDate.Photo; got != 4 || r.VisibleText[2].Photo != 4 || r.Evidence.ProductName.Photo != 1 {
		t.Errorf("the date is on %d (line: %d), the name on %d; want 4 and 1", got, r.VisibleText[2].Photo, r.Evidence.ProductName.Photo)
	}
	req := b.req
	req.More = []*photo.Photo{back}
	if cached := r.FromCache(req, 0); cached.Evidence.ExpirationDate.Photo != 2 || cached.VisibleText[0].Photo != 1 || r.Evidence.ExpirationDate.Photo != 4 {
		t.Errorf("for the front and the back the date is on %d, want 2", cached.Evidence.ExpirationDate.Photo)
	}
}
