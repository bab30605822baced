package analyze

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"slices"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// barsOf returns barcodes of these GTINs, as scans of one photo.
func barsOf(gtins ...string) [][]barcode.Code {
	var s []barcode.Code
	for i, g := range gtins {
		s = append(s, barcode.Code{GTIN: g, Text: g[1:], Box: [4]int{100 * i, 10, 100*i + 50, 90}})
	}
	return [][]barcode.Code{s}
}

// The codes of a pack on which a barcode was seen, from its barcodes and from its text.
func TestCodes(t *testing.T) {
	const tea, cola, shop = "08801234567893", "00036000291452", "02012345678903"
	tests := []struct {
		what  string
		scans [][]barcode.Code
		lines []Line
		want  string // all GTINs, unrestricted GTINs
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
		all := gtinsOf(imageReading{analysis: Analysis{VisibleText: test.lines, Codes: []Code{{}}}, scans: test.scans}.codesOn(nil))
		if got := fmt.Sprint(all, slices.DeleteFunc(slices.Clone(all), gs1.Restricted)); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

// Barcodes that overlap an injected line on the same photo are ignored.
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
		r := imageReading{injected: []Line{test.line}, scans: append(barsOf(tea), nil)}
		if got := gtinsOf(r.codesOn(nil)); !slices.Equal(got, test.want) {
			t.Errorf("bars under %+v = %q, want %q", test.line, got, test.want)
		}
	}
}

// A printed number that is also in an injected line counts only as a barcode.
func TestNumberInInjection(t *testing.T) {
	const tea = "08801234567893"
	r := imageReading{analysis: Analysis{VisibleText: clearly("8801234567893"), Codes: []Code{{}}}, injected: clearly("gtin = 8801234567893")}
	if got := gtinsOf(r.codesOn(nil)); len(got) != 0 {
		t.Errorf("printed, and in an injected line = %q, want none", got)
	}
	r.scans = barsOf(tea)
	if got := gtinsOf(r.codesOn(nil)); !slices.Equal(got, []string{tea}) {
		t.Errorf("with bars = %q, want %q", got, tea)
	}
}

