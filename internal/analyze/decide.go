package analyze

import (
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/textfold"
)

// A row of the decision table, in the order in which the rows are tried.
//
//	1 gtin       the one GTIN read has a trusted record in the catalogue, or a person
//	             has said which record the photo shows
//	2 rejected   image_analysis has an error
//	3 image      the photo alone is trusted
//	4 catalogue  the model picks a candidate that is near enough
//	5 web        Google Search has found it, with sources
//	6 nothing    the product is not identified
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

// String returns the move's name in logs.
func (m move) String() string {
	return [...]string{"answer", "search_local_db", "second_look", "google_search"}[m]
}

// facts hold what rag_agent knows so far.
type facts struct {
	policy     Policy
	secondLook SecondLook
	first      Analysis    // image_analyzer's reading
	analysis   Analysis    // the reading that counts: the first, or the stronger model's if they differ
	suspicions []Suspicion // about analysis
	dispelled  []Suspicion // about the first reading, which the stronger model has replaced
	named      float64     // the confidence of analysis' name as its model gave it, before any limit
	code       string      // the GTIN or the ISBN that was read, "" without one
	reread     bool        // analysis is the stronger model's
	injected   bool        // image_analyzer has concluded with injected lines in sight

	rejected   []review.Name     // what people say that the photo does not show
	record     *catalog.Product  // the trusted record of the one GTIN that was read
	shown      bool              // a person said that the photo shows the record
	bearers    []catalog.Product // trusted products with the brand or the name that was read
	searched   bool              // search_local_db has run
	candidates []hit             // at or above the accept threshold, best first, then near duplicates
	judgement  *Judgement        // the latest
	refused    bool              // the stronger model refused to judge, or gave no usable answer: it is not asked again
	blocked    bool              // it refused the photo
	passing    bool              // it may not fail the next time
	googled    bool
	finding    *Finding
}

// next reads the decision table from the top: it returns the row that the facts
// decide, or the move that fills in the fact the table asks for next.
func (f *facts) next() (row, move) {
	switch {
	case f.record != nil && !f.gtinConflict():
		return rowGTIN, answer
	case f.analysis.NotProduct:
		return rowRejected, answer
	case f.decidedByPhoto():
		return rowImage, answer
	case f.sure() && !f.suspicious() && f.judgement == nil && !f.refused:
		return undecided, judge
	case !f.searched:
		return undecided, searchDB
	case f.mustLook():
		return undecided, judge
	case f.picked() != nil:
		return rowCatalogue, answer
	case !f.googled && f.worthSearching():
		return undecided, searchWeb
	case f.finding.believable() && !f.excludes(f.finding.ProductName, f.finding.Brand):
		return rowWeb, answer
	}
	return rowNothing, answer
}

// decidedByPhoto reports whether the reading is sure, and no look is wanted, or the
// stronger model has confirmed it or made it itself. A look that failed is no
// verdict: then a reading without a suspicion counts as it is.
func (f *facts) decidedByPhoto() bool {
	switch {
	case !f.sure() || f.readingRejected():
		return false
	case f.judgement != nil:
		return f.confirmed() || f.reread && len(f.suspicions) == 0
	}
	return !f.brandless() && !f.suspicious() && (f.refused || !f.secondLook.wanted(f.analysis))
}

// sure reports whether both confidences are above the policy's, or that of goods
// without a brand is, with enough text clues and features. Only such a reading can
// decide by the photo.
func (f *facts) sure() bool {
	a := f.analysis
	named := a.ProductNameConfidence > f.policy.Confidence && a.BrandConfidence > f.policy.Confidence
	return (named || f.brandless()) && (f.policy.TextClues == 0 || len(textClues(a)) >= f.policy.TextClues) && len(a.KeyFeatures) >= f.policy.Features
}

// brandless reports whether the photo shows goods that need no brand (a banana, a book, a
// wine): no brand was read, and the name is sure as its model sees it. The print need not
// hold the name. Only with the stronger model's consent does such a reading decide, and never
// with injected lines in sight, which may have named it.
func (f *facts) brandless() bool {
	a := f.analysis
	return !f.injected && a.Brand == "" && a.BrandAsPrinted == "" && a.ProductName != "" && f.named > f.policy.Confidence
}

// suspicious reports whether a sure reading may be wrong. The stronger model then
// judges it together with the catalogue's candidates, whatever second_look says:
// a suspicion is a reason to look twice, but not to pay for the web. Only that the brand may
// hold a sub-brand is none if no look is wanted: true brands look like that, too.
func (f *facts) suspicious() bool {
	if f.reread {
		return len(f.suspicions) > 0 || f.readingRejected()
	}
	return slices.ContainsFunc(f.suspicions, func(s Suspicion) bool { return s != BrandOverextended || f.secondLook != Never }) ||
		f.injected || f.gtinConflict() || f.readingRejected()
}

