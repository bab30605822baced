package analyze

import (
	"fmt"
	"reflect"
	"testing"
)

// Which read text supports a name and a brand. A name may be in other
// words than the copy of the print, which is what must stand in it.
func TestGate(t *testing.T) {
	tests := []struct {
		what                         string
		lines                        []string
		name, printed, brand, asThis string
		want                         string // the quotes
	}{
		{"as it is printed", []string{"BRINDLEMOOR", "Sea Salt", "Oat Crackers"}, "Sea Salt Oat Crackers", "Sea Salt Oat Crackers", "Brindlemoor", "BRINDLEMOOR",
			"Sea Salt Oat Crackers|BRINDLEMOOR"},
		{"a name that breaks over lines", []string{"BRINDLEMOOR", "Choco-", "late Wafers"}, "Chocolate Wafers", "Chocolate Wafers", "Brindlemoor", "Brindlemoor",
			"Choco- late Wafers|BRINDLEMOOR"},
		{"a name run together in a logo", []string{"BRINDLEMOOR", "SEASALT"}, "Sea Salt", "Sea Salt", "Brindlemoor", "BRINDLEMOOR",
			"SEASALT|BRINDLEMOOR"},
		{"a brand in letters apart", []string{"L G", "Air Fryer"}, "Air Fryer", "Air Fryer", "LG", "LG",
			"Air Fryer|L G"},
		{"signs and marks", []string{"NESTLÉ®", "Crème™ Brûlée"}, "Creme Brulee", "Crème Brûlée", "Nestle", "Nestlé",
			"Crème™ Brûlée|NESTLÉ®"},
		{"a translated name", []string{"BRINDLEMOOR", "Sea Salt Crackers"}, "바다소금 크래커", "Sea Salt Crackers", "브린들무어", "BRINDLEMOOR",
			"Sea Salt Crackers|BRINDLEMOOR"},
		{"a name half translated", []string{"NIVEA", "Soft Creme"}, "NIVEA 소프트 크림", "Soft Creme", "니베아", "NIVEA",
			"Soft Creme|NIVEA"},
		{"a name translated in one script", []string{"BRINDLEMOOR", "Vollmilch Schokolade"}, "Whole Milk", "Vollmilch Schokolade", "Brindlemoor", "BRINDLEMOOR",
			"Vollmilch Schokolade|BRINDLEMOOR"},
		{"the end of the name is hidden", []string{"볕고을", "현미 누룽"}, "현미 누룽지", "현미 누룽", "볕고을", "볕고을",
			"현미 누룽|볕고을"},
		{"a name that is no more than brand and kind", []string{"COLA-COLA", "330 ml"}, "Cola-Cola", "Cola-Cola", "Cola-Cola", "COLA-COLA",
			"COLA-COLA|COLA-COLA"},
		{"a fuller brand than is printed", []string{"CJ", "햇반"}, "햇반", "햇반", "CJ제일제당", "CJ", "햇반|CJ"},
		{"no name and no brand", []string{"Net 240 ml"}, "", "", "", "", "|"},

		{"a brand that is not on the pack", []string{"Sea Salt", "Oat Crackers"}, "Sea Salt Oat Crackers", "Sea Salt Oat Crackers", "Brindlemoor", "Brindlemoor",
			"Sea Salt Oat Crackers|"},
		{"a name that is not on the pack", []string{"BRINDLEMOOR", "High in fiber"}, "Sea Salt Oat Crackers", "Sea Salt Oat Crackers", "Brindlemoor", "BRINDLEMOOR",
			"|BRINDLEMOOR"},
		{"a brand in a web address alone", []string{"Sea Salt", "www.nestora.example/sea"}, "Sea Salt", "Sea Salt", "Nestora", "Nestora",
			"Sea Salt|"},
		{"a part of a short word", []string{"Sea Salt", "LAGOON"}, "Sea Salt", "Sea Salt", "LG", "LG", "Sea Salt|"},
		{"a photo without text", []string{"240"}, "Apple", "", "Orchard", "", "|"},
	}
	for _, test := range tests {
		a := Analysis{VisibleText: clearly(test.lines...), ProductName: test.name, NameAsPrinted: test.printed, Brand: test.brand, BrandAsPrinted: test.asThis,
			ProductNameConfidence: 0.95, BrandConfidence: 0.95, Category: "Kola"}
		var r rag
		r.gateNames(&a)
		text := func(q *Quote) string {
			if q == nil {
				return ""
			}
			return q.Text
		}
		if got := fmt.Sprintf("%s|%s", text(r.evidence.ProductName), text(r.evidence.Brand)); got != test.want {
			t.Errorf("%s: gateNames = %s, want %s", test.what, got, test.want)
		}
	}
}

func TestQuotesAreWhereTheTextIs(t *testing.T) {
	r := newReading([]Line{
		{Text: "Sea Salt", Box: Box{100, 200, 150, 400}}, {Text: "Oat Crackers", Box: Box{160, 180, 210, 420}},
		{Text: "Slow baked"}, {Text: "Back", Box: Box{1, 2, 3, 4}, Photo: 2},
	})
	tests := []struct {
		lines []int
		want  *Quote
	}{
		{nil, nil},
		{[]int{0}, &Quote{Text: "Sea Salt", Box: Box{100, 200, 150, 400}}},
		{[]int{1, 0, 1}, &Quote{Text: "Sea Salt Oat Crackers", Box: Box{100, 180, 210, 420}}},
		{[]int{0, 2}, &Quote{Text: "Sea Salt Slow baked"}}, // one of two lines has no box
		{[]int{3}, &Quote{Text: "Back", Box: Box{1, 2, 3, 4}, Photo: 2}},
		{[]int{0, 3}, &Quote{Text: "Sea Salt", Box: Box{100, 200, 150, 400}}}, // a quote stands on one photo
	}
	for _, test := range tests {
		if got := r.quote(test.lines); !reflect.DeepEqual(got, test.want) {
			t.Errorf("quote(%v) = %+v, want %+v", test.lines, got, test.want)
		}
	}
}

// Invalid boxes are dropped.
func TestBoxes(t *testing.T) {
	tests := []struct{ box, want Box }{
		{nil, nil},
		{Box{}, nil},
		{Box{1, 2, 3}, nil},
		{Box{1, 2, 3, 4, 5}, nil},
		{Box{10, 20, 30, 40}, Box{10, 20, 30, 40}},
		{Box{10.4, 20.6, 30, 1000}, Box{10, 21, 30, 1000}},
		{Box{30, 20, 10, 40}, nil},
		{Box{10, 20, 10, 40}, nil},
		{Box{-1, 20, 30, 40}, nil},
		{Box{10, 20, 30, 1001}, nil},
	}
	for _, test := range tests {
		if got := test.box.tidy(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v tidied = %v, want %v", test.box, got, test.want)
		}
	}
}