// Where codes are read, by the model's answer.
func TestCodesWanted(t *testing.T) {
	box, other := Box{100, 100, 200, 300}, Box{500, 500, 600, 700}
	digits := Line{Text: "8 801234 567893"}
	tests := []struct {
		what  string
		read  barcode.When
		codes []Code
		lines []Line
		want  string // read, boxes
	}{
		{"nothing seen", barcode.WhenSeen, nil, clearly("HAETSAL", "2027.03.15"), "false []"},
		{"a code", barcode.WhenSeen, []Code{{Box: box}}, nil, "true [[100 100 200 300]]"},
		{"two", barcode.WhenSeen, []Code{{Box: box}, {Box: other, Photo: 1}}, nil, "true [[100 100 200 300] [500 500 600 700]]"},
		{"on another photo", barcode.WhenSeen, []Code{{Box: box, Photo: 2}}, nil, "false []"},
		{"somewhere", barcode.WhenSeen, []Code{{}}, nil, "true []"},
		{"digits", barcode.WhenSeen, nil, []Line{digits}, "true []"},
		{"a code and digits", barcode.WhenSeen, []Code{{Box: box}}, []Line{digits}, "true [[100 100 200 300]]"},
		{"digits of another photo", barcode.WhenSeen, nil, []Line{{Text: digits.Text, Photo: 2}}, "false []"},
		{"never", barcode.Never, []Code{{Box: box}}, []Line{digits}, "false []"},
		{"not set", "", []Code{{Box: box}}, nil, "false []"},
		{"always", barcode.Always, nil, nil, "true []"},
	}
	for _, test := range tests {
		read, boxes := wantedCodes(test.read, Analysis{Codes: test.codes, VisibleText: test.lines}, 1, 2)
		if got := fmt.Sprint(read, boxes); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

// Boxes in which nothing is read lead to the whole photo, and what is read in boxes only is
// read in each of them.
func TestCodesInAndBesideBoxes(t *testing.T) {
	const tea, carton = "8801234567893", "18801234567890"
	img := image.NewGray(image.Rect(0, 0, 1000, 1000))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	drawn := func(w gozxing.Writer, format gozxing.BarcodeFormat, digits string, at image.Rectangle) {
		bars, err := w.Encode(digits, format, at.Dx(), at.Dy(), nil)
		if err != nil {
			t.Fatal(err)
		}
		draw.Draw(img, at, bars, image.Point{}, draw.Src)
	}
	drawn(oned.NewITFWriter(), gozxing.BarcodeFormat_ITF, carton, image.Rect(50, 50, 450, 250))
	onlyITF := image.NewGray(img.Rect)
	copy(onlyITF.Pix, img.Pix)
	drawn(oned.NewEAN13Writer(), gozxing.BarcodeFormat_EAN_13, tea, image.Rect(500, 700, 900, 900))
	ean, itf, nothing := Box{700, 500, 900, 900}, Box{50, 50, 250, 450}, Box{300, 700, 400, 900}
	for _, test := range []struct {
		what  string
		img   image.Image
		boxes []Box
		want  []string
	}{
		{"none", img, nil, []string{"0" + tea}},
		{"about the bars", img, []Box{ean}, []string{"0" + tea}},
		{"beside them", img, []Box{nothing}, []string{"0" + tea}},
		{"seven beside them", img, slices.Repeat([]Box{nothing}, 7), []string{"0" + tea}},
		{"about both", img, []Box{ean, nothing, itf}, []string{"0" + tea, carton}},
		{"the third about one that is read in boxes only", onlyITF, []Box{nothing, nothing, itf}, []string{carton}},
		{"all beside that", onlyITF, slices.Repeat([]Box{nothing}, 3), nil},
	} {
		var got []string
		for _, c := range readCodes(t.Context(), test.img, test.boxes) {
			got = append(got, c.GTIN)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("boxes %s: codes = %v, want %v", test.what, got, test.want)
		}
	}
}

// Lines that look like the digits under bars, and those that do not.
func TestUnderBars(t *testing.T) {
	for text, want := range map[string]bool{
		"8801234567893": true, "8 801234 567893 >": true, "96385074": true, "0 36000 29145 2": true, "08801234567893": true,
		"2027.03.15": false, "500 ml": false, "1234567": false, "123456789012345": false, "080-1234-5678": false, "LOT 12345678": false, "": false,
	} {
		if got := underBars(text); got != want {
			t.Errorf("underBars(%q) = %v, want %v", text, got, want)
		}
	}
}

// A photo that cannot be decoded has no codes; that is no error. A run that is over
// has one.
func TestPixelsThatAreNotThere(t *testing.T) {
	read := pixelTask{codes: true}
	for i, p := range []*photo.Photo{{Sent: []byte("\x00\x00\x00\x18ftypheic")}, {Sent: nil}, {Sent: []byte("no picture")}} {
		codes, masked, err := (&Pipeline{}).scanAndPaint(t.Context(), p, read)
		if len(codes) != 0 || masked != nil || err != nil {
			t.Errorf("photo %d = %v, %v, %v, want nothing", i, codes, masked, err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&Pipeline{}).scanAndPaint(over, white(t, 64), read); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is over = %v, want %v", err, context.Canceled)
	}
}

// A photo above the memory limit is not decoded; without free memory the error is
// Busy.
func TestPixelsTakeRoom(t *testing.T) {
	read := pixelTask{codes: true}
	for room, want := range map[int64]string{1: "0 <nil>", 100_000: "1 <nil>"} {
		p := white(t, 64)
		pipeline := &Pipeline{Config: Config{Memory: admission.New(admission.Config{Work: room})}}
		_, _, err := pipeline.scanAndPaint(t.Context(), p, read)
		if got := fmt.Sprint(p.Decodes(), " ", err); got != want {
			t.Errorf("with room for %d: decoded %s, want %s", room, got, want)
		}
	}
	full := admission.New(admission.Config{Work: 100_000})
	release, err := full.AcquireWork(t.Context(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	var busy *admission.Busy
	if _, _, err := (&Pipeline{Config: Config{Memory: full}}).scanAndPaint(t.Context(), white(t, 64), read); !errors.As(err, &busy) {
		t.Errorf("where there is no room = %v, want busy", err)
	}
}

// Codes and painting need one decoding, and its memory is released afterwards.
func TestPixelsAreDecodedOnce(t *testing.T) {
	p := white(t, 64)
	task := pixelTask{codes: true, boxes: []Box{{0, 0, 500, 500}}, paint: [][4]int{{0, 0, 100, 100}}}
	_, masked, err := (&Pipeline{}).scanAndPaint(t.Context(), p, task)
	if err != nil || masked == nil || p.Decodes() != 1 || p.HeldBytes() != 0 {
		t.Errorf("do = masked %v, %v after %d decodings, %d bytes held; want it masked after one, and none", masked != nil, err, p.Decodes(), p.HeldBytes())
	}
}

// A symbol that says more than an earlier one counts too.
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
		{[]code{dated, blank}, 2}, // without a date
	}
	for i, test := range tests {
		var scanned []barcode.Code
		for _, c := range test.codes {
			scanned = append(scanned, barcode.Code{GTIN: c.gtin, GS1: c.gs1})
		}
		if got := (imageReading{scans: [][]barcode.Code{scanned}}).codesOn(nil); len(got) != test.want {
			t.Errorf("%d: codes = %+v, want %d", i, got, test.want)
		}
	}
}
