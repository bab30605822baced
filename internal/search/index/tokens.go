package index

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/whatis/internal/textfold"
)

// Tokens returns the words of a text as the index has them: folded, a number joined to its unit
// (90cm), and runs of a script without spaces as pairs of letters. All of a query's tokens must stand
// in a row, whose tokens are these and Apart.
func Tokens(text string) (all []string) {
	words := textfold.NameWords(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if i+1 < len(words) && number.MatchString(word) && units[words[i+1]] {
			i++
			word += words[i]
		}
		all = append(all, pairs(word)...)
	}
	return all
}

// Apart returns what rows are found by beside their Tokens: a number and its unit each alone, and the
// single letters of scripts without spaces.
func Apart(tokens []string) (all []string) {
	for _, token := range tokens {
		if m := measured.FindStringSubmatch(token); m != nil && units[m[2]] {
			all = append(all, m[1], m[2])
		}
		if letters := []rune(token); len(letters) == 2 && spaceless(letters[0]) {
			all = append(all, string(letters[:1]), string(letters[1:]))
		}
	}
	return all
}

var (
	number   = regexp.MustCompile(`^[-+]?\d+(?:[./]\d+)?$`)
	measured = regexp.MustCompile(`^([-+]?\d+(?:[./]\d+)?)(\D+)$`)
)

// units are those that stand behind numbers, joined to them or not.
var units = setOf(`mm cm dm m km in inch ft yd mg g kg lb lbs oz ml cl dl l gal w kw v mv a ma mah ah wh kwh hz khz mhz ghz
	kb mb gb tb mp px dpi mcg iu pcs pc ct mmol bar psi k c f`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

func spaceless(r rune) bool { return r >= 0xe00 && (textfold.Unspaced(r) || r == 'ー') }

// pairs returns a word whose letters are of scripts with spaces as it is, and of each run of others the
// pairs of neighbouring letters, or its only letter.
func pairs(word string) (all []string) {
	if textfold.IsASCII(word) {
		return []string{word}
	}
	letters := []rune(word)
	for i := 0; i < len(letters); {
		is, j := spaceless(letters[i]), i
		for j < len(letters) && (spaceless(letters[j]) || unicode.IsMark(letters[j])) == is {
			j++
		}
		if j == i { // a mark at the beginning
			j++
		}
		switch run := letters[i:j]; {
		case !is || len(run) == 1:
			all = append(all, string(run))
		default:
			for k := range len(run) - 1 {
				all = append(all, string(run[k:k+2]))
			}
		}
		i = j
	}
	return slices.Compact(all)
}
