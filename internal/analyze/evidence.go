package analyze

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// Evidence is the read text that supports each field, nil for a field without
// support. The product's name is supported by the name as printed: a translated
// one is never on the pack. Without an expiration date, a date is quoted that was left out as its
// label is not known.
type Evidence struct {
	ProductName    *Quote `json:"product_name,omitempty"`
	Brand          *Quote `json:"brand,omitempty"`
	ExpirationDate *Quote `json:"expiration_date,omitempty"`
	GTIN           *Quote `json:"gtin,omitempty"`
}

// A Quote is read text and its place, if known. Photo is the number of the photo,
// from 1, when there are several.
type Quote struct {
	Text  string `json:"text"`
	Box   Box    `json:"box,omitempty"`
	Photo int    `json:"photo,omitempty"`
}

// unsupportedCap bounds the confidence in a name or brand that a second look does not read.
const unsupportedCap = 0.6

// gate returns the read text that proves a's name and brand: as the copy of the print that a
// has, or else as they are named. Photos without text have their own rule.
func gate(a Analysis) Evidence {
	if textless(a) {
		return Evidence{}
	}
	r, copies := newReading(a.VisibleText), a.printed()
	return Evidence{ProductName: r.proof(copies[0]), Brand: r.proof(copies[1])}
}

// printed returns the name and the brand as printed, or else as they are named.
func (a Analysis) printed() [2]string {
	return [2]string{cmp.Or(a.NameAsPrinted, a.ProductName), cmp.Or(a.BrandAsPrinted, a.Brand)}
}

// sameScript reports whether two texts have a script in common.
func sameScript(a, b string) bool {
	return slices.ContainsFunc(scripts(a), func(s *unicode.RangeTable) bool { return slices.Contains(scripts(b), s) })
}

// written lists the scripts of packs. Kana and Han count as one: Japanese has both.
var written = []*unicode.RangeTable{
	unicode.Latin, unicode.Hangul, rangetable.Merge(unicode.Han, unicode.Hiragana, unicode.Katakana), unicode.Cyrillic, unicode.Greek,
	unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Armenian, unicode.Georgian, unicode.Ethiopic,
	unicode.Khmer, unicode.Lao, unicode.Myanmar,
}

// scripts returns the scripts that s is written in.
func scripts(s string) []*unicode.RangeTable {
	return slices.DeleteFunc(slices.Clone(written), func(t *unicode.RangeTable) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(t, r) })
	})
}
