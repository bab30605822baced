package accuracy

import (
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/analyze"
)

// RecordedFigures are the figures of photos with recorded answers.
type RecordedFigures struct {
	Photos, StandIns, AtLoss                       int // AtLoss counts calls
	Name, Brand, Category, Expiry, GTIN, NoProduct Printed
	Rows                                           [7]int // photos by row of the decision table, from 1 on; 0 is none
	Calls                                          [5]int // photos by calls of generating models, from 1 on; the last of 4 and more
	Searched, Found, InVain, Queries, ByCode       int    // photos that were searched on the web, found there or not; all queries, and those for a code
	USD, WebUSD, VainUSD                           float64
	Looks, Changed                                 int      // photos that were looked at again; of them, with another name or brand by it
	Suspicions, Justified                          int      // photos with any; of them, those that were misread
	Passed                                         []string // photos with a wrong name or brand at row 3
}

// Printed counts what is printed on the photos, how often it was answered, and wrong answers,
// also where nothing is printed.
type Printed struct{ Of, Right, Wrong int }

// String formats p.
func (p Printed) String() string {
	if p.Wrong > 0 {
		return fmt.Sprintf("%d of %d, %d wrong", p.Right, p.Of, p.Wrong)
	}
	return fmt.Sprintf("%d of %d", p.Right, p.Of)
}

func (p *Printed) count(v Verdict, labelled, printed bool) {
	if labelled && printed {
		p.Of++
	}
	if labelled && printed && v == Right {
		p.Right++
	}
	if v == Wrong {
		p.Wrong++
	}
}

// RecordedFiguresOf computes the figures of shots.
func RecordedFiguresOf(shots []Shot) (f RecordedFigures) {
	for _, s := range shots {
		f.Photos++
		f.AtLoss += s.AtLoss
		if s.StandIn {
			f.StandIns++
		}
		labelled := s.Label.fields()
		for field, p := range map[string]*Printed{Name: &f.Name, Brand: &f.Brand, Category: &f.Category, Expiry: &f.Expiry, GTIN: &f.GTIN} {
			p.count(s.Verdicts[field], labelled[field] != nil, strings.Join(labelled[field], "") != "")
		}
		f.NoProduct.count(s.Verdicts[Outcome], true, s.Label.NoProduct)
		f.Rows[s.Row]++
		f.Calls[min(s.Calls.Generate, len(f.Calls)-1)]++
		f.countWays(s)
	}
	return f
}

// countWays counts what was done to find out more, and what came of it.
func (f *RecordedFigures) countWays(s Shot) {
	f.USD, f.WebUSD, f.Queries, f.ByCode = f.USD+s.CostUSD, f.WebUSD+s.WebUSD, f.Queries+s.Calls.GroundedQueries, f.ByCode+s.CodeQueries
	switch {
	case !slices.Contains(s.Steps, analyze.StepGoogleSearch):
	case s.Source == string(analyze.FromGoogleSearch):
		f.Searched, f.Found = f.Searched+1, f.Found+1
	default:
		f.Searched, f.InVain, f.VainUSD = f.Searched+1, f.InVain+1, f.VainUSD+s.WebUSD
	}
	if s.Looked() {
		f.Looks++
	}
	if s.Changed() {
		f.Changed++
	}
	if len(s.Suspicions) > 0 {
		f.Suspicions++
		if s.Reading != nil && !s.Reading.Right {
			f.Justified++
		}
	}
	if s.Row == 3 && (s.Verdicts[Name] == Wrong || s.Verdicts[Brand] == Wrong) {
		f.Passed = append(f.Passed, s.Label.File)
	}
}

// Looked reports that the stronger model has seen the photo.
func (s Shot) Looked() bool { return slices.Contains(s.Steps, analyze.StepSecondLook) }

// Changed reports that the stronger model's look has changed the name or the brand.
func (s Shot) Changed() bool {
	return s.Looked() && s.Source == string(analyze.FromImage) && s.Reading != nil &&
		(s.Reading.Name != s.Said[Name] || s.Reading.Brand != s.Said[Brand])
}
