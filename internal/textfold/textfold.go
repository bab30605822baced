// Package textfold normalises texts so that different spellings compare equal.
//
//	"Café  CRÈME™ 500g" → "cafecreme500g", or the words cafe, creme, 500g
//
// Folding means compatibility normalisation (NFKC), lower case, and removing diacritics and
// everything else except letters and digits of any script.
package textfold

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// String returns s folded, with its words joined.
func String(s string) string {
	return strings.Join(Words(s), "")
}

// Words returns the folded words of s: runs of letters and digits.
func Words(s string) []string {
	return strings.FieldsFunc(bare(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// bare returns s in NFKC and lower case without diacritics. They are removed from the
// decomposed form, which is then composed again to keep Hangul syllables whole. Trademark
// signs are removed first, because NFKC would spell them out.
func bare(s string) string {
	s = signs.Replace(s)
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return norm.NFKC.String(s)
}

var signs = strings.NewReplacer("™", "", "℠", "", "'", "", "’", "")

// Letters returns the number of letters in s, without digits.
func Letters(s string) int {
	n := 0
	for _, r := range norm.NFC.String(s) {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
