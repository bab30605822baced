package expiry

import (
	"strings"
	"unicode/utf8"
)

// The months in Canada's bilingual dates (2026 JN 05), and those in 31.XII.2026.
var (
	monthTwo   = numbered("ja fe mr al ma jn jl au se oc no de")
	monthRoman = numbered("i ii iii iv v vi vii viii ix x xi xii")
)

func numbered(names string) map[string]int {
	m := map[string]int{}
	for i, name := range strings.Fields(names) {
		m[name] = i + 1
	}
	return m
}

// filler words appear between the parts of a date: 31 de diciembre de 2026.
var filler = set("o a de of del d st nd rd th er re the г года")

// named matches a date with a month's name: 31 DEC 2026, Dec 31, 2026, 2026 DEC 31, DEC
// 2026, Dec-26.
func (t *tokens) named(i int) (match, bool) {
	if t.free(i) && !t.items[i].number {
		return t.monthLeads(i)
	}
	m := t.next(i)
	switch {
	case t.num(i, 4):
		return t.yearLeads(i, m)
	case t.num(i, 1, 2):
		return t.dayLeads(i, m)
	}
	return match{}, false
}

// next returns the next item after i that may belong to the date. It skips filler words and
// ordinal suffixes.
func (t *tokens) next(i int) int {
	j := i + 1
	for t.free(j) && filler[t.items[j].text] && t.free(j+1) && !(t.items[j-1].number && t.items[j+1].number && monthTwo[t.items[j].text] > 0) {
		j++
	}
	return j
}

// monthAt returns the month that item j names, 0 if none.
func (t *tokens) monthAt(j int) int {
	if !t.free(j) || t.items[j].number {
		return 0
	}
	return words().months[t.items[j].text]
}

// linked reports whether the characters between item j and the one before it are allowed in
// a date.
func (t *tokens) linked(j int) bool {
	gap := t.items[j].gap
	return joined(gap) || gap == "°" || gap == "º"
}

// romanAt returns the month in Roman numerals at item i before a year, 0 if none. A single
// letter is many other things: it must be joined to its year by a sign, or follow a label. Of
// X II, II is none.
func (t *tokens) romanAt(i int) int {
	if !t.num(i+1, 4) || i > 0 && monthRoman[t.items[i-1].text] > 0 || utf8.RuneCountInString(t.items[i].text) == 1 && strings.TrimSpace(t.items[i+1].gap) == "" && (i == 0 || t.kindAt(i-1).family() == noKind) {
		return 0
	}
	return monthRoman[t.items[i].text]
}

func (t *tokens) monthLeads(i int) (match, bool) {
	m, a := t.monthAt(i), t.next(i)
	if m == 0 {
		if m = t.romanAt(i); m == 0 && t.locale.canada && t.num(i+1, 1, 2) && !t.num(i+2, 1, 2, 4) {
			m = monthTwo[t.items[i].text]
		}
		a = i + 1
	}
	if m == 0 || !t.num(a, 1, 2, 4) || !t.linked(a) {
		return match{}, false
	}
	s := t.items[a].text
	if b := t.next(a); len(s) < 4 && t.num(b, 2, 4) && t.linked(b) && t.alone(i, b+1, "", fullConfidence) {
		return t.dayFound(b+1, t.locale.dated(t.items[b].text, m, number(s))...)
	}
	if b := a + 1; len(s) == 2 && t.free(b) && quantities[t.items[b].text] {
		return match{}, false
	}
	if len(s) == 4 {
		return t.monthFound(a+1, fullConfidence, t.locale.dated(s, m, 0)...)
	}
	return t.monthAndNumber(m, a)
}

