package discover

import (
	"slices"
	"strings"

	"example.com/whatis/internal/textfold"
)

// A quotedText is a text in which quotes are searched.
type quotedText struct{ folded string }

// quotable folds a text once, for all searches for quotes in it.
func quotable(text string) quotedText { return quotedText{textfold.String(text)} }

// fewestLetters is the minimum length of a quote, in folded letters and digits: a shorter
// one could be found in any text.
const fewestLetters = 12

// Holds reports that the text contains a quote, ignoring spelling and markup.
func (t quotedText) Holds(quote string) bool {
	folded := textfold.String(quote)
	return len([]rune(folded)) >= fewestLetters && strings.Contains(t.folded, folded)
}

// namesAny reports that a text contains one of the names as whole words.
func namesAny(text string, names []string) bool {
	words := " " + strings.Join(textfold.Words(text), " ")
	return slices.ContainsFunc(names, func(name string) bool {
		wanted := textfold.Words(name)
		if len(wanted) == 0 {
			return false
		}
		phrase := " " + strings.Join(wanted, " ")
		// In languages without spaces a name need not end a word; a genitive adds an s.
		spaced := strings.Contains(words+" ", phrase+" ") || strings.Contains(words+" ", phrase+"s ")
		return spaced || wanted[0][0] >= 0x80 && strings.Contains(words, phrase)
	})
}
