package analyze

import (
	"cmp"
	"slices"
	"strings"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/textfold"
)

// An expiryFinding is the expiry date found on a pack, and its evidence.
type expiryFinding struct {
	date     *expiry.Date // nil when none was found
	quote    *Quote       // where it was read, or the date with an unknown label that was left out
	warnings []string
}

// findExpiry returns the expiry date of a pack: the codes' if the printed one
// agrees or is missing, the printed one if no code has one; if they differ, the
// codes' as ambiguous and doubtful.
func findExpiry(a Analysis, codes []code, hint expiry.Hint) expiryFinding {
	print, code := printedExpiry(a, hint), encodedExpiry(codes, hint)
	switch {
	case code.date == nil:
		return print
	case print.date == nil, agree(*code.date, *print.date):
		settled := []string{expiry.DateUnlabelled, expiry.DateLabelUnknown, expiry.DateAmbiguous, expiry.DateComputed}
		if print.date != nil {
			settled = append(settled, expiry.DateDoubtful)
		}
		for _, w := range without(print.warnings, settled) {
			if !slices.Contains(code.warnings, w) {
				code.warnings = append(code.warnings, w)
			}
		}
		return code
	}
	both := *code.date
	both.Ambiguous = distinct(append(readings(*code.date), readings(*print.date)...), maxReadings)
	both.Doubt = "a code and the print name different dates"
	warnings := without(print.warnings, []string{expiry.DateDoubtful})
	return expiryFinding{date: &both, quote: code.quote, warnings: append(warnings, warnDateConflict, expiry.DateDoubtful)}
}

// maxReadings bounds what a date may mean.
const maxReadings = 10

// readings returns all dates that d may mean.
func readings(d expiry.Date) []string {
	if len(d.Ambiguous) > 0 {
		return d.Ambiguous
	}
	return []string{d.Date}
}

// agree reports whether a reading of print equals the code's date, or one is the
// other's month.
func agree(code, print expiry.Date) bool {
	return slices.ContainsFunc(readings(print), func(s string) bool {
		return strings.HasPrefix(s, code.Date) || strings.HasPrefix(code.Date, s)
	})
}

// printedExpiry returns the expiry date among a's dates that are in the read text.
func printedExpiry(a Analysis, hint expiry.Hint) expiryFinding {
	r := newReading(a.VisibleText)
	var all, read []expiry.Printed
	quotes := map[string]*Quote{}
	for _, d := range a.Dates {
		all = append(all, d.printed())
		proven, q := r.date(d, hint)
		if q == nil {
			continue
		}
		read = append(read, proven)
		for _, text := range []string{proven.Text, proven.Period} {
			if quotes[text] == nil {
				quotes[text] = q
			}
		}
	}
	chosen, warnings, ok := expiry.Choose(read, hint)
	e := expiryFinding{warnings: warnings}
	if chosen.Raw != "" {
		e.quote = quotes[chosen.Raw]
	}
	if ok {
		e.date = &chosen
	}
	contested := e.date == nil && slices.Contains(warnings, expiry.DateDoubtful)
	if claimed, _, ok := expiry.Choose(all, hint); ok && !contested && (e.date == nil || claimed.Date != chosen.Date) {
		e.warnings = append(e.warnings, warnDateUnsupported)
	}
	return e
}

// printed returns d as its model quotes it.
func (d Date) printed() expiry.Printed {
	return expiry.Printed{Text: d.Text, Label: d.Label, Kind: expiry.Kind(d.Kind), Period: d.Period, Anchor: d.Anchor}
}

// date returns what of d was read, and where; the quote is nil if its text was not. If the
// model wrote the date in another form, a line that means the same date is its text.
func (r reading) date(d Date, hint expiry.Hint) (expiry.Printed, *Quote) {
	text, first, last := r.lineOfDate(d, hint)
	if first < 0 {
		return expiry.Printed{}, nil
	}
	p := d.printed()
	p.Text, p.Label, p.Period, p.Anchor = text, r.said(d.Label, d), r.said(d.Period, d), r.said(d.Anchor, d)
	for i := first; i <= last; i++ {
		p.Beside += r.lines[i].Text + "\n"
		p.Unclear = p.Unclear || !bool(r.lines[i].Clear)
	}
	if above := first - 1; above >= 0 && r.lines[above].Photo == r.lines[first].Photo && !strings.ContainsAny(r.lines[above].Text, "0123456789") {
		p.Beside = r.lines[above].Text + "\n" + p.Beside
	}
	q := r.quote([]int{first, last})
	if d.Box != nil {
		q.Box = d.Box
	}
	q.Photo = cmp.Or(q.Photo, d.Photo)
	return p, q
}

