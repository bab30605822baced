package analyze

import (
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// A row of the decision table, in the order in which the rows are tried.
//
//	1 gtin       the one GTIN read has a trusted record in the catalogue, or a person
//	             has said which record the photo shows
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

// String is the move's name in logs.
func (m move) String() string {
	return [...]string{"answer", "search_local_db", "second_look", "google_search"}[m]
}

// facts are what rag_agent knows so far.
type facts struct {
	policy     Policy
	secondLook SecondLook
	analysis   Analysis
	suspicions []Suspicion
	injected   bool // image_analyzer has concluded with injected lines in sight

	record         *catalog.Product // the trusted record of the one GTIN that was read
	shown          bool             // the record is what a person said that the photo shows
	searched       bool             // search_local_db has run
	candidates     []catalog.Match  // those at or above the accept threshold, best first, then near duplicates
	nearDuplicates []bool           // which candidates are near duplicates
	judgement      *Judgement       // the latest
	refused        bool             // the stronger model would not judge: it is not asked again
	googled        bool
	finding        *Finding
}

// next reads the decision table from the top: it returns the row that the facts
// decide, or the move that fills in the fact the table asks for next.
func (f *facts) next() (row, move) {
	switch {
	case f.record != nil && !f.gtinConflict():
		return rowGTIN, answer
	case f.analysis.NotProduct:
		return rowRejected, answer
	case f.sure() && (!f.doubted() || f.confirmed()):
		return rowImage, answer
	case f.sure() && !f.suspicious() && f.judgement == nil:
		return undecided, judge
	case !f.searched:
		return undecided, searchDB
	case f.mustLook():
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

// sure reports that both confidences are above the policy's, with text to go by.
// Only such a reading can stand by itself.
func (f *facts) sure() bool {
	a := f.analysis
	return a.ProductNameConfidence > f.policy.Confidence && a.BrandConfidence > f.policy.Confidence &&
		len(textClues(a)) >= f.policy.TextClues && len(a.KeyFeatures) >= f.policy.Features
}

// suspicious reports a sign that a sure reading may be wrong. The stronger model
// looks at it together with the catalogue's candidates, whatever second_look says:
// a suspicion is a reason to look twice, and no reason to pay for the web.
func (f *facts) suspicious() bool {
	return len(f.suspicions) > 0 || f.injected || f.gtinConflict()
}

// doubts say in words why the reading may be wrong, for the model that looks again.
func (f *facts) doubts() []string {
	var out []string
	for _, s := range f.suspicions {
		out = append(out, s.description())
	}
	if f.injected {
		out = append(out, "a line of print speaks to machines, not to shoppers")
	}
	if f.gtinConflict() {
		out = append(out, "the catalogue has another brand for the barcode that was read")
	}
	return out
}

// doubted reports that a sure reading is to be looked at again.
func (f *facts) doubted() bool { return f.suspicious() || f.secondLook.wanted(f.analysis) }

// mustLook reports that the stronger model is to look before the web is asked: at
// candidates that it has not seen, or at a reading that is sure, always looked at
// again, or made with injected lines in sight.
func (f *facts) mustLook() bool {
	switch {
	case f.refused:
		return false
	case f.judgement == nil:
		return len(f.candidates) > 0 || f.sure() || f.injected || f.secondLook == Always
	}
	return f.judgement.offered < len(f.candidates)
}

// gtinConflict reports that another brand than the record's was read: with
// confidence if a person has confirmed the record, at all if it was imported. A
// brand that stands in the record's name is its sub-brand, and no other brand.
func (f *facts) gtinConflict() bool {
	return f.record != nil && !f.shown && f.analysis.contradictsRecord(*f.record) && !f.analysis.subBrandOf(*f.record) &&
		(f.analysis.BrandConfidence > confident || f.record.Status != catalog.Confirmed)
}

// confirmed reports that the second look confirms the analysis, and does not
// name another brand itself.
func (f *facts) confirmed() bool {
	return f.judgement != nil && f.judgement.Confirmed && !f.analysis.contradicts(f.judgement.Brand)
}

// picked is the candidate that the judgement chose, nil when it chose none or the
// policy refuses it.
func (f *facts) picked() *catalog.Match {
	j := f.judgement
	if j == nil || j.Pick < 1 || j.Pick > min(j.offered, len(f.candidates)) {
		return nil
	}
	if c := &f.candidates[j.Pick-1]; f.policy.admits(f.analysis, c.Product) {
		return c
	}
	return nil
}

// whyPicked is the evidence for c, the candidate that was picked.
func (f *facts) whyPicked(c *catalog.Match) string {
	for i := range f.nearDuplicates {
		if f.nearDuplicates[i] && &f.candidates[i] == c {
			return "near duplicate of " + strings.TrimSpace(c.Brand+" "+c.ProductName) + ": " + f.judgement.Reason
		}
	}
	return f.judgement.Reason
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
	if a.contradictsRecord(c) || otherCategory(a.Category, c.Category) {
		return false
	}
	return overlap(a, c.KeyFeatures) >= p.Overlap
}

// otherCategory reports that two categories are named and share no word, the
// plural aside.
func otherCategory(a, b string) bool {
	x, y := textfold.Words(a), textfold.Words(b)
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(x, func(w string) bool {
		return slices.ContainsFunc(y, func(v string) bool { return strings.TrimSuffix(w, "s") == strings.TrimSuffix(v, "s") })
	})
}

// overlap is how many of features are, folded, among a's features and lines.
func overlap(a Analysis, features []string) int {
	own := map[string]bool{}
	for _, s := range a.KeyFeatures {
		own[textfold.String(s)] = true
	}
	for _, l := range a.VisibleText {
		own[textfold.String(l.Text)] = true
	}
	return len(slices.DeleteFunc(slices.Clone(features), func(s string) bool { return !own[textfold.String(s)] }))
}