// monthAndNumber matches a month and a number of one digit or two: a year, or a day.
func (t *tokens) monthAndNumber(month, a int) (match, bool) {
	f := match{to: a + 1, confidence: lowConfidence}
	s := t.items[a].text
	if t.monthAt(f.to) == month {
		f.to++ // June 28 juin
	}
	marked := t.items[a].gap == "'" || t.items[a].gap == " '"
	if len(s) == 2 && t.locale.shortYear(number(s)) {
		f.readings, f.fault = readings(2, t.locale.dated(s, month, 0)...)
		if !t.locale.now.IsZero() && len(f.readings) > 0 && t.locale.far(f.readings[0]) != "" {
			f.readings = nil
		}
	}
	if !marked {
		days, _ := readings(3, t.locale.comingDay(month, number(s))...)
		f.readings = append(f.readings, days...)
	}
	if len(f.readings) == 0 && f.fault == nil {
		f.fault = &fault{NoYear, "a day and a month"}
	}
	return f, true
}

func (t *tokens) yearLeads(i, m int) (match, bool) {
	if !t.free(m) || !t.linked(m) {
		return match{}, false
	}
	month, year := t.monthAt(m), t.items[i].text
	if d := m + 1; t.num(d, 1, 2) && t.linked(d) && t.alone(i, d+1, "", fullConfidence) {
		if month == 0 {
			month = monthTwo[t.items[m].text]
		}
		if month > 0 {
			return t.dayFound(d+1, t.locale.dated(year, month, number(t.items[d].text))...)
		}
	}
	if month == 0 {
		return match{}, false
	}
	return t.monthFound(m+1, fullConfidence, t.locale.dated(year, month, 0)...)
}

func (t *tokens) dayLeads(i, m int) (match, bool) {
	if !t.free(m) || !t.linked(m) || t.items[m].number {
		return match{}, false
	}
	month, y, to := t.monthAt(m), t.next(m), m+1
	whole := t.num(y, 2, 4) && t.linked(y)
	if whole {
		to = y + 1
	}
	if month == 0 && whole {
		month = t.codedMonth(i, m, y)
	}
	if month == 0 || !t.alone(i, to, "", fullConfidence) {
		return match{}, false
	}
	if !whole {
		f := match{to: to, confidence: lowConfidence, fault: &fault{NoYear, "a day and a month"}}
		if days, _ := readings(3, t.locale.comingDay(month, number(t.items[i].text))...); len(days) > 0 {
			f.readings, f.fault = days, nil
		}
		return f, true
	}
	return t.dayNamed(i, month, y)
}

// dayNamed matches a date with the month's name in the middle. Canadian dates begin with
// the year, possibly in two digits.
func (t *tokens) dayNamed(i, month, y int) (match, bool) {
	a, b := t.items[i].text, t.items[y].text
	dayLeads := t.locale.dated(b, month, number(a))
	if !t.locale.canada || len(a) != 2 || len(b) != 2 {
		return t.dayFound(y+1, dayLeads...)
	}
	return t.dayFound(y+1, append(t.locale.dated(a, month, number(b)), dayLeads...)...)
}

// codedMonth returns a month in Roman numerals (31.XII.2026), or in Canada's letters (26 JN
// 05).
func (t *tokens) codedMonth(i, m, y int) int {
	word := t.items[m].text
	if t.locale.canada && utf8.RuneCountInString(word) == 2 {
		return monthTwo[word]
	}
	if gap := t.items[m].gap; gap == t.items[y].gap && gap != "" && (gap != " " || len(t.items[y].text) == 4) {
		return monthRoman[word]
	}
	return 0
}

// dayFound returns the match of full dates up to item `to`.
func (t *tokens) dayFound(to int, days ...day) (match, bool) {
	found, wrong := readings(3, days...)
	return match{to: to, readings: t.locale.near(found), fault: wrong}, len(found) > 0 || wrong != nil
}

// monthFound returns the match of a month up to item `to`.
func (t *tokens) monthFound(to int, w confidence, days ...day) (match, bool) {
	found, wrong := readings(2, days...)
	return match{to: to, readings: found, fault: wrong, confidence: w}, len(found) > 0 || wrong != nil
}
