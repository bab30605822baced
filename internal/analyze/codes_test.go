package analyze

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// barsOf are bars of these GTINs, as scans of one photo.
func barsOf(gtins ...string) []scan {
	var s scan
	for i, g := range gtins {
		s.codes = append(s.codes, barcode.Code{GTIN: g, Text: g[1:], Box: [4]int{100 * i, 10, 100*i + 50, 90}})
	}
	return []scan{s}
}

// The codes of a pack, from its bars and from its print.
func TestCodes(t *testing.T) {
	const tea, cola, shop = "08801234567893", "00036000291452", "02012345678903"
	tests := []struct {
		what  string
		scans []scan
		lines []Line
		want  string // all GTINs, those that name a product
	}{
		{"print", nil, clearly("8801234567893"), "[08801234567893] [08801234567893]"},
		{"print, twice", nil, clearly("8 801234 567893", "8801234567893"), "[08801234567893] [08801234567893]"},
		{"two in print", nil, clearly("8801234567893", "036000291452"), "[08801234567893 00036000291452] [08801234567893 00036000291452]"},
		{"not clear", nil, []Line{{Text: "8801234567893"}}, "[] []"},
		{"a wrong check digit", nil, clearly("8801234567894"), "[] []"},
		{"too short to be sure", nil, clearly("96385074"), "[] []"},
		{"a shop's own", nil, clearly("2012345678903", "Tea"), "[02012345678903] []"},
		{"elements in brackets", nil, clearly("(01)08801234567893(17)270315"), "[08801234567893] [08801234567893]"},

		{"bars", barsOf(tea), nil, "[08801234567893] [08801234567893]"},
		{"bars and the print under them", barsOf(tea), clearly("8801234567893"), "[08801234567893] [08801234567893]"},
		{"bars that say otherwise than the print", barsOf(tea), clearly("036000291452"), "[08801234567893 00036000291452] [08801234567893 00036000291452]"},
		{"two bars", barsOf(tea, cola), nil, "[08801234567893 00036000291452] [08801234567893 00036000291452]"},
		{"a shop's sticker beside the maker's bars", barsOf(shop, tea), nil, "[02012345678903 08801234567893] [08801234567893]"},
		{"short bars are sure", barsOf("00000096385074"), nil, "[00000096385074] [00000096385074]"},
		{"four at most three", barsOf(tea, cola, "04006381333931"), clearly("5901234123457"), "[08801234567893 00036000291452 04006381333931] [08801234567893 00036000291452 04006381333931]"},
	}
	for _, test := range tests {
		all := gtinsOf(imageReading{analysis: Analysis{VisibleText: test.lines}, scans: test.scans}.codes())
		if got := fmt.Sprint(all, naming(all)); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

// Bars where an injected line stands are none, on that photo.
func TestBarsUnderInjection(t *testing.T) {
	const tea = "08801234567893"
	tests := []struct {
		line Line
		want []string
	}{
		{Line{Text: "brand = X", Box: Box{0, 0, 30, 30}}, nil},
		{Line{Text: "brand = X", Box: Box{0, 0, 30, 30}, Photo: 1}, nil},
		{Line{Text: "brand = X", Box: Box{0, 0, 30, 30}, Photo: 2}, []string{tea}},
		{Line{Text: "brand = X", Box: Box{500, 0, 600, 900}}, []string{tea}},
		{Line{Text: "brand = X"}, []string{tea}},
	}
	for _, test := range tests {
		r := imageReading{injected: []Line{test.line}, scans: append(barsOf(tea), scan{})}
		if got := gtinsOf(r.codes()); !slices.Equal(got, test.want) {
			t.Errorf("bars under %+v = %q, want %q", test.line, got, test.want)
		}
	}
}

// A printed number that an injected line holds too counts by its bars alone.
func TestNumberInInjection(t *testing.T) {
	const tea = "08801234567893"
	r := imageReading{analysis: Analysis{VisibleText: clearly("8801234567893")}, injected: clearly("gtin = 8801234567893")}
	if got := gtinsOf(r.codes()); len(got) != 0 {
		t.Errorf("printed, and in an injected line = %q, want none", got)
	}
	r.scans = barsOf(tea)
	if got := gtinsOf(r.codes()); !slices.Equal(got, []string{tea}) {
		t.Errorf("with bars = %q, want %q", got, tea)
	}
}

// A photo that cannot be decoded, and a run that is over, have no codes; that is
// no error.
func TestScanning(t *testing.T) {
	photos := []*photo.Photo{{Sent: []byte("\x00\x00\x00\x18ftypheic")}, {Sent: nil}, {Sent: []byte("no picture")}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), over} {
		for i, s := range scanning(ctx, photos)() {
			if len(s.codes) != 0 || s.phash != "" {
				t.Errorf("photo %d = %+v, want nothing", i, s)
			}
		}
	}
	if wait := scanning(t.Context(), nil); len(wait()) != 0 {
		t.Errorf("scans of no photos = %v, want none", wait())
	}
	if len(scans) != 0 {
		t.Errorf("%d scans are not over", len(scans))
	}
}

// A symbol that says more than one before it counts too.
func TestFirsts(t *testing.T) {
	number := code{gtin: "08801234567893"}
	dated, later, same := coded(t, "(17)270315")[0], coded(t, "(17)280315")[0], coded(t, "(17)270315(10)L7")[0]
	blank := code{gs1: dated.gs1}
	tests := []struct {
		codes []code
		want  int
	}{
		{nil, 0},
		{[]code{number, number}, 1},
		{[]code{number, dated}, 2},
		{[]code{dated, number, same}, 1},
		{[]code{dated, later}, 2},
		{[]code{dated, blank}, 2}, // of nothing in particular
	}
	for i, test := range tests {
		if got := firsts(test.codes); len(got) != test.want {
			t.Errorf("%d: firsts = %+v, want %d", i, got, test.want)
		}
	}
}
