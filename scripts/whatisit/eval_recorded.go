package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/scripts/whatisit/accuracy"
)

// recordedTable prints what became of each photo with recorded answers, and the totals.
func recordedTable(c *console, m accuracy.Measure) error {
	var t table
	t.row("photo", "row", "calls", "queries", "USD", "web", "name", "brand", "category", "date", "gtin", "")
	for _, s := range m.Shots {
		cells := []string{s.Label.File, fmt.Sprint(s.Row), fmt.Sprint(s.Calls.Generate), fmt.Sprint(s.Calls.GroundedQueries), fmt.Sprintf("%.4f", s.CostUSD), fmt.Sprintf("%.4f", s.WebUSD)}
		for _, field := range []string{accuracy.Name, accuracy.Brand, accuracy.Category, accuracy.Expiry, accuracy.GTIN} {
			cells = append(cells, verdictOf(s, field))
		}
		t.row(append(cells, strings.Join(remarksOn(s), "; "))...)
	}
	f := accuracy.RecordedFiguresOf(m.Shots)
	if err := t.print(c.out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, `
  right of what is printed: name %s; brand %s; category %s; date %s; gtin %s; no product %s
  photos by row 1/2/3/4/5/6: %s; by calls 1/2/3/4 and more: %s
  web: %d photos searched with %d queries (%d for a code), %d found, %d in vain; $%.4f, of which in vain $%.4f; all else $%.4f
  second looks at %d photos, of which %d changed name or brand; suspicions about %d photos, of which %d were misread
  %d calls had no recorded answer: the model was at a loss
  %d of %d photos are not there: a stand-in picture was sent, and no codes could be read from it

`, f.Name, f.Brand, f.Category, f.Expiry, f.GTIN, f.NoProduct, slashed(f.Rows[1:]), slashed(f.Calls[1:]), f.Searched, f.Queries, f.ByCode, f.Found, f.InVain, f.WebUSD, f.VainUSD, f.USD-f.WebUSD, f.Looks, f.Changed, f.Suspicions, f.Justified, f.AtLoss, f.StandIns, f.Photos)
	return err
}

// slashed joins numbers with slashes.
func slashed(all []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", "/"), "[]")
}

// verdictOf returns the verdict on a field, "" where nothing is printed or answered.
func verdictOf(s accuracy.Shot, field string) string {
	if v := s.Verdicts[field]; v != accuracy.Right || s.Said[field] != "" {
		return string(v)
	}
	return ""
}

// remarksOn tells what is not right about a photo, and what was done to find out.
func remarksOn(s accuracy.Shot) (all []string) {
	for _, field := range s.Wrong() {
		all = append(all, fmt.Sprintf("%s is %q", field, s.Said[field]))
	}
	if s.Label.Name == nil && s.Said[accuracy.Name] != "" {
		all = append(all, fmt.Sprintf("no name is printed, and it is %q", s.Said[accuracy.Name]))
	}
	for _, suspicion := range s.Suspicions {
		all = append(all, string(suspicion))
	}
	for _, step := range s.Steps {
		all = append(all, string(step))
	}
	if s.Changed() {
		all = append(all, fmt.Sprintf("the look made %s %s of %s %s", s.Said[accuracy.Brand], s.Said[accuracy.Name], s.Reading.Brand, s.Reading.Name))
	}
	return slices.Concat(all, s.Warnings)
}

// missedGoals returns an error if a wrong name or brand was answered by the photo alone.
func missedGoals(r accuracy.Report) error {
	for _, m := range r.Runs {
		if f := accuracy.RecordedFiguresOf(m.Shots); m.Models == accuracy.Recorded && len(f.Passed) > 0 {
			return fmt.Errorf("a wrong name or brand passed at row 3: %s", strings.Join(f.Passed, ", "))
		}
	}
	return nil
}