// excludes reports whether a person has said that the photo does not show that product.
func (f *facts) excludes(name, brand string) bool {
	return slices.ContainsFunc(f.rejected, review.Name{ProductName: name, Brand: brand}.Same)
}

// readingRejected reports whether the reading that counts names a product that a person has
// rejected.
func (f *facts) readingRejected() bool {
	return f.excludes(f.analysis.ProductName, f.analysis.Brand) || f.excludes(f.analysis.NameAsPrinted, f.analysis.Brand)
}

// doubts returns, for the model that looks again, why the reading may be wrong.
func (f *facts) doubts() []string {
	var out []string
	for _, s := range f.suspicions {
		out = append(out, s.description(f.analysis))
	}
	if f.injected {
		out = append(out, "a line of print speaks to machines, not to shoppers")
	}
	for _, n := range f.rejected {
		out = append(out, "a person has said that this is not "+strings.TrimSpace(n.Brand+" "+n.ProductName))
	}
	if f.gtinConflict() {
		out = append(out, "the catalogue has another brand for the barcode that was read")
	}
	return out
}

// mustLook reports whether the stronger model must look before the web is asked:
// at candidates that it has not seen, or at a reading that is sure, that was made
// with injected lines in sight, or whose second_look is always.
func (f *facts) mustLook() bool {
	switch {
	case f.refused:
		return false
	case f.judgement == nil:
		return len(f.candidates) > 0 || f.sure() || f.injected || f.readingRejected() || f.secondLook == Always
	}
	return f.judgement.offered < len(f.candidates)
}

// gtinConflict reports whether the brand that was read is not the record's: with
// high confidence if a person confirmed the record, with any if it was imported. A
// brand that is part of the record's product name is its sub-brand: no conflict.
func (f *facts) gtinConflict() bool {
	return f.record != nil && !f.shown && f.analysis.otherMaker(f.record.ProductName, brandNames(*f.record)...) &&
		(f.analysis.BrandConfidence > confident || f.record.Status != catalog.Confirmed)
}

// confirmed reports whether the second look confirms the analysis, does not read another
// product or brand, and a word of the printed name stands in what either look quotes: that
// two models agree on a name of which nothing was read proves nothing.
func (f *facts) confirmed() bool {
	a, j := f.analysis, f.judgement
	if j == nil || !j.Confirmed || differ(a, j.reading(a)) {
		return false
	}
	name := newReading(append(slices.Clone(a.VisibleText), Line{Text: j.Seen})).cover(a.NameAsPrinted)
	return textless(a) || name.all == 0 || name.lost < name.all
}

// picked returns the candidate that the judgement chose, nil if it chose none or
// the policy refuses it.
func (f *facts) picked() *hit {
	j := f.judgement
	if j == nil || j.Pick < 1 || j.Pick > min(j.offered, len(f.candidates)) {
		return nil
	}
	if c := &f.candidates[j.Pick-1]; f.policy.admits(f.analysis, c.Product) && !f.bothContradict(c.Product) {
		return c
	}
	return nil
}

// bothContradict reports whether image_analyzer and the stronger model both read
// another brand than c's.
func (f *facts) bothContradict(c catalog.Product) bool {
	if f.first.Brand == "" || f.judgement.Brand == "" && !f.reread {
		return false
	}
	second := f.judgement.reading(f.analysis)
	return f.first.otherMaker(c.ProductName, brandNames(c)...) && second.otherMaker(c.ProductName, brandNames(c)...)
}

// worthSearching reports whether the web can know what the photo shows: by a GTIN or an ISBN,
// or a name or a brand in print, which injected lines may have hidden. A price tag is no
// product, and a name that a person has rejected is not searched for.
func (f *facts) worthSearching() bool {
	a := f.analysis
	return !f.readingRejected() && a.Side != SideTag && (f.code != "" || a.NameAsPrinted != "" && !textless(a) || a.Brand != "" || f.injected && !textless(a))
}

// admits reports whether the policy accepts c as the product that a describes.
func (p Policy) admits(a Analysis, c catalog.Product) bool {
	if p.Overlap == 0 {
		return true
	}
	if a.otherMaker(c.ProductName, brandNames(c)...) || otherCategory(a.Category, c.Category) {
		return false
	}
	return overlap(a, c.KeyFeatures) >= p.Overlap
}

// otherCategory reports whether both categories are named and share no word,
// ignoring a plural s.
func otherCategory(a, b string) bool {
	x, y := textfold.Words(a), textfold.Words(b)
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(x, func(w string) bool {
		return slices.ContainsFunc(y, func(v string) bool { return strings.TrimSuffix(w, "s") == strings.TrimSuffix(v, "s") })
	})
}

// overlap returns how many of features are, folded, among a's features and lines.
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
