package analyze

import (
	"regexp"
	"strings"
)

// brandless reports whether the photo shows goods that need no brand (a banana, a book, a
// wine): no brand was read, and the name is sure as its model sees it. The print need not
// hold the name. Only with the stronger model's consent does such a reading decide, and never
// with injected lines in sight, which may have named it.
func (f *facts) brandless() bool {
	a := f.analysis
	return !f.injected && a.Brand == "" && a.BrandAsPrinted == "" && a.ProductName != "" && f.named > f.policy.Confidence
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
