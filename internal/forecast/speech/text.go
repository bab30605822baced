package speech

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// The approximate time to speak a character: a letter, and a character of scripts in which
// it stands for a syllable or a word.
const (
	perLetter   = time.Second / 15
	perSyllable = time.Second / 7
)

// Expected returns the approximate time to speak a text.
func Expected(text string) (d time.Duration) {
	for _, r := range text {
		d += lengthOf(r)
	}
	return d
}

func lengthOf(r rune) time.Duration {
	if unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		return perSyllable
	}
	return perLetter
}

// Pieces splits a text at the ends of sentences into pieces that take at most about `most`
// to speak. A longer sentence is split at the end of a clause, or of a word, or anywhere. A
// blank text has no pieces.
func Pieces(text string, most time.Duration) (all []string) {
	for rest := []rune(strings.TrimSpace(text)); len(rest) > 0; {
		n := cut(rest, most)
		if piece := strings.TrimSpace(string(rest[:n])); piece != "" {
			all = append(all, piece)
		}
		rest = rest[n:]
	}
	return all
}

// Sentences splits a text at the ends of sentences.
func Sentences(text string) (all []string) {
	rest := []rune(strings.TrimSpace(text))
	for n := 1; n <= len(rest); n++ {
		if n == len(rest) || sentenceEnds(rest[n-1], rest[n]) {
			if s := strings.TrimSpace(string(rest[:n])); s != "" {
				all = append(all, s)
			}
			rest, n = rest[n:], 0
		}
	}
	return all
}

// cut returns the length of the first piece of text, at least 1.
func cut(text []rune, most time.Duration) int {
	fits := 0
	for d := time.Duration(0); fits < len(text); fits++ {
		if d += lengthOf(text[fits]); d > most {
			break
		}
	}
	if fits == len(text) {
		return fits
	}
	for _, ends := range []func(before, next rune) bool{sentenceEnds, clauseEnds, wordEnds} {
		for n := fits; n > 0; n-- {
			if ends(text[n-1], text[n]) {
				return n
			}
		}
	}
	return max(1, fits)
}

// The characters that end a sentence if followed by a space, those that always end one, and
// those that end a clause.
var (
	stops     = []rune(".!?…؟।۔")
	wideStops = []rune("。！？｡\n")
	commas    = []rune(",;:،、，；：")
	closing   = []rune(`"')]”’»」』`)
)

// sentenceEnds distinguishes the dot in 3.5 from the end of a sentence by the space after
// it.
func sentenceEnds(before, next rune) bool {
	if slices.Contains(wideStops, before) {
		return !slices.Contains(closing, next)
	}
	return unicode.IsSpace(next) && (slices.Contains(stops, before) || slices.Contains(closing, before))
}

func clauseEnds(before, next rune) bool {
	return slices.Contains(commas, before) && !unicode.IsDigit(next)
}

func wordEnds(before, next rune) bool { return unicode.IsSpace(before) || unicode.IsSpace(next) }
