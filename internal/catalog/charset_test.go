package catalog_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"example.com/whatis/internal/catalog"
)

// encodedAs returns text in a character set.
func encodedAs(t *testing.T, of encoding.Encoding, text string) string {
	t.Helper()
	out, err := of.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// told reads a file and returns the names of its products, and what is reported.
func told(r io.Reader, f catalog.Format) (names, faults []string, err error) {
	for p, wrong := range catalog.ReadProducts(r, f, func(f catalog.Fault) {
		faults = append(faults, fmt.Sprintf("%s %s, out %v: %s", f.Record, f.Reason, f.LeftOut, f.Why))
	}) {
		if err = wrong; err == nil {
			names = append(names, p.ProductName)
		}
	}
	return names, faults, err
}

// A file is read in the character set that it is in, or refused row by row; what was read otherwise
// than as UTF-8 is told.
func TestCharsets(t *testing.T) {
	utf16 := func(e unicode.Endianness, p unicode.BOMPolicy) encoding.Encoding { return unicode.UTF16(e, p) }
	const (
		korean보리차 = "product_name,brand\n보리차,해쌀\nTea,Lune\n"
		western   = "product_name,brand\nCrème brûlée à l’eau,Müller\nØl,Ærø\nété,Œuf\n½ l “Bière” – 3 €,Nestlé®\nTea,Lune\n"
		polish    = "product_name,brand\nchleb biały,Piątnica\nTea,Lune\n"
		dos       = "product_name\ncafé\nTea\n"
		greek     = "product_name\nΕλιά\nTea\n"
		cyrillic  = "product_name\nЧай зелёный\nTea\n"
		japanese  = "product_name\nお茶\n緑茶\nコーヒー\nTea\n"
		chinese   = "product_name\n绿茶\nTea\n"
	)
	tests := []struct {
		name, file, charset string
		want                string
		faults              string // of each row
	}{
		{"UTF-8 with a byte order mark", "\ufeff" + korean보리차, "", "보리차 | Tea", ""},
		{"UTF-16, little end first", encodedAs(t, utf16(unicode.LittleEndian, unicode.UseBOM), korean보리차), "", "보리차 | Tea", ""},
		{"UTF-16, big end first", encodedAs(t, utf16(unicode.BigEndian, unicode.UseBOM), korean보리차), "", "보리차 | Tea", ""},
		{"UTF-16 without a mark", encodedAs(t, utf16(unicode.LittleEndian, unicode.IgnoreBOM), korean보리차), "", "보리차 | Tea", ""},
		{"UTF-16 of JSON without a mark", encodedAs(t, utf16(unicode.BigEndian, unicode.IgnoreBOM), `[{"product_name":"보리차","key_features":["차"]}]`), "", "보리차", ""},
		{"UTF-32", encodedAs(t, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), korean보리차), "", "보리차 | Tea", ""},
		{"UTF-16 that ends in half a letter", encodedAs(t, utf16(unicode.LittleEndian, unicode.UseBOM), "product_name\nTea") + "x", "", "Tea�", "characters were lost"},
		{"Windows-1252", encodedAs(t, charmap.Windows1252, western), "", "Crème brûlée à l’eau | Øl | été | ½ l “Bière” – 3 € | Tea", "Crème, brûlée, à, l’eau, Müller; Øl, Ærø; été, Œuf; ½, “Bière”, –, €, Nestlé®"},
		{"JSON Lines in Windows-1252", encodedAs(t, charmap.Windows1252, `{"product_name":"Öl","key_features":["Öl"]}`+"\n"+`{"product_name":"Müsli","key_features":["Müsli"]}`), "", "Öl | Müsli", "Öl, Öl; Müsli, Müsli"},
		{"Windows-1250, named", encodedAs(t, charmap.Windows1250, polish), "windows-1250", "chleb biały | Tea", ""},
		{"Windows-1250", encodedAs(t, charmap.Windows1250, polish), "", "Tea", "not to be Windows-1252"},
		{"DOS", encodedAs(t, charmap.CodePage850, dos), "", "Tea", "not to be Windows-1252"},
		{"Mac", encodedAs(t, charmap.Macintosh, dos), "", "Tea", "not to be Windows-1252"},
		{"Greek", encodedAs(t, charmap.Windows1253, greek), "", "Tea", "not to be Windows-1252"},
		{"Cyrillic", encodedAs(t, charmap.Windows1251, cyrillic), "", "Tea", "not to be Windows-1252"},
		{"Korean", encodedAs(t, korean.EUCKR, korean보리차), "", "Tea", "not to be Windows-1252"},
		{"Korean, named", encodedAs(t, korean.EUCKR, korean보리차), "euc-kr", "보리차 | Tea", ""},
		{"Japanese", encodedAs(t, japaneseSJIS, japanese), "", "Tea", "not to be Windows-1252; not to be Windows-1252; not to be Windows-1252"},
		{"Japanese, named", encodedAs(t, japaneseSJIS, japanese), "shift_jis", "お茶 | 緑茶 | コーヒー | Tea", ""},
		{"Chinese", encodedAs(t, simplifiedchinese.GBK, chinese), "", "Tea", "not to be Windows-1252"},
		{"UTF-8 in Windows-1252 in UTF-8", "product_name\nM\xc3\xbcsli \xfc\nTea\n", "", "Tea", "not to be Windows-1252"},
		{"wrongly named", "product_name\nMüsli\n", "euc-kr", "M체sli", ""},
	}
	for _, test := range tests {
		names, faults, err := told(strings.NewReader(test.file), catalog.Format{Charset: test.charset})
		wrong := strings.Split(test.faults, "; ")
		if test.faults == "" {
			wrong = nil
		}
		ok := len(faults) == len(wrong)
		for i := range wrong {
			ok = ok && strings.Contains(faults[i], wrong[i])
		}
		if err != nil || strings.Join(names, " | ") != test.want || !ok {
			t.Errorf("%s: ReadProducts = %q, %v, reports %q; want %q, %q", test.name, names, err, faults, test.want, wrong)
		}
	}
	if _, _, err := told(strings.NewReader("product_name\nTea\n"), catalog.Format{Charset: "klingon"}); !errors.Is(err, catalog.ErrFile) || !strings.Contains(err.Error(), "klingon") {
		t.Errorf("a charset that does not exist = %v, want ErrFile and its name", err)
	}
	header := encodedAs(t, korean.EUCKR, "상품,브랜드\nTea,Lune\n")
	if _, _, err := told(strings.NewReader(header), catalog.Format{Columns: map[string]string{"product_name": "상품"}}); !errors.Is(err, catalog.ErrFile) || !strings.Contains(err.Error(), "character set") {
		t.Errorf("a first line in Korean = %v, want ErrFile, and to name the character set", err)
	}
}

