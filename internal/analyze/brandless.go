package analyze

import (
	"regexp"
	"strings"
)

// brandless reports whether the photo shows goods that need no brand (a banana, a
// book): no brand was read, the name is sure as its model sees it, and a GTIN or an ISBN
// was read or the model knows the product. The print need not hold the name. Only with
// the stronger model's consent does such a reading decide, and never with injected
// lines in sight, which may have named it.
func (f *facts) brandless() bool {
	a := f.analysis
	return !f.injected && a.Brand == "" && a.BrandAsPrinted == "" && a.ProductName != "" && f.named > f.policy.Confidence && (f.coded || a.KnownProduct == Yes)
}

// isbn10 is an ISBN of ten digits behind the word.
var isbn10 = regexp.MustCompile(`(?i)\bISBN(?:-10)?:?\s*((?:\d[ -]?){9}[\dX])(?:[^\dX]|$)`)

// hasISBN reports whether a clear line has an ISBN of ten digits with a right check
// digit. Those of thirteen are GTINs.
func hasISBN(lines []Line) bool {
	for _, l := range lines {
		if m := isbn10.FindStringSubmatch(l.Text); bool(l.Clear) && m != nil && validISBN10(m[1]) {
			return true
		}
	}
	return false
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
