// Package textfold makes texts comparable that people write in different ways.
//
//	"Café  CRÈME™ 500g" → "cafecreme500g", or the words cafe, creme, 500g
//
// Folding is compatibility normalisation (NFKC), lower case, marks stripped, and
// nothing kept but letters and digits, of any script.
package textfold

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// String is s folded, its words run together.
func String(s string) string {
	return strings.Join(Words(s), "")
}

// Words are the words of s, each folded: the runs of letters and digits.
func Words(s string) []string {
	return strings.FieldsFunc(bare(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// bare is s in NFKC and lower case without marks. Marks are found in the
// decomposed form; composing again keeps Hangul syllables whole. Trademark
// signs go first, since NFKC would spell them out.
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

// Letters is the number of letters in s, digits not counted.
func Letters(s string) int {
	n := 0
	for _, r := range norm.NFC.String(s) {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
