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

// day returns the date as YYYY.MM.DD, "" unless its day is certain.
func (f expiryFinding) day() string {
	if f.date == nil {
		return ""
	}
	return f.date.Day()
}

// findExpiry returns the expiry date of a pack: the codes' if the printed one
// agrees or is missing, the printed one if no code has one; if they differ, the
// codes' as ambiguous.
func findExpiry(a Analysis, codes []code, hint expiry.Hint) expiryFinding {
	print, code := printedExpiry(a, hint), encodedExpiry(codes, hint)
	switch {
	case code.date == nil:
		return print
	case print.date == nil, agree(*code.date, *print.date):
		code.warnings = slices.DeleteFunc(print.warnings, func(w string) bool {
			return w == expiry.DateUnlabelled || w == expiry.DateLabelUnknown || w == expiry.DateAmbiguous || w == expiry.DateComputed
		})
		return code
	}
	both := *code.date
	both.Ambiguous = append([]string{code.date.Date}, readings(*print.date)...)
	return expiryFinding{date: &both, quote: code.quote, warnings: append(print.warnings, warnDateConflict)}
}

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
		all = append(all, expiry.Printed{Text: d.Text, Label: d.Label})
		if text, q := r.date(d, hint); q != nil {
			read = append(read, expiry.Printed{Text: text, Label: d.Label})
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
	if claimed, _, ok := expiry.Choose(all, hint); ok && (e.date == nil || claimed.Date != chosen.Date) {
		e.warnings = append(e.warnings, warnDateUnsupported)
	}
	return e
}

// date returns the text of d as it was read, and where; the quote is nil if it was
// not. If the model wrote the date in another form, a line that means the same
// date is returned.
func (r reading) date(d Date, hint expiry.Hint) (string, *Quote) {
	words, whole := textfold.Words(d.Text), textfold.String(d.Text)
	for i, l := range r.lines {
		if d.elsewhere(l) {
			continue
		}
		if holds(textfold.Words(l.Text), words) || len(whole) >= 6 && strings.Contains(textfold.String(l.Text), whole) {
			return d.Text, r.dated(i, i, d)
		}
	}
	for i := range len(r.lines) - 1 {
		if r.lines[i].Photo != r.lines[i+1].Photo || d.elsewhere(r.lines[i]) {
			continue
		}
		if holds(append(textfold.Words(r.lines[i].Text), textfold.Words(r.lines[i+1].Text)...), words) {
			return d.Text, r.dated(i, i+1, d)
		}
	}
	meant, err := expiry.Parse(d.Text, hint)
	if err != nil || meant.Date == "" {
		return "", nil
	}
	for i, l := range r.lines {
		if !strings.ContainsAny(l.Text, "0123456789") || d.elsewhere(l) {
			continue
		}
		if read, err := expiry.Parse(l.Text, hint); err == nil && slices.Contains(readings(read), meant.Date) {
			return l.Text, r.dated(i, i, d)
		}
	}
	return "", nil
}

// dated quotes the lines of a date; the date's own box is preferred to theirs.
func (r reading) dated(first, last int, d Date) *Quote {
	q := r.quote([]int{first, last})
	if d.Box != nil {
		q.Box = d.Box
	}
	q.Photo = cmp.Or(q.Photo, d.Photo)
	return q
}

// elsewhere reports whether d and l are known to stand on different photos.
func (d Date) elsewhere(l Line) bool { return d.Photo > 0 && l.Photo > 0 && d.Photo != l.Photo }

// encodedExpiry returns the expiry date among the GS1 elements of codes.
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
	return expiryFinding{date: &chosen, quote: quotes[chosen.Raw]}
}
