package discover

import (
	_ "embed"
	"strings"
	"sync"

	"example.com/whatis/internal/fold"
)

//go:embed sectors.md
var knowledgeText string

// The sectors, as requests name them.
var sectors = []string{"afolu", "ippu", "stationary_energy", "transportation", "waste"}

// dataTerms is the section of words that data on emissions are described by, whatever
// the sector.
const dataTerms = "data"

// knowledge is what stands in sectors.md: by section the terms of all languages, folded.
var knowledge = sync.OnceValue(func() map[string][]string {
	all, section := map[string][]string{}, ""
	for line := range strings.Lines(knowledgeText) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = name
		}
		if entry, ok := strings.CutPrefix(line, "- "); ok {
			_, terms, _ := strings.Cut(entry, ": ")
			for term := range strings.SplitSeq(terms, "; ") {
				all[section] = append(all[section], fold.String(term))
			}
		}
	}
	return all
})

// termHits counts the terms of a section that stand in a text, in any language. Text
// is folded (fold.String), so that a term is found within a longer word.
func termHits(folded, section string) (n int) {
	for _, term := range knowledge()[section] {
		if strings.Contains(folded, term) {
			n++
		}
	}
	return n
}

// relevanceTo counts what of a text is about data on emissions of those sectors.
func relevanceTo(text string, of []string) int {
	folded := fold.String(text)
	n := termHits(folded, dataTerms)
	for _, sector := range of {
		n += 2 * termHits(folded, sector)
	}
	return n
}
