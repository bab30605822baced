package expiry

import (
	"fmt"
	"slices"
	"strings"
)

// A gap is white space between two digits, or between two parts of a month's name, that an
// ink stamp or a dot matrix may have where there is none.
type gap struct{ from, to int }

// maxGaps bounds the gaps of a print: one with more is no date.
const maxGaps = 16

// gaps returns the gaps of a print, before its dates are known.
func (t *tokens) gaps() (found []gap) {
	for i := 1; i < len(t.items); i++ {
		a, b := t.items[i-1], t.items[i]
		if b.gap != " " || b.line || a.number != b.number {
			continue
		}
		whole := a.text + b.text
		if a.number && len(whole) <= 8 && !t.taken[i-1] && !t.taken[i] || words().months[whole] > 0 {
			found = append(found, gap{a.at + len(a.text), b.at})
		}
	}
	return found
}

// close returns text without some gaps.
func closeGaps(text string, gaps ...gap) string {
	for _, g := range slices.Backward(gaps) {
		text = text[:g.from] + text[g.to:]
	}
	return text
}

// closings returns the ways to close gaps: one, two, all.
func closings(gaps []gap) (ways [3][][]gap) {
	if len(gaps) > maxGaps {
		return ways
	}
	for i := range gaps {
		ways[0] = append(ways[0], gaps[i:i+1])
		for j := i + 1; j < len(gaps); j++ {
			ways[1] = append(ways[1], []gap{gaps[i], gaps[j]})
		}
	}
	if len(gaps) > 2 {
		ways[2] = append(ways[2], gaps)
	}
	return ways
}

// readPrint finds the dates and periods in p. Label and text are read as one print, with
// the label first. Nothing is left over: where digits beside a date are not part of it, or a
// space may be none, the readings without it count too. If just one reading uses all digits
// it is the date, else the date is doubtful, with the readings.
func readPrint(p Printed, hint Hint) findings {
	label := plain(p.Label)
	text := label + "\n" + plain(p.Text)
	found, gaps := read(text, len(label), hint)
	unread := found.unclean != "" || !found.says()
	var others []findings
	for _, ways := range closings(gaps) {
		for _, closed := range ways {
			other, _ := read(closeGaps(text, closed...), len(label)-closedBefore(len(label), closed), hint)
			same := func(f findings) bool { return f.signature() == other.signature() }
			if other.unclean == "" && other.dated(unread) && !same(found) && !slices.ContainsFunc(others, same) {
				others = append(others, other)
			}
		}
		if len(others) > 0 {
			break
		}
	}
	switch {
	case unread && len(others) == 1:
		found = others[0]
	case found.unclean != "" || len(others) > 0:
		found.doubtAll(others)
	}
	if !found.says() {
		if run := readRunOn(text, len(label), hint); len(run.matches) > 0 {
			found = run
		}
	}
	found.raw, found.locale = p.Text, localeOrderOf(hint, nil)
	for i := range found.matches {
		found.matches[i].raw = p.Text
	}
	return found
}

// closedBefore returns how many bytes of a label are lost by closing gaps.
func closedBefore(label int, closed []gap) (n int) {
	for _, g := range closed {
		if g.to <= label {
			n += g.to - g.from
		}
	}
	return n
}

// dated reports whether there is a date that counts as another reading of a print: one
// without a sign between its numbers only if the print is not read otherwise.
func (p findings) dated(otherwiseUnread bool) bool {
	return slices.ContainsFunc(p.matches, func(f match) bool {
		return len(f.readings) > 0 && f.fault == nil && (f.confidence == fullConfidence || otherwiseUnread) || f.period != "" && otherwiseUnread
	})
}

// says reports whether p has a date or a period.
func (p findings) says() bool {
	return slices.ContainsFunc(p.matches, func(f match) bool { return len(f.readings) > 0 || f.period != "" })
}

// signature is what p says, for comparison.
func (p findings) signature() string {
	var s strings.Builder
	for _, f := range p.matches {
		fmt.Fprint(&s, f.readings, f.period, f.fault != nil, f.kind, ";")
	}
	return s.String()
}

// doubtAll makes the dates of p doubtful, and adds the readings of others to the one that
// counts.
func (p *findings) doubtAll(others []findings) {
	why := p.unclean
	if why == "" {
		why = "a space may be a gap in the print"
	}
	if !p.says() && len(others) > 0 {
		p.matches, others = others[0].matches, others[1:]
	}
	for i := range p.matches {
		f := &p.matches[i]
		f.doubt = why
		for _, other := range others {
			if len(other.matches) == len(p.matches) && f.period == "" && len(f.readings) > 0 {
				f.readings, _ = readings(1, append(slices.Clone(f.readings), other.matches[i].readings...)...)
			}
		}
	}
}

// leftOver says what a print has beside its dates that may be part of them; "" if nothing.
func (t *tokens) leftOver(matches []match) string {
	for _, f := range matches {
		for _, j := range []int{f.at - 1, f.to} {
			if t.fragment(f, j) {
				return fmt.Sprintf("%q stands beside the date and is not used", t.items[j].text)
			}
		}
		if len(f.readings) > 0 && f.readings[0].month == 0 && t.besideYear(f) {
			return "only a year is read, and more is printed"
		}
	}
	return ""
}

// fragment reports whether item j, beside f, is a number that may belong to it: of one or
// two digits, or such that it completes a number of two or four.
func (t *tokens) fragment(f match, j int) bool {
	if !t.free(max(j, 0)) || j < 0 || !t.items[j].number || f.kind == PeriodAfterOpening {
		return false
	}
	after := j >= f.to
	space, inner := t.items[f.at], t.items[f.at]
	if after {
		space, inner = t.items[j], t.items[f.to-1]
	}
	if space.line || space.gap != " " {
		return false
	}
	if j+1 < len(t.items) && after && !t.items[j+1].number && (quantities[t.items[j+1].text] || t.items[j+1].gap == "") {
		return false // 500 g, 12B
	}
	n := len(t.items[j].text)
	return n <= 2 || inner.number && n+len(inner.text) == 4
}

// besideYear reports whether there are numbers or words that are not known beside a year.
func (t *tokens) besideYear(f match) bool {
	for j := range t.items {
		it := t.items[j]
		if j >= f.at && j < f.to || t.taken[j] {
			continue
		}
		if it.number || (j == f.at-1 || j == f.to) && !it.line && !t.known(j) && !isJoined(firstOf(it.text)) {
			return true
		}
	}
	return false
}

// readRunOn reads a date that begins with the year and runs into a time or a number behind
// it: 2025.12.1207. It is always doubtful.
func readRunOn(text string, label int, hint Hint) findings {
	items, _ := split(text)
	for i := 2; i < len(items); i++ {
		y, m, d := items[i-2], items[i-1], items[i]
		if y.number && m.number && d.number && len(y.text) == 4 && len(m.text) == 2 && len(d.text) > 2 && d.gap == m.gap && len(d.gap) == 1 && d.gap != " " {
			found, _ := read(text[:d.at+2]+" "+strings.Repeat("x", len(d.text)-2)+text[d.at+len(d.text):], label, hint)
			for j := range found.matches {
				found.matches[j].doubt = "other digits follow the date without a space"
			}
			return found
		}
	}
	return findings{}
}
