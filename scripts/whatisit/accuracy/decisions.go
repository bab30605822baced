package accuracy

import (
	"cmp"
	"slices"

	"example.com/whatis/internal/analyze"
)

// A RowFigure says how often the product was identified when a row of the decision
// table decided. Identified means that the labelled ones of outcome, name and brand are
// right.
type RowFigure struct {
	Row int `json:"row"` // 1 to 6
	Share
}

// identified reports whether the labelled ones of outcome, name and brand are right.
func identified(verdicts map[string]Verdict) bool {
	for _, field := range []string{Outcome, Name, Brand} {
		if v, labelled := verdicts[field]; labelled && v != Right {
			return false
		}
	}
	return true
}

// rowFigures returns the figures of the rows that decided a photo, in order.
func rowFigures(shots []Shot) (all []RowFigure) {
	by := map[int][]Shot{}
	for _, s := range shots {
		if s.Row > 0 {
			by[s.Row] = append(by[s.Row], s)
		}
	}
	for row, of := range by {
		all = append(all, RowFigure{row, shareOf(of, func(s Shot) bool { return identified(s.Verdicts) })})
	}
	slices.SortFunc(all, func(a, b RowFigure) int { return cmp.Compare(a.Row, b.Row) })
	return all
}

// A Reading is image_analyzer's conclusion, before rag_agent decides.
type Reading struct {
	Name  string `json:"product_name,omitempty"`
	Brand string `json:"brand,omitempty"`
	Right bool   `json:"right"` // in outcome, name and brand, as far as they are labelled
}

// reading compares a with l; nil stays nil.
func (l Label) reading(a *analyze.Analysis) *Reading {
	if a == nil {
		return nil
	}
	name, brand := cmp.Or(a.NameLocal, a.ProductName), cmp.Or(a.BrandLocal, a.Brand)
	r := analyze.Result{Identification: &analyze.Identification{ProductName: name, Brand: brand}}
	if a.NotProduct {
		r = analyze.Result{Error: analyze.NotAProduct}
	}
	return &Reading{name, brand, identified(l.Judge(r))}
}

// A DoubtFigure says how often a doubt was right: how many of the readings doubted for a
// reason were wrong. The figure of no_suspicion counts the wrong readings that were not
// doubted.
type DoubtFigure struct {
	Reason string `json:"reason"` // a suspicion's name, any_suspicion, second_look or no_suspicion
	Wrong  Share  `json:"wrong"`  // readings that were not right
	Right  Share  `json:"right"`  // results that are right in the end
}

// Reasons other than names of suspicions.
const (
	anySuspicion = "any_suspicion"
	noSuspicion  = "no_suspicion"
)

// doubtFigures returns the figures of the reasons that occur, if readings are known.
func doubtFigures(shots []Shot) (all []DoubtFigure) {
	by := map[string][]Shot{}
	for _, s := range shots {
		if s.Reading == nil || s.Row == 0 {
			continue
		}
		reason := noSuspicion
		if len(s.Suspicions) > 0 {
			reason = anySuspicion
		}
		by[reason] = append(by[reason], s)
		for _, suspicion := range s.Suspicions {
			by[string(suspicion)] = append(by[string(suspicion)], s)
		}
		if slices.Contains(s.Steps, analyze.StepSecondLook) {
			by[string(analyze.StepSecondLook)] = append(by[string(analyze.StepSecondLook)], s)
		}
	}
	for _, reason := range reasons {
		if of := by[reason]; len(of) > 0 {
			wrong := shareOf(of, func(s Shot) bool { return !s.Reading.Right })
			all = append(all, DoubtFigure{reason, wrong, shareOf(of, func(s Shot) bool { return identified(s.Verdicts) })})
		}
	}
	return all
}

// reasons returns all reasons, in the order of the report.
var reasons = []string{
	string(analyze.BrandOverextended), string(analyze.ConfusableHangul), string(analyze.Overconfident), string(analyze.NameUnread), string(analyze.UnknownProduct),
	anySuspicion, string(analyze.StepSecondLook), noSuspicion,
}
