package analyze

import (
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/fold"
)

// A row of the decision table, in the order in which the rows are tried.
//
//	1 gtin       the one GTIN read has a trusted record in the catalogue
//	2 rejected   image_analysis has an error
//	3 image      the photo is believed
//	4 catalogue  a candidate that is near enough, and that the model picks
//	5 web        Google Search has found it, with sources
//	6 nothing    nobody knows
type row int

const (
	undecided row = iota
	rowGTIN
	rowRejected
	rowImage
	rowCatalogue
	rowWeb
	rowNothing
)

// A move is what rag_agent does next to fill in a fact.
type move int

const (
	answer    move = iota // the facts decide
	searchDB              // search_local_db
	judge                 // the stronger model looks at the photo, and at the candidates if there are any
	searchWeb             // google_search
)

// facts are what rag_agent knows so far.
type facts struct {
	policy     Policy
	secondLook SecondLook
	analysis   Analysis
	suspicions []Suspicion

	record     *catalog.Product // the trusted record of the one GTIN that was read
	searched   bool             // search_local_db has run
	candidates []catalog.Match  // those at or above the accept threshold, best first, then near duplicates
	twins      []bool           // which candidates are near duplicates
	judgement  *Judgement
	googled    bool
	finding    *Finding
}

// next reads the decision table from the top: it returns the row that the facts
// decide, or the move that fills in the fact the table asks for next.
func (f *facts) next() (row, move) {
	switch {
	case f.record != nil && !f.gtinConflict():
		return rowGTIN, answer
	case f.analysis.Error != "":
		return rowRejected, answer
	}
	if f.sure() {
		switch {
		case !f.secondLook.wanted(f.analysis, f.suspicions):
			return rowImage, answer
		case f.judgement == nil:
			return undecided, judge
		case f.confirmed():
			return rowImage, answer
		}
	}
	switch {
	case !f.searched:
		return undecided, searchDB
	case f.judgement == nil && len(f.candidates) > 0:
		return undecided, judge
	case f.picked() != nil:
		return rowCatalogue, answer
	case !f.googled && f.worthSearching():
		return undecided, searchWeb
	case f.finding.believable():
		return rowWeb, answer
	}
	return rowNothing, answer
}

// sure reports that the photo alone could decide: no suspicion, both confidences
// above the policy's, text to go by, and no barcode that says otherwise.
func (f *facts) sure() bool {
	a := f.analysis
	return len(f.suspicions) == 0 && f.record == nil &&
		a.ProductNameConfidence > f.policy.Confidence && a.BrandConfidence > f.policy.Confidence &&
		len(textClues(a)) >= f.policy.TextClues && len(a.KeyFeatures) >= f.policy.Features
}

// gtinConflict reports that another brand than the record's was read with
// confidence.
func (f *facts) gtinConflict() bool {
	return f.record != nil && f.analysis.BrandConfidence > confident && f.analysis.contradicts(f.record.Brand)
}

// contradicts reports that the brand that was read is not brand, neither as it is
// printed nor as it is named: LOTTE is 롯데 if that is what the package says.
func (a Analysis) contradicts(brand string) bool {
	return otherBrand(a.Brand, brand) && (a.BrandAsPrinted == "" || otherBrand(a.BrandAsPrinted, brand))
}

// confirmed reports that the second look confirms the analysis, and does not
// name another brand itself.
func (f *facts) confirmed() bool {
	return f.judgement.Confirmed && !f.analysis.contradicts(f.judgement.Brand)
}

// otherBrand reports that two brands are named and neither holds the other.
func otherBrand(a, b string) bool {
	x, y := fold.Words(a), fold.Words(b)
	return len(x) > 0 && len(y) > 0 && !holds(x, y) && !holds(y, x) && fold.String(a) != fold.String(b)
}

// picked is the candidate that the judgement chose. A second look that was asked
// before there were candidates has chosen the one that bears the names it read
// itself.
func (f *facts) picked() *catalog.Match {
	j := f.judgement
	if j == nil {
		return nil
	}
	var chosen []*catalog.Match
	for i := range f.candidates {
		if c := &f.candidates[i]; j.chooses(i+1, c.Product) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) != 1 || !f.policy.admits(f.analysis, chosen[0].Product) {
		return nil
	}
	return chosen[0]
}

// whyPicked is the evidence for c, the candidate that was picked.
func (f *facts) whyPicked(c *catalog.Match) string {
	for i := range f.twins {
		if f.twins[i] && &f.candidates[i] == c {
			return "near duplicate of " + strings.TrimSpace(c.Brand+" "+c.ProductName) + ": " + f.judgement.evidence()
		}
	}
	return f.judgement.evidence()
}

// worthSearching reports that there is something to ask the web for: read text,
// or at least a brand.
func (f *facts) worthSearching() bool {
	return !textless(f.analysis) || f.analysis.Brand != ""
}

// admits reports that the policy lets c stand for what a describes.
func (p Policy) admits(a Analysis, c catalog.Product) bool {
	if p.Overlap == 0 {
		return true
	}
	if a.contradicts(c.Brand) || otherCategory(a.Category, c.Category) {
		return false
	}
	return overlap(a, c.KeyFeatures) >= p.Overlap
}

// otherCategory reports that two categories are named and share no word, the
// plural aside.
func otherCategory(a, b string) bool {
	x, y := fold.Words(a), fold.Words(b)
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(x, func(w string) bool {
		return slices.ContainsFunc(y, func(v string) bool { return strings.TrimSuffix(w, "s") == strings.TrimSuffix(v, "s") })
	})
}

// overlap is how many of features are, folded, among a's features and lines.
func overlap(a Analysis, features []string) int {
	own := map[string]bool{}
	for _, s := range a.KeyFeatures {
		own[fold.String(s)] = true
	}
	for _, l := range a.VisibleText {
		own[fold.String(l.Text)] = true
	}
	return len(slices.DeleteFunc(slices.Clone(features), func(s string) bool { return !own[fold.String(s)] }))
}
