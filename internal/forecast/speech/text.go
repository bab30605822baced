package speech

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// How long a character takes to say, about: a letter, and a sign of the scripts whose
// signs are syllables or words.
const (
	perLetter   = time.Second / 15
	perSyllable = time.Second / 7
)

// Expected is about how long it takes to say a text.
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

// Pieces cuts a text where sentences end, into pieces that take about as long as most
// to say, or less. A sentence that takes longer is cut where a clause ends, or a word,
// or at last anywhere. A text of nothing but spaces is no piece.
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

// cut is the length of the first piece of text, 1 at least.
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

// The signs that end a sentence with a space behind them, those that do without, and
// those that end a clause.
var (
	stops     = []rune(".!?…؟।۔")
	wideStops = []rune("。！？｡\n")
	commas    = []rune(",;:،、，；：")
	closing   = []rune(`"')]”’»」』`)
)

// sentenceEnds tells the dot of 3.5 from that of a sentence by the space behind it.
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
