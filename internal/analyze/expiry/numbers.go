package expiry

import (
	"fmt"
	"slices"
	"strings"
)

// triple matches a date of three numbers: 31.12.2026, 2026-12-31, 31/12/26. Separators may
// differ if the year has four digits. Where the print's words say that the year comes first,
// it may be that of an era, and the day may have one digit.
func (t *tokens) triple(i int) (match, bool) {
	if !t.num(i, 1, 2, 3, 4) || !t.num(i+1, 1, 2) || !t.num(i+2, 1, 2, 3, 4) {
		return match{}, false
	}
	a, b, c, sep := t.items[i].text, t.items[i+1].text, t.items[i+2].text, t.sign(i+1)
	full := len(a) > 2 || len(c) > 2
	w := fullConfidence
	if !full && sep == " " {
		w = lowestConfidence
	}
	switch {
	case sep == "", t.sign(i+2) == "", sep != t.sign(i+2) && !full, len(a) > 2 && len(c) > 2:
		return match{}, false
	case (len(a) == 3 || len(c) == 3) && !t.locale.minguo, len(a)+len(c) < 3 && !(t.locale.era && t.locale.sure == yearFirst):
		return match{}, false
	case len(a) < 3 && len(c) == 1 && t.locale.sure != yearFirst, !t.alone(i, i+3, sep, w):
		return match{}, false
	}
	found, wrong := t.locale.triple(a, b, c)
	return match{to: i + 3, readings: found, fault: wrong, confidence: w}, len(found) > 0 || wrong != nil
}

// pair matches a month and a year: 12/2026, 2026-12, 12/26, or a day and a month.
func (t *tokens) pair(i int) (match, bool) {
	if !t.num(i, 1, 2, 4) || !t.num(i+1, 1, 2, 4) {
		return match{}, false
	}
	a, b, sep := t.items[i].text, t.items[i+1].text, t.sign(i+1)
	w, apart := lowConfidence, lowConfidence
	if len(a) == 4 || len(b) == 4 {
		w, apart = fullConfidence, fullConfidence
	}
	if sep == " " {
		apart = lowestConfidence
		if w == lowConfidence {
			w = lowestConfidence
		}
	}
	if sep == "" || sep == "," || len(a) == 4 && len(b) == 4 || !t.alone(i, i+2, sep, apart) {
		return match{}, false
	}
	f := match{to: i + 2, confidence: w}
	switch {
	case len(a) == 4:
		f.readings, f.fault = readings(2, t.locale.dated(a, number(b), 0)...)
	case len(b) == 4:
		f.readings, f.fault = readings(2, t.locale.dated(b, number(a), 0)...)
	default:
		f.readings, f.fault = t.locale.short(a, b, sep)
	}
	return f, f.readings != nil || f.fault != nil
}

// Two-digit years of a pair must be within these, otherwise it is a price.
const (
	firstShortYear = 10
	lastShortYear  = 59
)

// short reads two numbers of two digits. If the second is over 12, they are a month and a
// year, as on cosmetics and cans everywhere; where months come first they may be a month
// and a day. In countries that write years first, the year may come first. Else they are a
// day and a month.
func (h localeOrder) short(a, b, sep string) ([]day, *fault) {
	x, y := number(a), number(b)
	months := len(b) == 2 && (len(a) == 2 || strings.Contains("/-", sep)) && 1 <= x && x <= 12 && 12 < y && h.shortYear(y)
	years := len(a) == 2 && 12 < x && h.shortYear(x) && 1 <= y && y <= 12
	asian := h.sure == yearFirst
	var found []day
	switch {
	case years && (asian || h.known && !h.yearLast && h.sure == anyOrder):
		found, _ = readings(2, h.dated(a, y, 0)...)
	case months && !(asian && y <= 31):
		found, _ = readings(2, h.dated(b, x, 0)...)
	case asian && h.era && len(a) == 1 && y <= 12:
		found, _ = readings(2, h.dated(a, y, 0)...)
	}
	if (len(found) == 0 || h.sure == monthFirst || h.sure == anyOrder && (h.orders[0] != dayFirst || !h.known) || asian && len(a) == 1) &&
		sep != " " && 1 <= min(x, y) && min(x, y) <= 12 && max(x, y) <= 31 {
		found = append(found, h.coming(x, y)...)
		if years && len(found) > 0 && h.sure == anyOrder && sep == "-" {
			found = append(found, h.dated(a, y, 0)...)
		}
		if found, _ = readings(2, found...); len(found) == 0 {
			return nil, &fault{NoYear, fmt.Sprintf("%s and %s may be a day and a month", a, b)}
		}
	}
	return h.near(found), nil
}

