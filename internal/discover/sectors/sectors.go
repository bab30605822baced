// Package sectors is what is known of data on greenhouse gas emissions before any page
// is read: the sectors with the terms that they are described by (sectors.md), and what
// kind of publisher a domain belongs to.
package sectors

import (
	_ "embed"
	"strings"
	"sync"

	"example.com/whatis/internal/textfold"
)

// Terms is sectors.md, for instructions of models.
//
//go:embed sectors.md
var Terms string

// Sectors are the five, as requests name them.
var Sectors = []string{"afolu", "ippu", "stationary_energy", "transportation", "waste"}

// dataTerms is the section of words that data on emissions are described by, whatever
// the sector.
const dataTerms = "data"

// terms is what stands in sectors.md: by section the terms of all languages, folded.
var terms = sync.OnceValue(func() map[string][]string {
	all, section := map[string][]string{}, ""
	for line := range strings.Lines(Terms) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = name
		}
		if entry, ok := strings.CutPrefix(line, "- "); ok {
			_, terms, _ := strings.Cut(entry, ": ")
			for term := range strings.SplitSeq(terms, "; ") {
				all[section] = append(all[section], textfold.String(term))
			}
		}
	}
	return all
})

// termHits counts the terms of a section that stand in a text, in any language. Text
// is folded (textfold.String), so that a term is found within a longer word.
func termHits(folded, section string) (n int) {
	for _, term := range terms()[section] {
		if strings.Contains(folded, term) {
			n++
		}
	}
	return n
}

// Relevance counts what of a text is about data on emissions of those sectors.
func Relevance(text string, of []string) int {
	folded := textfold.String(text)
	n := termHits(folded, dataTerms)
	for _, sector := range of {
		n += 2 * termHits(folded, sector)
	}
	return n
}
