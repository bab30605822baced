package analyze

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// holdToPrint compares a finding with what was read clearly. A finding that names
// another brand or product than the print counts little and is not learnt; one without
// a brand keeps the brand that was read.
func (r *rag) holdToPrint(f *Finding) {
	if !f.believable() {
		return
	}
	if r.otherBrandPrinted(f) || r.otherNamePrinted(f) {
		f.contradicts, f.Probability = true, min(f.Probability, unsupported)
		r.warn(warnContradictsPrint)
	}
	a := r.facts.analysis
	if f.Category != "" {
		f.Category = r.english(f.Category, a.Category)
	}
	if f.Brand == "" {
		f.Brand, f.brandRead = a.Brand, true
	}
}

// otherBrandPrinted reports whether f names another brand than one that was read with
// confidence and stands in the print. A brand that stands in the found product's name,
// or that may hold a sub-brand, contradicts no maker.
func (r *rag) otherBrandPrinted(f *Finding) bool {
	a := r.facts.analysis
	return r.evidence.Brand != nil && a.BrandConfidence >= confident && f.Brand != "" &&
		!slices.Contains(r.facts.allSuspicions(), BrandOverextended) && a.otherMaker(f.ProductName, append(r.aliases(f.Brand, brandNames), f.Brand)...)
}

// otherNamePrinted reports whether the name was read clearly, and f's name shares no
// word with it, nor with its translation.
func (r *rag) otherNamePrinted(f *Finding) bool {
	a := r.facts.analysis
	sharp := slices.DeleteFunc(slices.Clone(r.text), func(l Line) bool { return !bool(l.Clear) })
	if r.evidence.ProductName == nil || nameQuote(newReading(sharp), a, r.req) == nil {
		return false
	}
	found := Analysis{Brand: f.Brand}
	return !slices.ContainsFunc(append(r.aliases(f.ProductName, productNames), f.ProductName), func(name string) bool {
		return !otherTexts([2]string{a.NameAsPrinted, a.ProductName}, [2]string{"", name}, func(x, y string) bool {
			return !sharesWord(commonWords(a, found, x, y))
		})
	})
}

// otherMaker reports whether the brand that was read is none of the given names of a
// brand, compared within one script, and does not stand in the name of the product.
func (a Analysis) otherMaker(product string, brands ...string) bool {
	if holds(textfold.Words(product), textfold.Words(a.Brand)) || holds(textfold.Words(product), textfold.Words(a.BrandAsPrinted)) {
		return false
	}
	return !slices.ContainsFunc(brands, func(brand string) bool {
		return textfold.String(brand) != "" && !otherBrands(a, Analysis{Brand: brand})
	})
}

func brandNames(p catalog.Product) []string { return append([]string{p.Brand}, p.BrandAliases...) }

func productNames(p catalog.Product) []string { return append([]string{p.ProductName}, p.Aliases...) }

// aliases returns the other names that the catalogue's products near the photo have
// for what is called name.
func (r *rag) aliases(name string, names func(catalog.Product) []string) []string {
	var other []string
	for _, p := range r.facts.nearProducts() {
		if all := names(p); slices.ContainsFunc(all, func(s string) bool { return textfold.String(s) == textfold.String(name) }) {
			other = append(other, all...)
		}
	}
	return other
}

// nearProducts returns the products of the catalogue that were found for the photo.
func (f *facts) nearProducts() []catalog.Product {
	products := slices.Clone(f.bearers)
	for _, c := range f.candidates {
		products = append(products, c.Product)
	}
	return products
}

// sharesWord reports whether a word of x is one of y or of the same stem: it has the
// same first four letters, or, in a script without spaces between words, two letters
// in a row.
func sharesWord(x, y []string) bool {
	return slices.ContainsFunc(x, func(w string) bool {
		return slices.ContainsFunc(y, func(v string) bool { return w == v || sameStem(w, v) })
	})
}

func sameStem(w, v string) bool {
	if strings.ContainsFunc(w+v, spaced) || !strings.ContainsFunc(w+v, unicode.IsLetter) {
		const stem = 4
		n := 0
		for n < len(w) && n < len(v) && w[n] == v[n] {
			n++
		}
		return utf8.RuneCountInString(strings.ToValidUTF8(w[:n], "")) >= stem
	}
	letters := []rune(w)
	for i := 1; i < len(letters); i++ {
		if strings.Contains(v, string(letters[i-1:i+1])) {
			return true
		}
	}
	return false
}