// shortYear reports whether two digits may be the year of a pack, and not of a price.
func (h localeOrder) shortYear(y int) bool {
	return firstShortYear <= y && y <= lastShortYear || h.buddhist && y >= 60
}

// compact matches a date without separators: 20261231, 31122026, 261231, 202612.
func (t *tokens) compact(i int) (match, bool) {
	if !t.num(i, 6, 8) {
		return match{}, false
	}
	s, sep := t.items[i].text, " "
	if len(s) == 8 {
		sep = "" // two dates may be side by side
	}
	if !t.alone(i, i+1, sep, lowestConfidence) {
		return match{}, false
	}
	f := match{to: i + 1, confidence: lowestConfidence}
	if len(s) == 8 {
		f.readings, f.fault = t.locale.eight(s)
	} else {
		f.readings, f.fault = t.locale.six(s)
	}
	return f, true
}

func (h localeOrder) eight(s string) ([]day, *fault) {
	var days []day
	for _, o := range h.first(h.sure) {
		as := h.inOrder(o, s[:2], s[2:4], s[4:])
		if o == yearFirst {
			as = h.dated(s[:4], number(s[4:6]), number(s[6:]))
		}
		if found, _ := readings(3, as...); o == h.sure && len(found) > 0 {
			return h.near(found), nil
		}
		days = append(days, as...)
	}
	found, wrong := readings(3, days...)
	return h.near(found), wrong
}

// six reads six digits. Unlike dates with separators, they often begin with the year in all
// countries, as in GS1 and on many machines, so all orders are kept.
func (h localeOrder) six(s string) ([]day, *fault) {
	prefer := h.sure
	if prefer == anyOrder && !h.known {
		prefer = yearFirst
	}
	var days, months []day
	for _, o := range h.first(prefer) {
		for _, d := range h.inOrder(o, s[:2], s[2:4], s[4:]) {
			switch {
			case o == yearFirst:
				days = append(days, endOfMonth(d))
			case o == monthFirst && h.orders[0] != monthFirst:
				months = append(months, d) // rare elsewhere; 092026 is a month
			default:
				days = append(days, d)
			}
		}
	}
	if found, _ := readings(3, days...); h.sure == yearFirst && len(found) > 0 && found[0] == days[0] {
		return found[:1], nil
	}
	return h.sixMonth(s, days, months)
}

// sixMonth appends to days the months that six digits may mean, and then rare.
func (h localeOrder) sixMonth(s string, days, rare []day) ([]day, *fault) {
	found, wrong := readings(3, days...)
	whole, _ := readings(2, slices.Concat(h.dated(s[:4], number(s[4:]), 0), h.dated(s[2:], number(s[:2]), 0))...)
	whole = slices.DeleteFunc(whole, func(d day) bool { return d.converted })
	others, _ := readings(3, rare...)
	found = slices.Concat(found, whole, others)
	if len(found) > 0 {
		return h.near(found), nil
	}
	return nil, wrong
}

// year matches a year alone.
func (t *tokens) year(i int) (match, bool) {
	if !t.num(i, 4) || !t.alone(i, i+1, " ", lowestConfidence) {
		return match{}, false
	}
	y := number(t.items[i].text)
	if y < 1800 || y > 2700 || t.free(i+1) && t.items[i+1].text == "w" {
		return match{}, false
	}
	f := match{to: i + 1, confidence: lowestConfidence}
	if f.readings, f.fault = readings(1, t.locale.dated(t.items[i].text, 0, 0)...); f.fault != nil {
		f.confidence = lowConfidence // report it as an implausible year
	}
	return f, true
}
