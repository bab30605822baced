package query

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A word is a word of a query.
type word struct {
	written string // in lower case
	key     string // folded
	marked  bool   // it has marks, or a đ: then it is no other word that is written so without
	joined  bool   // a comma or such stands before it
}

// wordsOf are the words of a text: runs of letters and digits.
func wordsOf(text string) (words []word) {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(norm.NFC.String(text)))
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

// vietnamese and english are words, without their marks, that tell the two apart.
var (
	vietnamese = strings.Fields("kinh gong mau khung khong duoi tren cho nu toi trieu kieu dang hang nhua vuong gia bao nhieu con hoac loai mua tim chat lieu")
	english    = strings.Fields("the for with and or frames frame glasses sunglasses eyewear under over is are how what which me show in not no like a an of")
)

// langOf is vi or en: the language of words, en if they tell nothing.
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

// Phrases are codes by the folded words that stand for them. Add adds some.
type Phrases map[string][]phrase

// A phrase is one way to say a code.
type phrase struct {
	of      Code
	written string // without spaces, in lower case
}

// longestPhrase is how many words stand for one code at most.
const longestPhrase = 5

// Add has words stand for a code.
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

// exact is the code that these words say, all of them.
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

// said reports that words are written so: each as it is, or without any marks.
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

// near is the code that one word says but for one letter, if it is long enough and but
// one code is as near.
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

// Code is the code that a text says, as a whole: one that is misspelt only if it says
// none as it is.
func (p Phrases) Code(text string) (Code, bool) {
	words := wordsOf(text)
	if of, ok := p.exact(words); ok {
		return of, true
	}
	return p.near(words)
}

// In is the code that stands in a text, of those said in most words the first.
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
