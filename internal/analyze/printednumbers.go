package analyze

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/textfold"
)

// printedCodes returns the codes in clear lines: GS1 elements in brackets; numbers that a
// word calls a GTIN; and bare numbers of 12 to 14 digits beside a barcode. The check digit
// must fit, but alone it proves nothing: it fits one of ten numbers of lots and phones.
// Numbers that are also in an injected line are left out.
func (r imageReading) printedCodes() []code {
	var all []code
	theirs := ""
	for _, l := range r.injected {
		theirs += textfold.String(l.Text)
	}
	injected := func(s string) bool { return s != "" && strings.Contains(theirs, s) }
	for i, l := range r.analysis.VisibleText {
		c, ok := bracketedElements(l)
		if !ok {
			c = code{gtin: r.printedGTIN(i), quote: quoteOf(l)}
		}
		if bool(l.Clear) && (ok || c.gtin != "") && !injected(textfold.String(l.Text)) && !injected(strings.TrimLeft(c.gtin, "0")) {
			all = append(all, c)
		}
	}
	return all
}

// printedGTIN returns the GTIN-14 in line i that a word before it, or a barcode beside it,
// proves to be one, or "".
func (r imageReading) printedGTIN(i int) string {
	l, text := r.analysis.VisibleText[i], ""
	if !strings.ContainsFunc(l.Text, unicode.IsDigit) { // most lines: no pattern to match
		return ""
	}
	if i > 0 && r.analysis.VisibleText[i-1].Photo == l.Photo {
		text = r.analysis.VisibleText[i-1].Text
	}
	if !wordAlone().MatchString(unmarked(text)) {
		text = ""
	}
	if gtin := gtinAfterWord(text + " " + l.Text); gtin != "" {
		return gtin
	}
	// Shorter numbers than of 12 digits are too often dates and prices.
	gtin, ok := gs1.GTIN(strings.Trim(l.Text, "<> "))
	if ok && !strings.HasPrefix(gtin, "000000") && underBars(l.Text) && r.barcodeBeside(l) {
		return gtin
	}
	return ""
}

func quoteOf(l Line) Quote { return Quote{Text: l.Text, Box: l.Box, Photo: l.Photo} }

// bracketedElements returns the GS1 elements in l: "(17)270315…", or from "(01)" on.
func bracketedElements(l Line) (c code, ok bool) {
	text := l.Text
	if i := strings.Index(text, "(01)"); i > 0 {
		text = text[i:]
	}
	if !strings.HasPrefix(text, "(") {
		return code{}, false
	}
	e, err := gs1.Parse(text)
	if err != nil || e.GTIN == "" && e.BestBefore == "" && e.UseBy == "" {
		return code{}, false
	}
	return code{e.GTIN, quoteOf(l), &e}, true
}

// The words for a GTIN, normalized by unmarked. Another word may follow, or the number of
// digits: "EAN-13:", "UPC code no.".
const (
	gtinWord = `(?:gtin|ean|upc|isbn|bar[ -]?codes?|barkod|strich-?codes?|streckkod|streepjescode|codes?[ -]barres?|codigos? de barras|` +
		`codice a barre|kod kreskowy|ma vach|штрих-?код|바코드|バーコード|条[形]?码|條[形]?碼|商品条码|商品條碼)`
	afterWord = `(?:-?(?:8|12|13|14|a)\b|[ /-]?(?:code|number|no\b|nr\b|ean|upc|번호|コード|番号)\.?)*`
	janWord   = `jan(?: ?(?:code|コード))?`
)

// Patterns of a word before its number, and of a word alone. JAN codes begin with 45 or 49;
// without that, JAN may be a month.
var (
	numberAfterWord = lazily(`(?:^|[^\p{L}])(?:` + gtinWord + afterWord + `\s?[:：=.#]?\s?(\d[\d -]*\d)|` + janWord + `\s?[:：]?\s?(4[59]\d{11}|4[59]\d{6})\b)`)
	wordAlone       = lazily(`^\s*(?:` + gtinWord + afterWord + `|` + janWord + `)\s?[:：=.#]?\s*$`)
)

// gtinAfterWord returns the GTIN-14 after a word for one, or "". An ISBN of ten digits may
// begin with a number that fits as a GTIN-8.
func gtinAfterWord(text string) string {
	for _, m := range numberAfterWord().FindAllStringSubmatch(unmarked(text), -1) {
		gtin := leadingGTIN(m[1] + m[2])
		if gtin != "" && !(strings.HasPrefix(gtin, "000000") && strings.Contains(m[0], "isbn")) {
			return gtin
		}
	}
	return ""
}

// leadingGTIN returns the GTIN-14 of the longest run of groups of digits, from the first
// on, that is a GTIN: an ISBN may have two or five digits more.
func leadingGTIN(number string) string {
	groups := strings.FieldsFunc(number, func(r rune) bool { return r < '0' || r > '9' })
	for n := len(groups); n > 0; n-- {
		if gtin, ok := gs1.GTIN(strings.Join(groups[:n], "")); ok {
			return gtin
		}
	}
	return ""
}

// barcodeBeside reports whether a barcode was seen or read on the photo of l. If the
// places of both are known, they must be close.
func (r imageReading) barcodeBeside(l Line) bool {
	of := max(len(r.scans), 1)
	for n := 1; n <= of; n++ {
		if !on(l.Photo, n, of) {
			continue
		}
		if len(r.scans) > 0 && slices.ContainsFunc(r.codesRead(n-1), func(c code) bool { return c.quote.Box.near(l.Box) }) {
			return true
		}
		if slices.ContainsFunc(r.analysis.Codes, func(c Code) bool { return on(c.Photo, n, of) && !r.painted(c.Box, n) && c.Box.near(l.Box) }) {
			return true
		}
	}
	return false
}

// isbn10 is an ISBN of ten digits behind the word.
var isbn10 = regexp.MustCompile(`(?i)\bISBN(?:-10)?:?\s*((?:\d[ -]?){9}[\dX])(?:[^\dX]|$)`)

// isbnOf returns the ISBN of ten digits with a right check digit in a clear line, "" without
// one. Those of thirteen are GTINs.
func isbnOf(lines []Line) string {
	for _, l := range lines {
		if m := isbn10.FindStringSubmatch(l.Text); bool(l.Clear) && m != nil && validISBN10(m[1]) {
			return m[1]
		}
	}
	return ""
}

// validISBN10 reports whether the digits' sum, weighted from 10 to 1, is a multiple of 11.
func validISBN10(s string) bool {
	sum, weight := 0, 10
	for _, r := range strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(s)) {
		digit := int(r - '0')
		if r == 'X' {
			digit = 10
		}
		sum += weight * digit
		weight--
	}
	return weight == 0 && sum%11 == 0
}
