package analyze

import (
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
}

// is reports whether words are a brand of the catalogue.
func (k brandKnowledge) is(words []string) bool {
	return slices.Contains(k.brands, textfold.String(strings.Join(words, " ")))
}

// keys returns the keys besides a GTIN by which a's trusted records are looked up
// in the catalogue: the brand and its leading words, and the names. Without a
// product or a brand there are none.
func (a Analysis) keys() (brands, names []string) {
	if a.NotProduct || textfold.String(a.Brand) == "" {
		return nil, nil
	}
	words := brandWords(a.Brand)
	brands = []string{a.Brand}
	for n := 1; n < min(len(words), maxBrandWords+1); n++ {
		brands = append(brands, strings.Join(words[:n], " "))
	}
	return brands, []string{a.NameAsPrinted, a.ProductName}
}

// knowledge returns what the products found in the catalogue say about a's brand.
func knowledge(a Analysis, found []catalog.Product) brandKnowledge {
	var k brandKnowledge
	for _, p := range found {
		k.brands = append(k.brands, textfold.String(p.Brand))
		k.subBrand = k.subBrand || a.subBrandOf(p)
	}
	return k
}

// subBrandOf reports whether the brand that was read is in the name of p, a
// product of another maker.
func (a Analysis) subBrandOf(p catalog.Product) bool {
	return a.contradicts(p.Brand) && holds(textfold.Words(p.ProductName), textfold.Words(a.Brand))
}

// brandOverextended reports whether the brand contains more than the maker, or is
// no maker: it is or contains a listed sub-brand, it has words after a brand of the
// catalogue or words with which the printed name begins, or the catalogue has it in
// the name of another maker's product. A brand that is itself in the catalogue (The
// North Face) is not overextended.
func brandOverextended(a Analysis, known brandKnowledge) bool {
	brand := textfold.Words(a.Brand)
	if len(brand) == 0 || known.is(brand) {
		return false
	}
	isSub := slices.ContainsFunc(a.SubBrands, func(s string) bool { return slices.Equal(textfold.Words(s), brand) })
	return isSub || known.subBrand || len(textfold.Words(maker(a, known))) < len(brand)
}

// maker returns the brand of a without trademark signs, cut to the maker where
// that is known: all of it if the catalogue knows it or nothing indicates
// otherwise.
func maker(a Analysis, known brandKnowledge) string {
	words := brandWords(a.Brand)
	switch cut := makerWords(a, words, known); {
	case len(words) == 0:
		return a.Brand
	case len(cut) > 0:
		return strings.Join(cut, " ")
	}
	return strings.Join(words, " ")
}

func makerWords(a Analysis, words []string, known brandKnowledge) []string {
	if known.is(words) {
		return words
	}
	for n := min(len(words)-1, maxBrandWords); n > 0; n-- {
		if known.is(words[:n]) {
			return words[:n]
		}
	}
	cut := words
	for _, sub := range a.SubBrands {
		if left := withoutPart(cut, strings.Fields(sub)); len(left) > 0 {
			cut = left
		}
	}
	for n := 1; n < len(cut); n++ {
		if beginsName(a.NameAsPrinted, cut[n:]) && !repeats(cut[:n], cut[n:]) {
			return cut[:n]
		}
	}
	return cut
}

// brandWords returns the words of a brand as written, without trademark signs.
func brandWords(brand string) []string {
	return strings.Fields(strings.NewReplacer("™", "", "®", "", "©", "").Replace(brand))
}

// beginsName reports whether the printed name begins with the words of tail, with
// or without spaces. In Hangul, kana and Han the word may continue: 비비고왕교자.
func beginsName(name string, tail []string) bool {
	want := textfold.String(strings.Join(tail, " "))
	if want == "" {
		return false
	}
	begin := ""
	for _, w := range textfold.Words(name) {
		if begin += w; begin == want {
			return true
		}
	}
	return strings.HasPrefix(begin, want) && utf8.RuneCountInString(want) > 1 && !strings.ContainsFunc(want, spaced)
}

// spaced reports whether r is a letter of a script with spaces between words.
func spaced(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han)
}

// repeats reports whether a word of tail begins a word of head, or the reverse:
// Johnson & Johnson is one brand, whatever the product is called.
func repeats(head, tail []string) bool {
	first := textfold.Words(strings.Join(head, " "))
	return slices.ContainsFunc(textfold.Words(strings.Join(tail, " ")), func(w string) bool {
		return slices.ContainsFunc(first, func(v string) bool { return strings.HasPrefix(v, w) || strings.HasPrefix(w, v) })
	})
}

// withoutPart returns words without the first sequence that folds like part.
func withoutPart(words, part []string) []string {
	for i := 0; len(part) > 0 && i+len(part) <= len(words); i++ {
		if slices.EqualFunc(words[i:i+len(part)], part, func(a, b string) bool { return textfold.String(a) == textfold.String(b) }) {
			return slices.Concat(words[:i], words[i+len(part):])
		}
	}
	return words
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

// otherBrand reports whether neither brand is empty or contains the other.
func otherBrand(a, b string) bool {
	x, y := textfold.Words(a), textfold.Words(b)
	return len(x) > 0 && len(y) > 0 && !holds(x, y) && !holds(y, x) && textfold.String(a) != textfold.String(b)
}

// contradicts reports whether the brand that was read differs from brand, both as
// printed and as named: LOTTE is 롯데 if the package says so.
func (a Analysis) contradicts(brand string) bool {
	return otherBrand(a.Brand, brand) && (a.BrandAsPrinted == "" || otherBrand(a.BrandAsPrinted, brand))
}

// contradictsRecord reports whether the brand that was read is neither p's brand
// nor one of its aliases.
func (a Analysis) contradictsRecord(p catalog.Product) bool {
	return a.contradicts(p.Brand) && !slices.ContainsFunc(p.BrandAliases, func(alias string) bool {
		return textfold.String(alias) != "" && !a.contradicts(alias)
	})
}