var japaneseSJIS = japanese.ShiftJIS

// Lines may end with CR alone, as in what Excel calls CSV (Macintosh); a CR within a line of another
// file is part of its text.
func TestCarriageReturns(t *testing.T) {
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for _, test := range []struct{ file, want string }{
		{"product_name,brand\rTea,Lune\rCola,Lune\r", "Tea Cola"},
		{"product_name;brand\r\"Tea\nGreen\";Lune\rCola;Lune", "Tea Green Cola"},
		{"\ufeffproduct_name\rTea\r", "Tea"},
		{encodedAs(t, utf16, "product_name\tbrand\rTea\tLune\r"), "Tea"},
		{"id\ttitle\tlink\r1\tTea\thttps://shop.test/1\r2\tCola\thttps://shop.test/2\r", "Tea Cola"},
		{"{\"product_name\":\"Tea\",\"key_features\":[\"x\"]}\r{\"product_name\":\"Cola\",\"key_features\":[\"x\"]}\r", "Tea Cola"},
		{"product_name,brand\r\nTea\rGreen,Lune\r\n", "Tea Green"},
		{"product_name,brand\nTea\rGreen,Lune\n", "Tea Green"},
	} {
		names, faults, err := told(iotest.OneByteReader(strings.NewReader(test.file)), catalog.Format{})
		if got := strings.Join(names, " "); got != test.want || err != nil || len(faults) > 0 {
			t.Errorf("%q has %q, %q, %v; want %q", test.file, got, faults, err, test.want)
		}
	}
	_, faults, err := told(strings.NewReader("product_name,brand\rTea,Lune\r,Lune\r"), catalog.Format{})
	if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0], "line 3 ") {
		t.Errorf("a row without a name is reported as %q, %v; want line 3", faults, err)
	}
}

