package analyze

import (
	"bufio"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

//go:embed makers.tsv
var makersText string

// makers returns the makers of makers.tsv by each of their folded names.
var makers = sync.OnceValue(func() map[string][]int {
	byName := map[string][]int{}
	lines := bufio.NewScanner(strings.NewReader(makersText))
	for n := 0; lines.Scan(); n++ {
		names, _, _ := strings.Cut(lines.Text(), "\t")
		if strings.HasPrefix(names, "#") {
			continue
		}
		for name := range strings.SplitSeq(names, "|") {
			key := textfold.Name(name)
			byName[key] = append(byName[key], n)
		}
	}
	return byName
})

// sameMaker reports whether makers.tsv has both names for one maker.
func sameMaker(a, b string) bool {
	of := makers()[textfold.Name(b)]
	return slices.ContainsFunc(makers()[textfold.Name(a)], func(n int) bool { return slices.Contains(of, n) })
}

// translated reports whether the name or the brand is given in a form of which nothing shows
// that it is what is printed: that form is not printed too, and neither the catalogue nor the
// list of makers has both. A form that shares a word with the printed one is no other.
func translated(a Analysis, known brandKnowledge) bool {
	r := newReading(a.VisibleText)
	other := func(copied, named, local string, paired func(a, b string) bool) bool {
		return copied != "" && slices.ContainsFunc([]string{named, local}, func(form string) bool {
			return form != "" && !(oneScript(copied, form) && newReading([]Line{{Text: copied}}).hasAny(form)) && !r.cover(form).whole() && !paired(copied, form)
		})
	}
	return other(a.NameAsPrinted, a.ProductName, a.NameLocal, func(x, y string) bool { return pairs(known.products, productNames, x, y) }) ||
		other(a.BrandAsPrinted, a.Brand, a.BrandLocal, func(x, y string) bool { return pairs(known.products, brandNames, x, y) || sameMaker(x, y) })
}

// untranslated returns a without forms of its names of which nothing shows that they are what
// is printed.
func (a Analysis) untranslated() Analysis {
	same := func(copied, named string) string {
		if copied == "" || newReading([]Line{{Text: copied}}).hasAny(named) {
			return named
		}
		return copied
	}
	a.ProductName, a.NameLocal = same(a.NameAsPrinted, a.ProductName), ""
	a.Brand, a.BrandLocal = same(a.BrandAsPrinted, a.Brand), ""
	return a
}

// hasAny reports whether a word of s was read.
func (r reading) hasAny(s string) bool {
	c := r.cover(s)
	return c.lost < c.all
}

// pairs reports whether a product has both names, of which names gives all.
func pairs(products []catalog.Product, names func(catalog.Product) []string, a, b string) bool {
	return slices.ContainsFunc(aliases(products, a, names), func(s string) bool { return textfold.Name(s) == textfold.Name(b) })
}
