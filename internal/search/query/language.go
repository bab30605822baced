package query

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Language has what is needed to tell that a query is in it, and the words that say
// nothing of a product.
type Language struct {
	Code    string
	Letters *unicode.RangeTable // of a script that no other language of the list has; nil for the others
	Signs   []string            // folded words that are hardly used in others
	Fillers []string            // folded words that no answer depends on, such as articles
}

// ParseLanguage decodes a language's file.
func ParseLanguage(code string, data []byte) (Language, error) {
	var file struct {
		Letters string `json:"letters"` // a script, by its name in Unicode
		Signs   string `json:"signs"`
		Fillers string `json:"fillers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Language{}, fmt.Errorf("query: language %s: %w", code, err)
	}
	l := Language{Code: code, Signs: keys(file.Signs), Fillers: keys(file.Fillers)}
	if file.Letters != "Latin" {
		l.Letters = unicode.Scripts[file.Letters]
	}
	return l, nil
}

func keys(text string) (keys []string) {
	for _, w := range wordsOf(text) {
		keys = append(keys, w.key)
	}
	return keys
}

// vietnameseMarks are the marks of letters that are in Vietnamese alone: hook above, dot
// below, horn.
const vietnameseMarks = "\u0309\u0323\u031b"

// langOf returns the code of the language that words show most signs of, the first of the
// languages if they show none, and "" for a script that none of them has.
func langOf(languages []Language, words []word) string {
	signs, latin, other := map[string]int{}, false, false
	for _, w := range words {
		r := []rune(w.written)[0]
		owner := slices.IndexFunc(languages, func(l Language) bool { return l.Letters != nil && unicode.Is(l.Letters, r) })
		switch {
		case owner >= 0:
			signs[languages[owner].Code] += 2
		case unicode.Is(unicode.Latin, r) || unicode.IsDigit(r):
			latin = true
		default:
			other = true
		}
		if strings.ContainsAny(norm.NFD.String(w.written), vietnameseMarks+"đ") {
			signs["vi"]++
			continue
		}
		for _, l := range languages {
			if slices.Contains(l.Signs, w.key) && (l.Code == "vi" || !w.marked) {
				signs[l.Code]++
			}
		}
	}
	best := languages[0].Code
	for _, l := range languages {
		if signs[l.Code] > signs[best] {
			best = l.Code
		}
	}
	if signs[best] == 0 && other && !latin {
		return ""
	}
	return best
}

// Telling returns the words of text that may say something of a product: all but fillers, as
// "for".
func Telling(languages []Language, text string) (words []string) {
	for _, w := range wordsOf(text) {
		if !filler(languages, w) {
			words = append(words, w.written)
		}
	}
	return words
}

// filler reports whether a word of any language says nothing of a product.
func filler(languages []Language, w word) bool {
	return slices.ContainsFunc(languages, func(l Language) bool { return slices.Contains(l.Fillers, w.key) })
}