// A line that is no JSON is reported with its number, and nothing else is lost.
func TestBrokenLines(t *testing.T) {
	line := func(name string) string { return fmt.Sprintf(`{"product_name":%q,"key_features":["x"]}`, name) }
	for _, test := range []struct{ name, file, want, faults string }{
		{"in the middle", line("A") + "\n{oops\n" + line("B") + "\n", "A B", "line 2"},
		{"the first", "{oops\n" + line("B") + "\n" + line("C"), "B C", "line 1"},
		{"the first, cut off", `{"product_name":"A","key_features":["x"` + "\n" + line("B"), "B", "line 1"},
		{"several", line("A") + "\n{oops\n\n]\n" + `{"product_name":"C` + "\n" + line("B") + "\n}\n" + line("D"), "A B D", "line 2 line 4 line 5 line 7"},
		{"an open list", line("A") + "\n" + `{"product_name":"C","key_features":["x",` + "\n" + line("B") + "\n" + line("D"), "A B D", "line 2"},
		{"a brace too many", line("A") + "}\n" + line("B"), "A B", "line 1"},
		{"the last, cut off", line("A") + "\n" + line("B")[:20], "A", "line 2"},
		{"behind spaces", line("A") + "\n\n \t{oops\n" + line("B"), "A B", "line 3"},
		{"NaN behind an open string", line("A") + "\n" + `{"product_name":"C` + "\n" + `{"product_name":"B","price":NaN,"key_features":["x"]}`, "A B", "line 2"},
		{"long", line("A") + "\n{" + strings.Repeat("x", 200_000) + "\n" + line("B"), "A B", "line 2"},
		{"objects of several lines", "{\"product_name\":\"A\",\n\"key_features\":[\"x\"]\n}\n" + strings.ReplaceAll(line("B"), ",", ",\n"), "A B", ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.file), iotest.OneByteReader(strings.NewReader(test.file))} {
			names, faults, err := told(r, catalog.Format{})
			lines := make([]string, len(faults))
			for i, f := range faults {
				if lines[i], _, _ = strings.Cut(f, " no record, out true: it is no JSON: "); lines[i] == f {
					t.Errorf("%s: reports %q", test.name, f)
				}
			}
			if err != nil || strings.Join(names, " ") != test.want || strings.Join(lines, " ") != test.faults {
				t.Errorf("%s: ReadProducts = %q, %v, reports %q; want %q, %q", test.name, names, err, faults, test.want, test.faults)
			}
		}
	}
	gone := errors.New("the connection is gone")
	if names, faults, err := told(io.MultiReader(strings.NewReader(line("A")+"\n{oops\n{"), iotest.ErrReader(gone)), catalog.Format{}); !errors.Is(err, gone) || errors.Is(err, catalog.ErrFile) || len(names) != 1 || len(faults) != 1 {
		t.Errorf("a file that cannot be read on = %q, %q, %v; want what was read, and the error", names, faults, err)
	}
}

// Columns and fields that nobody reads are named, and lists that were cut.
func TestUnread(t *testing.T) {
	features := strings.Repeat(`"x",`, 24) + `"y"`
	for _, test := range []struct{ name, file, want string }{
		{"columns", "product_name,Shelf, ,brand,Note\nTea,red,,Lune,3\nCola,,,,\n", `line 1 not read, out false: columns that are not read: "Shelf", "Note"; --map COLUMN=FIELD reads one as a field of a product`},
		{"fields", `[{"product_name":"Tea","colour":"red","size":3,"key_features":["x"]},{"product_name":"Cola","colour":"red","key_features":["x"]}]`, `products not read, out false: fields that are not read: "colour" (in 2), "size" (in 1)`},
		{"Open Food Facts", `{"code":"8801234567893","product_name":"Tea","nova_group":1}` + "\n", ""},
		{"a list", `[{"product_name":"Tea","key_features":[` + features + `]}]`, "products[0] cut, out false: key_features are 25: the first 20 are kept"},
		{"a list of CSV", "product_name,key_features\nTea," + strings.ReplaceAll(features, ",", ";") + "\n", "line 2 cut, out false: key_features are 25: the first 20 are kept"},
	} {
		if _, faults, err := told(strings.NewReader(test.file), catalog.Format{}); err != nil || strings.Join(faults, "; ") != test.want {
			t.Errorf("%s: reports %q, %v; want %q", test.name, faults, err, test.want)
		}
	}
}
