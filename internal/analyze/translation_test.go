package analyze

import (
	"strings"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// A name in another form than the print's is doubted, unless something has both.
func TestTranslated(t *testing.T) {
	known := knowledge(Analysis{}, []catalog.Product{{ProductName: "꼬북칩", Aliases: []string{"Turtle Chips"}, Brand: "볕고을", BrandAliases: []string{"Byeotgoeul"}}})
	tests := []struct {
		what               string
		printed, named, in string // the name
		maker, by, byIn    string // the brand
		lines              string
		want               bool
	}{
		{"as it is printed", "꼬북칩", "오리온 꼬북칩", "", "오리온", "오리온", "", "", false},
		{"a maker of the list", "꼬북칩", "꼬북칩", "", "LOTTE", "LOTTE", "롯데", "", false},
		{"a maker of the list, with other spaces", "햇반", "햇반", "", "CJ제일제당", "CJ제일제당", "CJ Cheil Jedang", "", false},
		{"another maker", "꼬북칩", "꼬북칩", "", "LOTTE", "LOTTE", "오리온", "", true},
		{"a maker that nobody knows", "꼬북칩", "꼬북칩", "", "Sera", "Sera", "세라", "", true},
		{"a brand with an alias in the catalogue", "꼬북칩", "꼬북칩", "", "볕고을", "볕고을", "Byeotgoeul", "", false},
		{"a name with an alias in the catalogue", "꼬북칩", "꼬북칩", "Turtle Chips", "볕고을", "볕고을", "", "", false},
		{"another name", "꼬북칩", "꼬북칩", "Pocky Strawberry", "볕고을", "볕고을", "", "", true},
		{"a form that is printed too", "꼬북칩", "꼬북칩", "Pocky Strawberry", "", "", "", "POCKY STRAWBERRY", false},
		{"a translation that shares a word", "Galettes au beurre", "Butter Galettes", "", "", "", "", "", false},
		{"a translation that shares none", "Paleta curada", "Cured ham", "", "", "", "", "", true},
		{"a number is no word of another script", "1025 독도로션", "1025 독도로션", "1025 Dokdo Lotion", "", "", "", "", true},
		{"a form in the same script", "Galettes au beurre", "Galettes au beurre", "Cured ham", "", "", "", "", true},
		{"no copy to compare with", "", "Barley Tea", "보리차", "", "Sera", "세라", "", false},
	}
	for _, test := range tests {
		a := Analysis{NameAsPrinted: test.printed, ProductName: test.named, NameLocal: test.in, BrandAsPrinted: test.maker, Brand: test.by, BrandLocal: test.byIn}
		a.VisibleText = clearly(test.printed, test.maker, test.lines)
		if got := translated(a, known); got != test.want {
			t.Errorf("%s: translated = %v, want %v", test.what, got, test.want)
		}
	}
}

// Each line of the list of makers has names in two scripts, a country and a source, and no
// name stands for two makers.
func TestMakers(t *testing.T) {
	korean, lineOf := 0, map[string]string{}
	for line := range strings.Lines(makersText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		names := strings.Split(fields[0], "|")
		if len(fields) != 3 || len(names) < 2 || len(fields[1]) != 2 || !strings.Contains(fields[2], ".") {
			t.Errorf("%q: want names, a country and a site", line)
			continue
		}
		if fields[1] == "KR" {
			korean++
		}
		for _, name := range names {
			if key := textfold.String(name); key == "" || lineOf[key] != "" && lineOf[key] != line {
				t.Errorf("%q stands in %q too", name, lineOf[key])
			} else {
				lineOf[key] = line
			}
		}
	}
	if korean < 200 {
		t.Errorf("%d makers of Korea, want 200", korean)
	}
	if !sameMaker("롯데", "Lotte") || sameMaker("롯데", "ORION") || sameMaker("Nestora", "Nestora") {
		t.Error("sameMaker does not tell Lotte from Orion, or knows a maker that is not listed")
	}
}
