package discover

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/textfold"
)

// A quotedText is a text in which quotes are searched.
type quotedText struct {
	folded string
	seen   string // folded without what links lead to
}

// quotable folds a text once, for all searches for quotes in it.
func quotable(text string) quotedText {
	return quotedText{fold(text), fold(unlinked(text))}
}

// fold folds a text without entities: Markdown escapes signs of HTML, a model that quotes it may not.
func fold(text string) string { return textfold.String(html.UnescapeString(text)) }

// linkTarget matches what a link of Markdown leads to, with its title. Addresses are escaped there.
var linkTarget = regexp.MustCompile(`\]\([a-z][a-z0-9+.-]*:[^()\s]*(?: (?:"[^"]*"|'[^']*'))?\)`)

// unlinked returns a text as it is seen, without what its links lead to.
func unlinked(text string) string { return linkTarget.ReplaceAllString(text, "]") }

// fewestLetters is the minimum length of a quote, in folded letters and digits: a shorter
// one could be found in any text. A syllable or an ideograph counts as two.
const fewestLetters = 12

// length returns the length of a folded text in letters and digits.
func length(folded string) (n int) {
	for _, r := range folded {
		n++
		if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n
}

// Holds reports that the text contains a quote, ignoring spelling and markup.
func (t quotedText) Holds(quote string) bool {
	held := func(in, quote string) bool {
		folded := fold(quote)
		return length(folded) >= fewestLetters && strings.Contains(in, folded)
	}
	return held(t.folded, quote) || held(t.seen, unlinked(quote))
}

// contains reports that the text has these words side by side, however few.
func (t quotedText) contains(words string) bool {
	folded := fold(words)
	return folded != "" && strings.Contains(t.folded, folded)
}

// namesAny reports that a text contains one of the names as whole words. In languages without
// spaces a name of two letters or more may stand anywhere.
func namesAny(text string, names []string) bool {
	words := " " + strings.Join(textfold.Words(text), " ")
	return slices.ContainsFunc(names, func(name string) bool {
		wanted := strings.Join(textfold.Words(name), " ")
		if wanted == "" {
			return false
		}
		first, size := utf8.DecodeRuneInString(wanted)
		if textfold.Unspaced(first) && size < len(wanted) {
			return strings.Contains(words, wanted)
		}
		// In other scripts than Latin a particle may follow; a genitive adds an s.
		spaced := strings.Contains(words+" ", " "+wanted+" ") || strings.Contains(words+" ", " "+wanted+"s ")
		return spaced || first >= utf8.RuneSelf && strings.Contains(words, " "+wanted)
	})
}

// whereOf returns where a quote stands in the parts of a file: its part, or the first of
// those that it goes across, such as the cells of a row. It is "" if it stands in none.
func whereOf(parts []webdoc.Part, quote string) string {
	wanted := fold(quote)
	if wanted == "" {
		return ""
	}
	var all strings.Builder
	starts := make([]int, len(parts))
	for i, part := range parts {
		folded := fold(part.Text)
		if strings.Contains(folded, wanted) {
			return part.Where
		}
		starts[i] = all.Len()
		all.WriteString(folded)
	}
	at := strings.Index(all.String(), wanted)
	if at < 0 {
		return ""
	}
	i, _ := slices.BinarySearch(starts, at+1)
	return parts[i-1].Where
}

// formatOfType returns the format of a file by its content type, "" of a page.
func formatOfType(kind string) string {
	return map[string]string{fetch.PDF: "PDF", fetch.XLSX: "XLSX", fetch.CSV: "CSV", fetch.ZIP: "ZIP", fetch.JSON: "JSON"}[kind]
}
