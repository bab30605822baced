package query

import (
	"slices"
	"strings"
	"unicode"

	"example.com/whatis/internal/textfold"
)

// A word is a word of a query.
type word struct {
	written string // in lower case
	key     string // folded
	marked  bool   // it has diacritics or a đ, so it cannot be another word with the same key
	joined  bool   // a comma or the like is before it
}

// wordsOf returns the words of a text: runs of letters and digits.
func wordsOf(text string) (words []word) {
	text = strings.NewReplacer("'", "", "’", "").Replace(textfold.Caseless(text))
	begin, comma := -1, false
	end := func(i int) {
		if begin < 0 {
			return
		}
		written := text[begin:i]
		key := folded(written)
		words = append(words, word{written, key, key != written, comma})
		begin, comma = -1, false
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if begin < 0 {
				begin = i
			}
		default:
			end(i)
			comma = comma || strings.ContainsRune(",;/|+&", r)
		}
	}
	end(len(text))
	return words
}

// vietnamese and english are words, without diacritics, that indicate the language.
var (
	vietnamese = strings.Fields("kinh gong mau khung khong duoi tren cho nu toi trieu kieu dang hang nhua vuong gia bao nhieu con hoac loai mua tim chat lieu")
	english    = strings.Fields("the for with and or frames frame glasses sunglasses eyewear under over is are how what which me show in not no like a an of")
)

// langOf returns vi or en: the language of words, en if they do not show it.
func langOf(words []word) string {
	vi, en := 0, 0
	for _, w := range words {
		if w.marked || slices.Contains(vietnamese, w.key) {
			vi++
		} else if slices.Contains(english, w.key) {
			en++
		}
	}
	if vi > en {
		return "vi"
	}
	return "en"
}

// Phrases are codes by the folded words for them. Add adds one.
type Phrases map[string][]phrase

// A phrase is one name of a code.
type phrase struct {
	of      Code
	written string // without spaces, in lower case
}

// longestPhrase is the largest number of words in a phrase.
const longestPhrase = 5

// Add adds a phrase for a code.
func (p Phrases) Add(text string, of Code) {
	var written, key strings.Builder
	for _, w := range wordsOf(text) {
		written.WriteString(w.written)
		key.WriteString(w.key)
	}
	if k := key.String(); k != "" {
		p[k] = append(p[k], phrase{of, written.String()})
	}
}

// exact returns the code that all these words together name.
func (p Phrases) exact(words []word) (Code, bool) {
	key := keyOf(words)
	all := p[key]
	if len(all) == 0 && len(words) == 1 && len(key) > 3 && strings.HasSuffix(key, "s") { // a plural
		all = p[strings.TrimSuffix(key, "s")]
	}
	for _, one := range all {
		if said(words, one.written) {
			return one.of, true
		}
	}
	return Code{}, false
}

// said reports whether words are written that way: each exactly, or without any diacritics.
func said(words []word, written string) bool {
	rest := []rune(written)
	for _, w := range words {
		n := len([]rune(w.written))
		if w.marked && (n > len(rest) || string(rest[:n]) != w.written) {
			return false
		}
		rest = rest[min(n, len(rest)):]
	}
	return true
}

// near returns the code that one word names with one letter wrong, if the word is long
// enough and only one code is that close.
func (p Phrases) near(words []word) (found Code, ok bool) {
	key := keyOf(words)
	if len(words) > 1 || len(key) < forgiving {
		return found, false
	}
	for k, all := range p {
		if len(k) < forgiving || len(k)-len(key) > 4 || len(key)-len(k) > 4 || !oneEdit(key, k) {
			continue
		}
		for _, one := range all {
			if ok && one.of != found {
				return Code{}, false
			}
			found, ok = one.of, true
		}
	}
	return found, ok
}

func keyOf(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.key)
	}
	return b.String()
}

// Code returns the code that a whole text names; a misspelt one only if there is no exact
// one.
func (p Phrases) Code(text string) (Code, bool) {
	words := wordsOf(text)
	if of, ok := p.exact(words); ok {
		return of, true
	}
	return p.near(words)
}

// In returns the code that occurs in a text: the one with most words, of several the first.
func (p Phrases) In(text string) (Code, bool) {
	words := wordsOf(text)
	for n := longestPhrase; n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			if of, ok := p.exact(words[i : i+n]); ok {
				return of, true
			}
		}
	}
	return Code{}, false
}
