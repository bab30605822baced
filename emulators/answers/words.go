package answers

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// splitWords folds text (NFKC, lower case, letters and digits only) and splits
// it into words, in order.
func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// wordSet is a set of folded words.
type wordSet map[string]bool

func wordsOf(texts ...string) wordSet {
	set := wordSet{}
	for _, t := range texts {
		for _, w := range splitWords(t) {
			set[w] = true
		}
	}
	return set
}

// common returns the number of words that both sets have.
func (s wordSet) common(other wordSet) int {
	n := 0
	for w := range s {
		if other[w] {
			n++
		}
	}
	return n
}

// within reports that s has words and other has all of them.
func (s wordSet) within(other wordSet) bool {
	return len(s) > 0 && s.common(other) == len(s)
}

func (s wordSet) equal(other wordSet) bool {
	return len(s) == len(other) && s.common(other) == len(s)
}

// distinct drops clues that repeat an earlier one, empty ones, and those
// beyond most.
func distinct(clues []string, most int) []string {
	kept := []string{}
	seen := map[string]bool{}
	for _, c := range clues {
		key := strings.Join(splitWords(c), " ")
		if key != "" && !seen[key] && len(kept) < most {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	return kept
}

func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
