package analyze

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// maxBrandWords is how many leading words of a brand are looked up as brands.
const maxBrandWords = 4

// brandKnowledge is what the catalogue's trusted records say about a brand that
// was read.
type brandKnowledge struct {
	brands   []string // folded: the brand and its leading words, where they are brands
	subBrand bool     // the brand is in a product name of another maker
	products []catalog.Product
}

// is reports whether words are a brand of the catalogue.
func (k brandKnowledge) is(words []string) bool {
	return slices.Contains(k.brands, textfold.Name(strings.Join(words, " ")))
}

// keys returns the keys besides a GTIN by which a's trusted records are looked up
// in the catalogue: the brand and its leading words, and the names. Without a
// product or a brand there are none.
func (a Analysis) keys() (brands, names []string) {
	if a.NotProduct || textfold.String(a.Brand) == "" {
		return nil, nil
	}
	words := brandWords(a.Brand)
	brands = []string{a.Brand, a.BrandLocal}
	for n := 1; n < min(len(words), maxBrandWords+1); n++ {
		brands = append(brands, strings.Join(words[:n], " "))
	}
	return brands, []string{a.NameAsPrinted, a.ProductName, a.NameLocal}
}

// knowledge returns what the products found in the catalogue say about a's brand.
func knowledge(a Analysis, found []catalog.Product) brandKnowledge {
	k := brandKnowledge{products: found}
	for _, p := range found {
		for _, brand := range brandNames(p) {
			k.brands = append(k.brands, textfold.Name(brand))
		}
		// The brand that was read is in the name of a product of another maker.
		k.subBrand = k.subBrand || a.contradicts(p.Brand) && holds(textfold.NameWords(p.ProductName), textfold.NameWords(a.Brand))
	}
	return k
}

// brandOverextended reports whether the brand may hold more than the maker, or may be
// no maker: it is or contains a listed sub-brand, it has words after a brand of the
// catalogue, it stands over separate lines of print, the printed name begins with its end,
// or the catalogue has it in the name of another maker's product. A brand that is itself in the catalogue (The
// North Face) is not overextended. Many true brands look like this (Mr. Clean), so
// the stronger model decides.
func brandOverextended(a Analysis, known brandKnowledge) bool {
	words := brandWords(a.Brand)
	if textfold.String(a.Brand) == "" || known.is(words) {
		return false
	}
	return known.subBrand || known.begins(words) || holdsSubBrand(words, a.SubBrands) || endsInName(words, a.NameAsPrinted) ||
		overLines(a.BrandAsPrinted, a.VisibleText)
}

// begins reports whether the first of words, but not all, are a brand of the catalogue.
func (k brandKnowledge) begins(words []string) bool {
	for n := min(len(words)-1, maxBrandWords); n > 0; n-- {
		if k.is(words[:n]) {
			return true
		}
	}
	return false
}

// holdsSubBrand reports whether the words of a brand contain, or are, one of subs.
func holdsSubBrand(words, subs []string) bool {
	brand := foldedKeys(words)
	return slices.ContainsFunc(subs, func(s string) bool {
		return holds(brand, foldedKeys(strings.Fields(s))) || textfold.String(s) == strings.Join(brand, "")
	})
}

// foldedKeys returns words folded, each as one: Coca-Cola is one word.
func foldedKeys(words []string) []string {
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = textfold.String(w)
	}
	return keys
}

// endsInName reports whether the printed name begins with the last letters, but not all, of a
// brand, spaces or not: 롯데빼빼로. In scripts with spaces two or three letters prove nothing unless
// they are whole words: Barilla Lasagne.
func endsInName(words []string, name string) bool {
	brand, name, starts := "", textfold.String(name), map[int]bool{}
	for _, w := range foldedKeys(words) {
		starts[len(brand)] = true
		brand += w
	}
	for i := range brand {
		tail := brand[i:]
		letters := utf8.RuneCountInString(tail)
		if i > 0 && letters > 1 && (letters > 3 || starts[i] || !strings.ContainsFunc(tail, spaced)) && strings.HasPrefix(name, tail) {
			return true
		}
	}
	return false
}

// overLines reports whether a printed brand of one script stands over separate lines, and in
// no line alone.
func overLines(brand string, lines []Line) bool {
	if len(strings.Fields(brand)) < 2 || len(scripts(brand)) > 1 {
		return false
	}
	q := newReading(lines).cover(brand)
	return q.whole() && len(slices.Compact(slices.Sorted(slices.Values(q.lines)))) > 1
}

// withoutSigns returns brand without trademark signs.
func withoutSigns(brand string) string {
	return cmp.Or(strings.Join(brandWords(brand), " "), brand)
}

// brandWords returns the words of a brand as written, without trademark signs.
func brandWords(brand string) []string {
	return strings.Fields(strings.NewReplacer("™", "", "®", "", "©", "").Replace(brand))
}

// spaced reports whether r is a letter of a script with spaces between words.
func spaced(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han)
}

// holds reports whether words contains part as a sequence.
func holds(words, part []string) bool {
	for i := 0; len(part) > 0 && i+len(part) <= len(words); i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// contradicts reports whether the brand that was read differs from brand, both as
// printed and as named, in one script: LOTTE is 롯데 if the package says so.
func (a Analysis) contradicts(brand string) bool { return otherBrands(a, Analysis{Brand: brand}) }
