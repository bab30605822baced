package expiry

import "unicode/utf8"

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
	for t.free(j) && filler()[t.items[j].text] && t.free(j+1) && !(t.items[j-1].number && t.items[j+1].number && monthTwo()[t.items[j].text] > 0) {
		j++
	}
	return j
}

// monthAt returns the month that item j names, 0 if none.
func (t *tokens) monthAt(j int) int {
	if !t.free(j) || t.items[j].number {
		return 0
	}
	return months()[t.items[j].text]
}

// linked reports whether the characters between item j and the one before it are allowed in
// a date.
func (t *tokens) linked(j int) bool {
	gap := t.items[j].gap
	return joined(gap) || gap == "°" || gap == "º"
}

func (t *tokens) monthLeads(i int) (match, bool) {
	m, a := t.monthAt(i), t.next(i)
	if m == 0 || !t.num(a, 1, 2, 4) || !t.linked(a) {
		return match{}, false
	}
	s := t.items[a].text
	if b := t.next(a); len(s) < 4 && t.num(b, 2, 4) && t.linked(b) && t.alone(i, b+1, "", fullConfidence) {
		return t.dayFound(b+1, day{yearOf(t.items[b].text), m, number(s)})
	}
	if b := a + 1; len(s) == 2 && t.free(b) && units()[t.items[b].text] {
		return match{}, false
	}
	switch {
	case len(s) == 4:
		return t.monthFound(a+1, fullConfidence, day{year: yearOf(s), month: m})
	case len(s) == 2 && number(s) >= firstShortYear && number(s) <= lastShortYear:
		return t.monthFound(a+1, lowConfidence, day{year: yearOf(s), month: m})
	}
	return match{to: a + 1, confidence: lowConfidence, fault: &fault{NoYear, "a day and a month"}}, true
}

func (t *tokens) yearLeads(i, m int) (match, bool) {
	if !t.free(m) || !t.linked(m) {
		return match{}, false
	}
	month := t.monthAt(m)
	if d := m + 1; t.num(d, 1, 2) && t.linked(d) && t.alone(i, d+1, "", fullConfidence) {
		if month == 0 {
			month = monthTwo()[t.items[m].text]
		}
		if month > 0 {
			return t.dayFound(d+1, day{yearOf(t.items[i].text), month, number(t.items[d].text)})
		}
	}
	if month == 0 {
		return match{}, false
	}
	return t.monthFound(m+1, fullConfidence, day{year: yearOf(t.items[i].text), month: month})
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
		return match{to: m + 1, confidence: lowConfidence, fault: &fault{NoYear, "a day and a month"}}, true
	}
	return t.dayNamed(i, month, y)
}

// dayNamed matches a date with the month's name in the middle. Canadian dates begin with
// the year, possibly in two digits.
func (t *tokens) dayNamed(i, month, y int) (match, bool) {
	a, b := t.items[i].text, t.items[y].text
	dayLeads := day{yearOf(b), month, number(a)}
	if !t.locale.canada || len(a) != 2 || len(b) != 2 {
		return t.dayFound(y+1, dayLeads)
	}
	return t.dayFound(y+1, day{yearOf(a), month, number(b)}, dayLeads)
}

// codedMonth returns a month in Roman numerals (31.XII.2026), or in Canada's letters (26 JN
// 05).
func (t *tokens) codedMonth(i, m, y int) int {
	word := t.items[m].text
	if t.locale.canada && utf8.RuneCountInString(word) == 2 {
		return monthTwo()[word]
	}
	if gap := t.items[m].gap; gap == t.items[y].gap && gap != "" && (gap != " " || len(t.items[y].text) == 4) {
		return monthRoman()[word]
	}
	return 0
}

// dayFound returns the match of full dates up to item `to`.
func (t *tokens) dayFound(to int, days ...day) (match, bool) {
	found, wrong := readings(3, days...)
	return match{to: to, readings: t.locale.near(found), fault: wrong}, true
}

// monthFound returns the match of a month up to item `to`.
func (t *tokens) monthFound(to int, w confidence, d day) (match, bool) {
	found, wrong := readings(2, d)
	return match{to: to, readings: found, fault: wrong, confidence: w}, true
}
