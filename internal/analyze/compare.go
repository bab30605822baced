package analyze

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/rangetable"

	"example.com/whatis/internal/textfold"
)

// differ reports whether two readings of one photo name different products or brands.
func differ(a, b Analysis) bool { return otherNames(a, b, otherWords) || otherBrands(a, b) }

// otherBrands reports whether two readings name different brands. A brand that
// contains the other is no different one: Brindle, Brindle & Co.
func otherBrands(a, b Analysis) bool {
	other := func(x, y string) bool { return otherWords(textfold.NameWords(x), textfold.NameWords(y)) }
	return otherTexts([2]string{a.BrandAsPrinted, a.Brand}, [2]string{b.BrandAsPrinted, b.Brand}, other) ||
		oneScript(a.BrandLocal, b.BrandLocal) && other(a.BrandLocal, b.BrandLocal)
}

// otherNames reports whether other holds of the words with which two readings name the product,
// brands and quantities aside.
func otherNames(a, b Analysis, other func(x, y []string) bool) bool {
	names := func(x, y string) bool { return other(commonWords(a, b, x, y)) }
	return otherTexts([2]string{a.NameAsPrinted, a.ProductName}, [2]string{b.NameAsPrinted, b.ProductName}, names) ||
		oneScript(a.NameLocal, b.NameLocal) && names(a.NameLocal, b.NameLocal)
}

// fullerNames reports whether two readings that do not differ are not alike either:
// one has words in its name or brand that the other does not have.
func fullerNames(a, b Analysis) bool {
	unlike := func(x, y []string) bool { return !within(x, y) || !within(y, x) }
	return otherNames(a, b, unlike) || oneScript(a.Brand, b.Brand) && unlike(textfold.NameWords(a.Brand), textfold.NameWords(b.Brand))
}

// otherTexts compares what two readings say of one thing, each as printed and as
// concluded: as printed if both have that in one script, otherwise any pair in one
// script, of which one must agree. Texts in different scripts are not compared: a
// package may have 롯데 and Lotte.
func otherTexts(a, b [2]string, other func(x, y string) bool) bool {
	if oneScript(a[0], b[0]) {
		return other(a[0], b[0])
	}
	compared := false
	for _, x := range a {
		for _, y := range b {
			if !oneScript(x, y) {
				continue
			}
			if compared = true; !other(x, y) {
				return false
			}
		}
	}
	return compared
}

// oneScript reports whether two texts can be compared: they share a script, or one
// has no letters.
func oneScript(a, b string) bool {
	if textfold.String(a) == "" || textfold.String(b) == "" {
		return false
	}
	ofB := scripts(b)
	return slices.ContainsFunc(scripts(a), func(s *unicode.RangeTable) bool { return slices.Contains(ofB, s) }) ||
		!strings.ContainsFunc(a, unicode.IsLetter) || !strings.ContainsFunc(b, unicode.IsLetter)
}

// commonWords returns the words of the names x and y without the brands of a and b
// and without quantities, or all words if one has no others.
func commonWords(a, b Analysis, x, y string) (of, other []string) {
	common := textfold.NameWords(strings.Join([]string{a.Brand, b.Brand, a.BrandAsPrinted, b.BrandAsPrinted}, " "))
	own := func(name string) []string {
		return slices.DeleteFunc(textfold.NameWords(name), func(w string) bool { return slices.Contains(common, w) || quantity(w) })
	}
	if of, other = own(x), own(y); len(of) == 0 || len(other) == 0 {
		return textfold.NameWords(x), textfold.NameWords(y)
	}
	return of, other
}

// otherWords reports whether neither of two texts contains the other.
func otherWords(x, y []string) bool { return !within(x, y) && !within(y, x) }

// within reports whether all of part's words are among words, or part is written with
// other spaces (SEASALT). In scripts without spaces between words it may be inside one.
func within(part, words []string) bool {
	run, all := strings.Join(part, ""), strings.Join(words, "")
	if run == all || len(run) >= 4 && !strings.ContainsFunc(run, spaced) && strings.Contains(all, run) {
		return true
	}
	return !slices.ContainsFunc(part, func(w string) bool { return !slices.Contains(words, w) })
}

// written lists the scripts of packs. Kana and Han count as one: Japanese has both.
var written = []*unicode.RangeTable{
	unicode.Latin, unicode.Hangul, rangetable.Merge(unicode.Han, unicode.Hiragana, unicode.Katakana), unicode.Cyrillic, unicode.Greek,
	unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Armenian, unicode.Georgian, unicode.Ethiopic,
	unicode.Khmer, unicode.Lao, unicode.Myanmar,
}

// scripts returns the scripts that s is written in.
func scripts(s string) []*unicode.RangeTable {
	return slices.DeleteFunc(slices.Clone(written), func(t *unicode.RangeTable) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(t, r) })
	})
}