// said returns words of d if each of them was read on its photo; else "".
func (r reading) said(s string, d Date) string {
	var read strings.Builder
	for _, l := range r.lines {
		if !d.elsewhere(l) {
			read.WriteString(textfold.String(l.Text))
		}
	}
	for _, w := range textfold.Words(s) {
		if !strings.Contains(read.String(), w) {
			return ""
		}
	}
	return s
}

// lineOfDate returns the text of d as it was read, and its first and last line; -1 if it was
// not.
func (r reading) lineOfDate(d Date, hint expiry.Hint) (text string, first, last int) {
	words, whole := textfold.Words(d.Text), textfold.String(d.Text)
	for i, l := range r.lines {
		if d.elsewhere(l) {
			continue
		}
		if holds(textfold.Words(l.Text), words) || len(whole) >= 6 && strings.Contains(textfold.String(l.Text), whole) {
			return d.Text, i, i
		}
	}
	for i := range len(r.lines) - 1 {
		if r.lines[i].Photo != r.lines[i+1].Photo || d.elsewhere(r.lines[i]) {
			continue
		}
		if holds(append(textfold.Words(r.lines[i].Text), textfold.Words(r.lines[i+1].Text)...), words) {
			return d.Text, i, i + 1
		}
	}
	meant, err := expiry.Parse(d.Text, hint)
	if err != nil || meant.Date == "" {
		return "", -1, -1
	}
	for i, l := range r.lines {
		if !strings.ContainsAny(l.Text, "0123456789") || d.elsewhere(l) {
			continue
		}
		if read, err := expiry.Parse(l.Text, hint); err == nil && slices.Contains(readings(read), meant.Date) {
			return l.Text, i, i
		}
	}
	return "", -1, -1
}

// elsewhere reports whether d and l are known to stand on different photos.
func (d Date) elsewhere(l Line) bool { return d.Photo > 0 && l.Photo > 0 && d.Photo != l.Photo }

// encodedExpiry returns the expiry date among the GS1 elements of codes. If two codes have
// different ones, it is doubtful.
func encodedExpiry(codes []code, hint expiry.Hint) expiryFinding {
	var named []expiry.Printed
	quotes := map[string]*Quote{}
	for _, c := range codes {
		if c.gs1 == nil {
			continue
		}
		for label, d := range map[string]gs1.Date{"best before": c.gs1.BestBefore, "use by": c.gs1.UseBy} {
			if text := d.ISO(hint.Now.Year()); text != "" {
				named = append(named, expiry.Printed{Text: text, Label: label})
				quotes[text] = &c.quote
			}
		}
	}
	slices.SortFunc(named, func(a, b expiry.Printed) int { return strings.Compare(a.Label+a.Text, b.Label+b.Text) })
	chosen, _, ok := expiry.Choose(named, hint)
	if !ok {
		return expiryFinding{}
	}
	for i := range len(named) - 1 {
		if named[i].Label == named[i+1].Label && named[i].Text != named[i+1].Text {
			chosen.Doubt = "two codes name different dates"
		}
	}
	e := expiryFinding{date: &chosen, quote: quotes[chosen.Raw]}
	if chosen.Doubt != "" {
		e.warnings = []string{expiry.DateDoubtful}
	}
	return e
}

// contests reports whether the words of d, or those beside it, say that it is of another kind
// than its model does.
func (r reading) contests(d Date) bool {
	p, q := r.date(d, expiry.Hint{})
	return q != nil && expiry.Contested(p)
}

// contestedDates returns the texts and kinds of the dates that a's print contests.
func contestedDates(a Analysis) (texts []string) {
	r := newReading(a.VisibleText)
	for _, d := range a.Dates {
		if r.contests(d) {
			texts = append(texts, d.Text+" ("+d.Kind+")")
		}
	}
	return texts
}
