package analyze

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// Finding is the structured answer of a web search.
type Finding struct {
	Evidence    string   `json:"evidence"`
	Supported   []string `json:"supported" maxItems:"20"`
	ProductName string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Category    string   `json:"category"`
	Found       bool     `json:"found"`
	Probability float64  `json:"probability" minimum:"0" maximum:"1"`
	SearchAgain string   `json:"search_again,omitempty"`

	carried     bool // a passage of a source supports the answer
	contradicts bool // it names another brand or product than the print
	fuller      bool // its name has words that were not read
	brandRead   bool // the search named no brand: it is the one that was read
}

// check refuses a finding without a product name.
func (f *Finding) check() error {
	f.ProductName, f.Brand = clean(f.ProductName, maxProductName), clean(f.Brand, maxProductName)
	f.Category, f.Evidence = clean(f.Category, maxProductName), clean(f.Evidence, maxStringRunes)
	f.Supported, f.SearchAgain = distinct(f.Supported, maxFeatures), clean(f.SearchAgain, maxProductName)
	if f.Found && f.ProductName == "" {
		return fmt.Errorf("found is true and product_name is empty: name the product, or set found to false")
	}
	return nil
}

// unsupported bounds the probability of a finding that no source's text supports,
// or that confirms none of the photo's features.
const unsupported = 0.5

// believable reports whether the search found a product with enough probability.
func (f *Finding) believable() bool {
	return f != nil && f.Found && f.Probability >= weak
}

// holdToSources removes supported features that were not read from the photo. If
// none is left, or no passage of a source supports the answer (carried), it caps
// the probability, and the finding is not learnt.
func (f *Finding) holdToSources(features []string, carried bool) {
	f.Supported = slices.DeleteFunc(f.Supported, func(s string) bool {
		return !slices.ContainsFunc(features, func(own string) bool { return textfold.String(own) == textfold.String(s) })
	})
	f.carried = carried
	if len(f.Supported) == 0 || !carried {
		f.Probability = min(f.Probability, unsupported)
	}
}

// learnable reports whether the finding may be saved to the catalogue.
func (f *Finding) learnable() bool {
	return f.carried && !f.contradicts && !f.fuller && len(f.Supported) > 0
}

// holdToPrint compares a finding with what was read. A finding that names another brand than
// the print, or has a word in place of one that was read clearly, counts little and is not
// learnt, and neither does one where hardly any text was read; what has more words than the
// print is not learnt. One without a brand keeps the brand that was read.
func (r *rag) holdToPrint(f *Finding) {
	if !f.believable() {
		return
	}
	a := r.facts.analysis
	if textless(a) {
		f.Probability = min(f.Probability, unsupported)
	}
	var replaces bool
	replaces, f.fuller = r.comparedWithPrint(f)
	if replaces || r.otherBrandPrinted(f) {
		f.contradicts, f.Probability = true, min(f.Probability, unsupported)
		r.warn(warnContradictsPrint)
	}
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
		!slices.Contains(r.facts.allSuspicions(), BrandOverextended) && a.otherMaker(f.ProductName, append(aliases(r.facts.nearProducts(), f.Brand, brandNames), f.Brand)...)
}

// comparedWithPrint reports whether the name that f found has a word or a number in place of
// one of the printed name that was read clearly, and whether it has more words than were
// read. It is compared in one script with the printed name and its form in the request's
// language; the catalogue may have further names of what was found.
func (r *rag) comparedWithPrint(f *Finding) (replaces, adds bool) {
	a := r.facts.analysis
	copied := a.printed()[0]
	sharp := newReading(slices.DeleteFunc(slices.Clone(r.text), func(l Line) bool { return !bool(l.Clear) }))
	known := slices.Clone(r.text)
	for _, s := range []string{a.ProductName, a.NameLocal, a.Brand, a.BrandLocal, f.Brand, a.Category, f.Category} {
		known = append(known, Line{Text: s})
	}
	replaces = true
	for _, name := range append(aliases(r.facts.nearProducts(), f.ProductName, productNames), f.ProductName) {
		more := slices.DeleteFunc(newReading(known).cover(name).missing, func(w string) bool { return slices.Contains(units, w) })
		adds = adds || len(more) > 0
		found := newReading([]Line{{Text: name}, {Text: f.Brand}})
		compared := false
		for _, form := range []string{copied, a.ProductName, a.NameLocal} {
			if oneScript(form, name) {
				compared = true
				missing := found.cover(form).missing
				if form == copied {
					missing = slices.DeleteFunc(missing, func(w string) bool { return !sharp.cover(w).whole() })
				}
				replaces = replaces && inPlace(missing, more)
			}
		}
		replaces = replaces && compared
	}
	return replaces, adds
}

// inPlace reports whether one of the words in more stands in place of one that is missing: a
// number of a number, a word of a word.
func inPlace(missing, more []string) bool {
	return slices.ContainsFunc(missing, func(w string) bool {
		return slices.ContainsFunc(more, func(v string) bool { return startsWithDigit(w) == startsWithDigit(v) })
	})
}

func startsWithDigit(w string) bool {
	return strings.IndexFunc(w, unicode.IsDigit) == 0 || w[0] == '-' || w[0] == '+'
}

// otherMaker reports whether the brand that was read is none of the given names of a brand,
// compared within one script, and does not stand in the name of the product. A product
// without a brand contradicts none.
func (a Analysis) otherMaker(product string, brands ...string) bool {
	name := textfold.NameWords(product)
	return !holds(name, textfold.NameWords(a.Brand)) && !holds(name, textfold.NameWords(a.BrandAsPrinted)) &&
		slices.ContainsFunc(brands, a.contradicts) && !slices.ContainsFunc(brands, func(brand string) bool {
		return textfold.String(brand) != "" && !a.contradicts(brand)
	})
}

func brandNames(p catalog.Product) []string { return append([]string{p.Brand}, p.BrandAliases...) }

func productNames(p catalog.Product) []string { return append([]string{p.ProductName}, p.Aliases...) }

// aliases returns all names that those of products have that are called name.
func aliases(products []catalog.Product, name string, names func(catalog.Product) []string) (all []string) {
	for _, p := range products {
		if of := names(p); slices.ContainsFunc(of, func(s string) bool { return textfold.Name(s) == textfold.Name(name) }) {
			all = append(all, of...)
		}
	}
	return all
}

// nearProducts returns the products of the catalogue that were found for the photo.
func (f *facts) nearProducts() []catalog.Product {
	products := slices.Clone(f.bearers)
	for _, c := range f.candidates {
		products = append(products, c.Product)
	}
	return products
}
