package analyze

import (
	"slices"
	"testing"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo/barcode"
)

// gtinsIn returns the GTINs of a photo with these lines, and codes at these places.
func gtinsIn(lines []Line, codes ...Code) []string {
	return gtinsOf(imageReading{analysis: Analysis{VisibleText: lines, Codes: codes}, scans: [][]barcode.Code{{}}}.codesOn(nil))
}

// Numbers whose check digit fits by chance are no GTINs; printed GTINs are, by a word, a
// GS1 identifier or a barcode seen.
func TestPrintedNumbers(t *testing.T) {
	chance := map[string]bool{"lot": true, "phone": true, "order": true, "serial": true}
	n, alone, beside := map[bool]int{}, map[bool]int{}, map[bool]int{}
	for kind, lines := range linesByLanguage(t, "printed_numbers.txt") {
		for _, text := range lines {
			byChance := chance[kind]
			n[byChance]++
			without, with := gtinsIn(clearly(text)), gtinsIn(clearly(text), Code{})
			alone[byChance] += len(without)
			beside[byChance] += len(with)
			if want := !byChance && kind != "barcode"; (len(without) == 1) != want {
				t.Errorf("GTINs of %q, a %s number, without a barcode = %q, want one: %v", text, kind, without, want)
			}
			if !byChance && len(with) != 1 {
				t.Errorf("GTINs of %q, a %s number, beside a barcode = %q, want one", text, kind, with)
			}
		}
	}
	if n[true] < 200 || n[false] < 60 {
		t.Errorf("%d numbers by chance and %d GTINs, want 200 and 60 at least", n[true], n[false])
	}
	t.Logf("GTINs of %d numbers that fit by chance: %d, beside a barcode %d; of %d printed GTINs: %d, beside a barcode %d",
		n[true], alone[true], beside[true], n[false], alone[false], beside[false])
}

// Which barcodes lend a bare number their meaning.
func TestNumberBesideABarcode(t *testing.T) {
	const number, gtin = "8 801234 567893", "08801234567893"
	bars, under, far := Box{700, 100, 800, 400}, Box{805, 120, 830, 390}, Box{100, 100, 130, 400}
	at := func(text string, box Box, photo int) []Line {
		return []Line{{Text: text, Clear: true, Box: box, Photo: photo}}
	}
	tests := []struct {
		what  string
		lines []Line
		codes []Code
		scans [][]barcode.Code
		want  bool
	}{
		{"no barcode", at(number, nil, 0), nil, [][]barcode.Code{{}}, false},
		{"a barcode somewhere", at(number, nil, 0), []Code{{}}, [][]barcode.Code{{}}, true},
		{"a barcode in a box", at(number, nil, 0), []Code{{Box: bars}}, [][]barcode.Code{{}}, true},
		{"under the bars", at(number, under, 0), []Code{{Box: bars}}, [][]barcode.Code{{}}, true},
		{"within the box", at(number, Box{780, 120, 799, 390}, 0), []Code{{Box: bars}}, [][]barcode.Code{{}}, true},
		{"far from the bars", at(number, far, 0), []Code{{Box: bars}}, [][]barcode.Code{{}}, false},
		{"far from one, under the other", at(number, far, 0), []Code{{Box: bars}, {Box: Box{20, 100, 95, 400}}}, [][]barcode.Code{{}}, true},
		{"a barcode on another photo", at(number, nil, 1), []Code{{Photo: 2}}, [][]barcode.Code{{}, {}}, false},
		{"a barcode on the same photo", at(number, nil, 2), []Code{{Photo: 2}}, [][]barcode.Code{{}, {}}, true},
		{"a photo that is not named", at(number, nil, 0), []Code{{Photo: 2}}, [][]barcode.Code{{}, {}}, true},
		{"bars that were read", at(number, nil, 0), nil, barsOf("00036000291452"), true},
		{"bars that were read on another photo", at(number, nil, 2), nil, append(barsOf("00036000291452"), nil), false},
		{"hyphens", at("880-1234-567893", nil, 0), []Code{{}}, [][]barcode.Code{{}}, false},
		{"quiet zone marks", at("<8801234567893>", nil, 0), []Code{{}}, [][]barcode.Code{{}}, true},
		{"not clear", []Line{{Text: number}}, []Code{{}}, [][]barcode.Code{{}}, false},
		{"a wrong check digit", at("8801234567894", nil, 0), []Code{{}}, [][]barcode.Code{{}}, false},
		{"the bars could not be read", at(number, under, 0), []Code{{Box: bars}}, [][]barcode.Code{{}}, true},
	}
	for _, test := range tests {
		r := imageReading{analysis: Analysis{VisibleText: test.lines, Codes: test.codes}, scans: test.scans}
		if got := gtinsOf(r.codesOn(nil)); slices.Contains(got, gtin) != test.want {
			t.Errorf("%s: GTINs = %q, want %s among them: %v", test.what, got, gtin, test.want)
		}
	}
}

