package discover

import (
	"slices"
	"strings"

	"example.com/whatis/internal/textfold"
)

// A quotedText is a text that quotes are looked for in.
type quotedText struct{ folded string }

// quotable folds a text once, for all quotes that are looked for in it.
func quotable(text string) quotedText { return quotedText{textfold.String(text)} }

// fewestLetters is how long a quote is at least, in folded letters and digits: a shorter
// one stands anywhere.
const fewestLetters = 12

// Holds reports that a quote stands in the text, spelling and markup aside.
func (t quotedText) Holds(quote string) bool {
	folded := textfold.String(quote)
	return len([]rune(folded)) >= fewestLetters && strings.Contains(t.folded, folded)
}

// namesAny reports that a text has one of the names as whole words.
func namesAny(text string, names []string) bool {
	words := " " + strings.Join(textfold.Words(text), " ")
	return slices.ContainsFunc(names, func(name string) bool {
		wanted := textfold.Words(name)
		if len(wanted) == 0 {
			return false
		}
		phrase := " " + strings.Join(wanted, " ")
		// Languages without spaces go on behind a name, and a genitive has an s.
		spaced := strings.Contains(words+" ", phrase+" ") || strings.Contains(words+" ", phrase+"s ")
		return spaced || wanted[0][0] >= 0x80 && strings.Contains(words, phrase)
	})
}
