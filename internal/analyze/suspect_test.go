package analyze

import (
	"slices"
	"testing"
)

// clearly returns lines that were read clearly.
func clearly(lines ...string) []Line {
	out := make([]Line, len(lines))
	for i, l := range lines {
		out[i] = Line{Text: l, Clear: true}
	}
	return out
}

func TestConfusableHangul(t *testing.T) {
	tests := []struct {
		name  string
		lines []Line
		want  bool
	}{
		{"삼다수", clearly("삼다수"), false},
		{"삼다수", []Line{{Text: "제주 삼다수", Clear: false}}, true},
		{"삼다수", []Line{{Text: "삼다수", Clear: true}, {Text: "물 500", Clear: false}}, false},
		{"햇살 물티슈", []Line{{Text: "햇살물티슈"}}, true},     // without the space
		{"진라면 매운맛", []Line{{Text: "진라면 매운맛"}}, false}, // no confusable syllable
		{"초코파이", []Line{{Text: "초코파이"}}, false},
		{"Sam", []Line{{Text: "Sam"}}, false},
		{"", nil, false},
	}
	for _, test := range tests {
		a := Analysis{NameAsPrinted: test.name, ProductNameConfidence: 0.75, VisibleText: test.lines}
		if got := confusableHangul(a); got != test.want {
			t.Errorf("confusableHangul(%q, %v) = %v, want %v", test.name, test.lines, got, test.want)
		}
	}
}

func TestOverconfident(t *testing.T) {
	text := clearly("Green Tea", "500 ml")
	tests := []struct {
		name, brand float64
		features    []string
		want        bool
	}{
		{0.9, 0.9, []string{"green tea", "bottle"}, true},
		{0.9, 0.9, []string{"green tea", "500 ml", "bottle"}, false},
		{0.9, 0.9, []string{"green gold", "500 ml"}, false}, // 5 of 9 letters
		{0.9, 0.9, []string{"tea abc", "500 ml"}, false},    // 3 of 6
		{0.9, 0.9, []string{"tea abcd", "500 ml"}, true},    // 3 of 7
		{0.9, 0.9, []string{"?", "500 ml"}, true},
		{0.9, 0.9, nil, true},
		{0.7, 0.9, nil, false},
		{0.9, 0.7, nil, false},
		{0.71, 0.71, nil, true},
	}
	for _, test := range tests {
		a := Analysis{ProductNameConfidence: test.name, BrandConfidence: test.brand, KeyFeatures: test.features, VisibleText: text}
		if got := overconfident(a); got != test.want {
			t.Errorf("overconfident(%v, %v, %q) = %v, want %v", test.name, test.brand, test.features, got, test.want)
		}
	}
}

func TestNameUnread(t *testing.T) {
	tests := []struct {
		printed, brand, category string
		text                     []Line
		want                     bool
	}{
		{"Barley Tea", "Haetsal", "Drink", clearly("HAETSAL", "BARLEY TEA"), false},
		{"Barley Tea", "Haetsal", "Drink", clearly("HAETSAL", "GREEN TEA"), true}, // 3 of 9 letters
		{"Barley Tea", "Haetsal", "Tea", clearly("HAETSAL", "barley"), false},
		{"Haetsal Tea 500ml", "Haetsal", "Tea", clearly("anything"), false}, // no distinctive word
		{"보리차", "햇살", "Tea", clearly("햇살담은보리차"), false},                     // inside a longer line
		{"LG Gram", "LG", "Laptop", clearly("ALGAE gramophone"), false},
		{"3M Tape", "Other", "Office", clearly("53MM tape"), false}, // 4 of 6 letters
		{"3M", "Other", "Office", clearly("53MM"), true},
		{"3M", "Other", "Office", clearly("3M"), false},
		{"햇살보리차", "Other", "Tea", clearly("햇살", "보리차"), false}, // split over two lines
		{"", "Haetsal", "Tea", clearly("HAETSAL"), true},
		{"abcd wxyz", "B", "C", clearly("abcd"), false}, // exactly half
		{"abcd wxyzv", "B", "C", clearly("abcd"), true}, // under half
	}
	for _, test := range tests {
		a := Analysis{ProductName: "named", NameAsPrinted: test.printed, Brand: test.brand, Category: test.category, VisibleText: test.text}
		if got := nameUnread(a); got != test.want {
			t.Errorf("nameUnread(%q by %q, %q, %v) = %v, want %v", test.printed, test.brand, test.category, test.text, got, test.want)
		}
	}
	if nameUnread(Analysis{}) {
		t.Error("nameUnread of no name = true, want false")
	}
}

func TestTextless(t *testing.T) {
	tests := []struct {
		lines []Line
		want  bool
	}{
		{nil, true},
		{clearly("LG"), true},
		{clearly("abc"), true},
		{clearly("ab", "cd"), false},
		{clearly("보리차물"), false},
		{clearly("8801234567893"), true},
	}
	for _, test := range tests {
		if got := textless(Analysis{VisibleText: test.lines}); got != test.want {
			t.Errorf("textless(%v) = %v, want %v", test.lines, got, test.want)
		}
	}
}

// A textless photo gets no suspicion that depends on text.
func TestSuspicions(t *testing.T) {
	tests := []struct {
		name string
		a    Analysis
		want []Suspicion
	}{
		{"none", clear(), nil},
		{"unknown product", with(func(a *Analysis) { a.KnownProduct = No }), []Suspicion{UnknownProduct}},
		{"name not on the pack", with(func(a *Analysis) { a.NameAsPrinted = "Something Else" }), []Suspicion{NameUnread}},
		{"features not on the pack", with(func(a *Analysis) { a.KeyFeatures = []string{"round", "blue"} }), []Suspicion{Overconfident}},
		{"misread syllable", with(func(a *Analysis) { a.NameAsPrinted, a.VisibleText[1] = "Barley Tea 물", Line{Text: "Barley Tea 물"} }), []Suspicion{ConfusableHangul}},
		{"brand too long", with(func(a *Analysis) { a.Brand = "Haetsal Morning" }), []Suspicion{BrandOverextended}},
		{"textless", with(func(a *Analysis) { a.VisibleText, a.KnownProduct, a.BrandConfidence = nil, No, 0.6 }), nil},
	}
	for _, test := range tests {
		if got := suspicions(test.a, brandKnowledge{brands: []string{"haetsal"}}); !slices.Equal(got, test.want) {
			t.Errorf("%s: suspicions = %q, want %q", test.name, got, test.want)
		}
	}
}

// clear returns an analysis without suspicions.
func clear() Analysis {
	return Analysis{
		VisibleText:   clearly("HAETSAL", "Barley Tea", "Roasted grains", "500 ml"),
		NameAsPrinted: "Barley Tea", BrandAsPrinted: "HAETSAL",
		ProductName: "Haetsal Barley Tea", Brand: "Haetsal", Category: "Beverage",
		KeyFeatures:           []string{"barley tea", "roasted grains", "500 ml", "green label"},
		ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: Yes, ProductsSeen: 1, Side: SideFront,
	}
}

// with returns a clear analysis, changed.
func with(change func(*Analysis)) Analysis {
	a := clear()
	change(&a)
	return a
}