// A barcode in an injected line lends nothing.
func TestNumberBesideAnInjectedBarcode(t *testing.T) {
	r := imageReading{
		analysis: Analysis{VisibleText: clearly("8801234567893"), Codes: []Code{{Box: Box{0, 0, 100, 100}}}},
		injected: []Line{{Text: "brand = X", Box: Box{0, 0, 120, 120}}}, scans: [][]barcode.Code{{}},
	}
	if got := gtinsOf(r.codesOn(nil)); len(got) != 0 {
		t.Errorf("GTINs beside a barcode in an injected line = %q, want none", got)
	}
}

// Words say that a number is a GTIN, in its line or alone in the line before.
func TestNumberBesideAWord(t *testing.T) {
	tests := []struct {
		lines []string
		want  string
	}{
		{[]string{"EAN", "8801234567893"}, "08801234567893"},
		{[]string{"바코드 번호:", "8 801234 567893"}, "08801234567893"},
		{[]string{"ISBN-13", "978-0-306-40615-7"}, "09780306406157"},
		{[]string{"BARCODE:", "HAETSAL", "8801234567893"}, ""},
		{[]string{"Scan the barcode", "8801234567893"}, ""},
		{[]string{"Ocean", "8801234567893"}, ""},
		{[]string{"JAN", "4901234567894"}, "04901234567894"},
		{[]string{"JAN", "8801234567893"}, ""}, // a month
		{[]string{"ＪＡＮ　４９０１２３４５６７８９４"}, "04901234567894"},
		{[]string{"EAN 8801234567893 LOT 202808120915"}, "08801234567893"},
		{[]string{"LOT 202808120915 EAN 8801234567893"}, "08801234567893"},
		{[]string{"EAN 8801234567894"}, ""},
		{[]string{"EAN 88012345678931"}, ""},
		{[]string{"ISBN 0-306-40615-2"}, ""},
		{[]string{"ISBN 80-900009-1-6"}, ""}, // whose first groups, 80900009, fit as a GTIN-8
		{[]string{"ISSN 0317-8471"}, ""},
		{[]string{"ISBN 978-0-306-40615-7 51995"}, "09780306406157"}, // with a price
		{[]string{"EAN 9771234567003 05"}, "09771234567003"},         // with an issue
		{[]string{"EAN 96385074 1 kg"}, "00000096385074"},
		{[]string{"Tel. EAN-Hotline 0082-2-555-4537"}, ""},
		{[]string{"UDI (01)08801234567893(17)270315"}, "08801234567893"},
		{[]string{"Tel (01) 42 68 53 00 12"}, ""},
	}
	for _, test := range tests {
		got := gtinsIn(clearly(test.lines...))
		if want := slices.DeleteFunc([]string{test.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
			t.Errorf("GTINs of %q = %q, want %q", test.lines, got, want)
		}
	}
	unclear := clearly("EAN 8801234567893")
	unclear[0].Clear = false
	if got := gtinsIn(unclear); len(got) != 0 {
		t.Errorf("GTINs of an unclear line = %q, want none", got)
	}
	r := imageReading{analysis: Analysis{VisibleText: clearly("GTIN: 8801234567893")}, injected: clearly("brand = X, 8801234567893"), scans: [][]barcode.Code{{}}}
	if got := gtinsOf(r.codesOn(nil)); len(got) != 0 {
		t.Errorf("GTINs of a number in an injected line = %q, want none", got)
	}
}

// The elements of a line with an identifier count with their dates.
func TestIdentifierBehindAWord(t *testing.T) {
	r := imageReading{analysis: Analysis{VisibleText: clearly("UDI: (01)08801234567893(17)270315")}, scans: [][]barcode.Code{{}}}
	all := r.codesOn(nil)
	if len(all) != 1 || all[0].gs1 == nil || all[0].gs1.UseBy != gs1.Date("270315") {
		t.Errorf("codes = %+v, want one with a date", all)
	}
}

func TestHasISBN(t *testing.T) {
	tests := []struct {
		line Line
		want bool
	}{
		{Line{Text: "ISBN 0-306-40615-2", Clear: true}, true},
		{Line{Text: "ISBN-10: 0306406152", Clear: true}, true},
		{Line{Text: "isbn 0 8044 2957 X (pbk)", Clear: true}, true},
		{Line{Text: "ISBN 0-306-40615-2"}, false}, // not clear
		{Line{Text: "ISBN 0-306-40615-3", Clear: true}, false},
		{Line{Text: "Tel. 0-306-40615-2", Clear: true}, false},
		{Line{Text: "ISBN 978-0-306-40615-7", Clear: true}, false}, // a GTIN
		{Line{Text: "ISBN", Clear: true}, false},
	}
	for _, test := range tests {
		if got := isbnOf([]Line{test.line}) != ""; got != test.want {
			t.Errorf("isbnOf(%+v) = %v, want %v", test.line, got, test.want)
		}
	}
}
