// Package quote says whether a text holds what is quoted of it, and whom it names.
package quote

import (
	"slices"
	"strings"

	"example.com/whatis/internal/fold"
)

// A Text is one that quotes are held to.
type Text struct{ folded string }

// Of is a text to hold quotes to.
func Of(text string) Text { return Text{fold.String(text)} }

// fewestLetters is how long a quote is at least, in folded letters and digits: a shorter
// one stands anywhere.
const fewestLetters = 12

// Holds reports that a quote stands in the text, spelling and markup aside.
func (t Text) Holds(quote string) bool {
	folded := fold.String(quote)
	return len([]rune(folded)) >= fewestLetters && strings.Contains(t.folded, folded)
}

// Names reports that a text has one of the names as whole words.
func Names(text string, names []string) bool {
	words := " " + strings.Join(fold.Words(text), " ")
	return slices.ContainsFunc(names, func(name string) bool {
		wanted := fold.Words(name)
		if len(wanted) == 0 {
			return false
		}
		phrase := " " + strings.Join(wanted, " ")
		// Languages without spaces go on behind a name, and a genitive has an s.
		spaced := strings.Contains(words+" ", phrase+" ") || strings.Contains(words+" ", phrase+"s ")
		return spaced || wanted[0][0] >= 0x80 && strings.Contains(words, phrase)
	})
}
