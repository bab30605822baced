package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/textfold"
)

// A word is a word of a query.
type word struct {
	written string // in lower case
	key     string // folded
	marked  bool   // it has diacritics or a đ, so it cannot be another word with the same key
	joined  bool   // a comma or the like is before it
}

// wordsOf returns the words of a text.
func wordsOf(text string) (words []word) {
	text = strings.NewReplacer("'", "", "’", "").Replace(textfold.Caseless(text))
	end := 0
	for _, at := range textfold.NameSpans(text) {
		written := text[at[0]:at[1]]
		key := folded(written)
		words = append(words, word{written, key, key != written, strings.ContainsAny(text[end:at[0]], ",;/|+&")})
		end = at[1]
	}
	return words
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

// exact returns the code that all these words together name, and whether they name others
// too.
func (p Phrases) exact(words []word) (found Code, others, ok bool) {
	key := keyOf(words)
	all := p[key]
	if len(all) == 0 && len(key) > 3 { // a plural, or the singular of one
		if one, is := strings.CutSuffix(key, "s"); is && len(words) == 1 {
			all = p[one]
		} else if all = p[key+"s"]; len(all) > 0 {
			words = slices.Clone(words)
			words[len(words)-1].written += "s"
		}
	}
	for _, one := range all {
		switch {
		case !said(words, one.written):
		case !ok:
			found, ok = one.of, true
		case one.of != found:
			others = true
		}
	}
	return found, others, ok
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
func (p Phrases) near(words []word) (found Code, others, ok bool) {
	key := keyOf(words)
	if len(words) > 1 || utf8.RuneCountInString(key) < forgiving {
		return found, false, false
	}
	for k, all := range p {
		if utf8.RuneCountInString(k) < forgiving || len(k)-len(key) > utf8.UTFMax || len(key)-len(k) > utf8.UTFMax || !OneEdit(key, k) {
			continue
		}
		for _, one := range all {
			if ok && one.of != found {
				return Code{}, false, false
			}
			found, ok = one.of, true
		}
	}
	return found, false, ok
}

// Says reports whether a text says something of a product: more than fillers, and what all products of the
// shop are called.
func (v *Vocabulary) Says(languages []Language, text string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w word) bool { return !v.goods[w.key] && !filler(languages, w) })
}

func keyOf(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.key)
	}
	return b.String()
}

// In returns the code that occurs in a text: the one with most words, of several the first.
func (p Phrases) In(text string) (Code, bool) {
	words := wordsOf(text)
	for n := longestPhrase; n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			if of, _, ok := p.exact(words[i : i+n]); ok {
				return of, true
			}
		}
	}
	return Code{}, false
}

// All returns the codes that occur in a text, in their order, each once: of names that begin
// with the same word the longest.
func (p Phrases) All(text string) (all []Code) {
	words := wordsOf(text)
	for i := 0; i < len(words); i++ {
		for n := min(longestPhrase, len(words)-i); n > 0; n-- {
			of, _, ok := p.exact(words[i : i+n])
			if !ok {
				continue
			}
			if !slices.Contains(all, of) {
				all = append(all, of)
			}
			i += n - 1
			break
		}
	}
	return all
}
