package analyze

import (
	"slices"
	"strings"
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
		{0.9, 0.9, []string{"?", "500 ml"}, false},          // the one that can be compared
		{0.9, 0.9, []string{"병", "녹차"}, false},              // in another script
		{0.9, 0.9, []string{"병", "bottle"}, true},
		{0.9, 0.9, nil, false},
		{0.7, 0.9, []string{"bottle"}, false},
		{0.9, 0.7, []string{"bottle"}, false},
		{0.71, 0.71, []string{"bottle"}, true},
	}
	for _, test := range tests {
		a := Analysis{ProductNameConfidence: test.name, BrandConfidence: test.brand, KeyFeatures: test.features, VisibleText: text}
		if got := overconfident(a); got != test.want {
			t.Errorf("overconfident(%v, %v, %q) = %v, want %v", test.name, test.brand, test.features, got, test.want)
		}
	}
}

// Every word of a copy of the print stands in it, wherever; a word that does not is named.
func TestUnreadWords(t *testing.T) {
	tests := []struct {
		what, copied string
		lines        []string
		want         string
	}{
		{"as it is printed", "Barley Tea", []string{"BARLEY TEA"}, ""},
		{"lines in another order", "Barley Tea 500 ml", []string{"Tea", "500 ml", "Barley"}, ""},
		{"a variant that is not printed", "Barley Tea Vegan", []string{"Barley Tea"}, "vegan"},
		{"one word is the difference", "Barley Tea", []string{"Green Tea"}, "barley"},
		{"a changed letter", "Barlev Tea", []string{"Barley Tea"}, "barlev"},
		{"inside a word", "Ham", []string{"Champignon", "Hamburg"}, "ham"},
		{"the rest of a word", "Chicken Ham", []string{"Chickenham"}, ""},
		{"a word over two lines", "Chocolate Wafers", []string{"Choco-", "late Wafers"}, ""},
		{"other spaces", "Sea Salt", []string{"SEASALT"}, ""},
		{"marks and signs", "Crème Brûlée", []string{"CREME™ BRULEE"}, ""},

		{"letters apart, side by side", "새우깡", []string{"새", "우", "깡"}, ""},
		{"a letter alone", "Vitamin C", []string{"VITAMIN", "B", "Nutri-Score A B C D E"}, "c"},
		{"a letter beside its word", "Vitamin C", []string{"VITAMIN C"}, ""},
		{"a name of one letter", "U", []string{"U", "bio"}, ""},

		{"a particle", "딸기 우유", []string{"딸기맛", "우유로 만든"}, ""},
		{"not any ending", "딸기", []string{"딸기향"}, "딸기"},
		{"the beginning of a Hangul word", "햇살", []string{"햇살마루"}, "햇살"},
		{"Hangul in other spaces", "햇살보리차", []string{"햇살", "보리차"}, ""},
		{"Han inside a line", "东方树叶", []string{"农夫山泉东方树叶茉莉花茶"}, ""},
		{"too short a part", "花茶", []string{"东方树叶茉莉花茶"}, "花茶"},
		{"Thai inside a line", "น้ำตาลทรายแดง", []string{"น้ำตาลทรายแดงสำหรับเบเกอรี่"}, ""},
		{"Persian on an Arabic keyboard", "برنج ایرانی", []string{"برنج ايراني"}, ""},
		{"Persian non-joiners", "می\u200cخوری", []string{"می خوری"}, ""},

		{"a number with its point", "Milk 1.5 %", []string{"Milk", "1,5%"}, ""},
		{"another number", "Milk 0.5 %", []string{"Milk", "1.5 %"}, "0.5"},
		{"digits without the point", "Milk 15 %", []string{"Milk 1.5 %"}, "15"},
		{"a sign", "Lens +2.50", []string{"Lens -2.50"}, "+2.50"},
		{"a hyphen is no sign", "Omega 3", []string{"Omega-3"}, ""},
		{"a number and its unit", "Potting soil 25l", []string{"Potting soil", "25 l"}, ""},
		{"another quantity", "Potting soil 25 l", []string{"Potting soil", "35 l"}, "25 l"},
		{"a letter and a number", "3M", []string{"53MM"}, "3 m"},
		{"part of a number", "B1", []string{"B12"}, "b 1"},
		{"only in an address", "Nestora", []string{"Tea", "www.nestora.example/sea"}, "nestora"},
	}
	for _, test := range tests {
		a := Analysis{ProductName: "named", NameAsPrinted: test.copied, VisibleText: clearly(test.lines...)}
		if got := strings.Join(unreadWords(a), " "); got != test.want {
			t.Errorf("%s: unreadWords(%q in %q) = %q, want %q", test.what, test.copied, test.lines, got, test.want)
		}
	}
	if got := unreadWords(Analysis{ProductName: "Tea", Brand: "Nestora", VisibleText: clearly("Green Tea")}); !slices.Equal(got, []string{"nestora"}) {
		t.Errorf("unreadWords without copies = %q, want the brand", got)
	}
	if got := unreadWords(Analysis{}); got != nil {
		t.Errorf("unreadWords of no name = %q, want none", got)
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
