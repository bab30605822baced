package analyze

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"example.com/whatis/internal/textfold"
)

// Evidence is the read text that supports each field, nil for a field without
// support. The product's name is supported by the name as printed: a translated
// one is never on the pack. Without an expiration date, a date is quoted that was left out as its
// label is not known.
type Evidence struct {
	ProductName    *Quote `json:"product_name,omitempty"`
	Brand          *Quote `json:"brand,omitempty"`
	ExpirationDate *Quote `json:"expiration_date,omitempty"`
	GTIN           *Quote `json:"gtin,omitempty"`
}

// A Quote is read text and its place, if known. Photo is the number of the photo,
// from 1, when there are several.
type Quote struct {
	Text  string `json:"text"`
	Box   Box    `json:"box,omitempty"`
	Photo int    `json:"photo,omitempty"`
}

// unsupportedCap bounds the confidence in a field that no read text supports.
const unsupportedCap = 0.6

// gate returns the read text that supports a's name and brand. Without support it
// caps their confidence and warns. Photos without text have their own rule.
func gate(a *Analysis, req Request) (Evidence, []string) {
	var e Evidence
	var warnings []string
	if textless(*a) {
		return e, nil
	}
	r := newReading(a.VisibleText)
	if e.ProductName = onOnePhoto(r, func(r reading) *Quote { return nameQuote(r, *a, req) }); a.ProductName != "" && e.ProductName == nil {
		a.ProductNameConfidence = min(a.ProductNameConfidence, unsupportedCap)
		warnings = append(warnings, warnNameUnsupported)
	}
	if e.Brand = onOnePhoto(r, func(r reading) *Quote { return brandQuote(r, *a) }); a.Brand != "" && e.Brand == nil {
		a.BrandConfidence = min(a.BrandConfidence, unsupportedCap)
		warnings = append(warnings, warnBrandUnsupported)
	}
	return e, warnings
}

// onOnePhoto returns the quote that find finds in the text of one photo, the first that has
// it, or else in that of all photos.
func onOnePhoto(r reading, find func(reading) *Quote) *Quote {
	for _, one := range r.photos() {
		if q := find(one); q != nil {
			return q
		}
	}
	return find(r)
}

// nameQuote returns the text that supports the product's name, or nil: the printed
// name must have been read and, unless the name is a translation, the words of the
// name that are in the printed name's script.
func nameQuote(r reading, a Analysis, req Request) *Quote {
	if a.ProductName == "" {
		return nil
	}
	own := ownWords(a, a.ProductName)
	if a.NameAsPrinted == "" {
		return r.quote(r.supports(own, a.ProductName))
	}
	printed := r.supports(ownWords(a, a.NameAsPrinted), a.NameAsPrinted)
	own = slices.DeleteFunc(own, func(w string) bool { return !sameScript(w, a.NameAsPrinted) })
	if printed == nil || len(own) == 0 || translates(req) {
		return r.quote(printed)
	}
	named := r.supports(own, a.ProductName)
	if named == nil {
		return nil
	}
	return r.quote(append(printed, named...))
}

// brandQuote returns the text that supports the brand, as printed or as named.
func brandQuote(r reading, a Analysis) *Quote {
	if a.Brand == "" {
		return nil
	}
	for _, brand := range []string{a.BrandAsPrinted, a.Brand} {
		if lines := r.supports(textfold.Words(brand), brand); lines != nil {
			return r.quote(lines)
		}
	}
	return nil
}

// supports returns the numbers of the lines that hold at least half of the letters
// of words, the distinctive ones of a name, or all of the name run together; nil if
// none do. Without distinctive words all words of the name are looked for.
func (r reading) supports(words []string, name string) []int {
	if len(words) == 0 {
		words = textfold.Words(name)
	}
	var lines []int
	found, all := 0, 0
	for _, w := range words {
		all += len([]rune(w))
		if part := r.part(w); part != "" {
			found += len([]rune(part))
			lines = append(lines, r.where(part)...)
		}
	}
	if found > 0 && 2*found >= all {
		return lines
	}
	return r.runTogether(textfold.String(name))
}

// runTogether returns the lines that hold a name printed with other spaces: L G,
// CocaCola.
func (r reading) runTogether(name string) []int {
	for i, l := range r.lines {
		if name != "" && textfold.String(l.Text) == name {
			return []int{i}
		}
	}
	return r.where(name)
}

// sameScript reports whether two texts have a script in common.
func sameScript(a, b string) bool {
	return slices.ContainsFunc(scripts(a), func(s *unicode.RangeTable) bool { return slices.Contains(scripts(b), s) })
}

// written lists the scripts of packs. Kana and Han count as one: Japanese has both.
var written = []*unicode.RangeTable{
	unicode.Latin, unicode.Hangul, rangesOf(unicode.Han, unicode.Hiragana, unicode.Katakana), unicode.Cyrillic, unicode.Greek,
	unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Armenian, unicode.Georgian, unicode.Ethiopic,
	unicode.Khmer, unicode.Lao, unicode.Myanmar,
}

func rangesOf(tables ...*unicode.RangeTable) *unicode.RangeTable {
	all := &unicode.RangeTable{}
	for _, t := range tables {
		all.R16, all.R32 = append(all.R16, t.R16...), append(all.R32, t.R32...)
	}
	slices.SortFunc(all.R16, func(a, b unicode.Range16) int { return int(a.Lo) - int(b.Lo) })
	slices.SortFunc(all.R32, func(a, b unicode.Range32) int { return int(a.Lo) - int(b.Lo) })
	return all
}

// scripts returns the scripts that s is written in.
func scripts(s string) []*unicode.RangeTable {
	return slices.DeleteFunc(slices.Clone(written), func(t *unicode.RangeTable) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(t, r) })
	})
}

// translates reports whether the requested language is not that of the photo's
// country: the words of the name need not be on the pack.
func translates(req Request) bool {
	asked, err := language.Parse(req.Lang)
	if err != nil {
		return false
	}
	country, err := language.ParseRegion(req.Country)
	if err != nil {
		return false
	}
	printed, err := language.Compose(language.Und, country)
	if err != nil {
		return false
	}
	a, _ := asked.Base()
	b, sure := printed.Base()
	return sure != language.No && a != b
}
