package discover

import (
	_ "embed"
	"strings"
	"sync"

	"example.com/whatis/internal/textfold"
)

// sectorTerms is sectors.md, for the instructions of models.
//
//go:embed sectors.md
var sectorTerms string

// Sectors are the five sectors, as named in requests.
var Sectors = []string{"afolu", "ippu", "stationary_energy", "transportation", "waste"}

// dataTerms is the section of terms for emissions data of any sector.
const dataTerms = "data"

// terms are the folded terms in sectors.md, in all languages, by section.
var terms = sync.OnceValue(func() map[string][]string {
	all, section := map[string][]string{}, ""
	for line := range strings.Lines(sectorTerms) {
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

// relevance counts the terms in a text that are about emissions data of those sectors, in any language, also
// inside longer words. Those of a sector count twice.
func relevance(text string, of []string) (n int) {
	folded := textfold.String(text)
	for _, section := range append([]string{dataTerms}, of...) {
		for _, term := range terms()[section] {
			if strings.Contains(folded, term) {
				n += map[bool]int{true: 1, false: 2}[section == dataTerms]
			}
		}
	}
	return n
}
