package answers

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"example.com/whatis/emulators/gemini"
)

// structured is the answer of KindStructure.
type structured struct {
	Evidence    string   `json:"evidence"`
	Supported   []string `json:"supported"`
	Name        string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Category    string   `json:"category"`
	Found       bool     `json:"found"`
	Probability float64  `json:"probability"`
}

// The probability is the share of clues that the answer supports, at most surest; an
// answer without a product has unfound.
const (
	surest  = 0.95
	unfound = 0.1
)

// structure parses the labelled lines of an answer. An answer with an empty list of
// sources supports no clues.
func structure(g given) structured {
	s := structured{Supported: []string{}, Probability: unfound}
	lines := labelled(g.answer)
	unsourced := g.hasSources && len(g.sources) == 0
	if lines["Product"] == "" || unsourced {
		s.Evidence = "no source names a product"
		return s
	}
	s.Found = true
	s.Name, s.Brand, s.Category = lines["Product"], lines["Brand"], lines["Category"]
	clues := distinct(g.analysis.KeyFeatures, maxFeatures)
	s.Supported = supported(clues, wordsOf(g.answer))
	s.Probability = share(len(s.Supported), len(clues))
	s.Evidence = fmt.Sprintf("%d of %d clues stand in the sources", len(s.Supported), len(clues))
	return s
}

// labelled parses lines such as "Brand: X". The first line of a label counts.
func labelled(answer string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(answer) {
		label, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if _, known := lines[label]; ok && !known {
			lines[label] = strings.TrimSpace(value)
		}
	}
	return lines
}

// supported returns the clues all of whose words are in the answer.
func supported(clues []string, answer wordSet) []string {
	kept := []string{}
	for _, c := range clues {
		if wordsOf(c).within(answer) {
			kept = append(kept, c)
		}
	}
	return kept
}

// share returns n/all to two decimals, at most surest.
func share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return min(surest, math.Round(100*float64(n)/float64(all))/100)
}

// groundedStructure searches and structures in one call: it answers with JSON and the
// grounding of the search.
func groundedStructure(seen *observation, g given) (gemini.Answer, error) {
	answer, grounding := search(seen, g)
	g.answer, g.hasSources = answer, false
	data, err := json.Marshal(structure(g))
	if len(grounding.Chunks) > 0 {
		grounding.Supports = []gemini.GroundingSupport{{Chunks: []int{0}, Segment: gemini.Segment{End: len(data), Text: string(data)}}}
	}
	return gemini.Answer{Text: string(data), Grounding: grounding}, err
}
