package expiry

import (
	"fmt"
	"slices"
	"strings"
)

// triple matches a date of three numbers: 31.12.2026, 2026-12-31, 31/12/26. Separators may
// differ if the year has four digits.
func (t *tokens) triple(i int) (match, bool) {
	if !t.num(i, 1, 2, 4) || !t.num(i+1, 1, 2) || !t.num(i+2, 1, 2, 4) {
		return match{}, false
	}
	a, b, c, sep := t.items[i].text, t.items[i+1].text, t.items[i+2].text, t.sign(i+1)
	full := len(a) == 4 || len(c) == 4
	w := fullConfidence
	if !full && sep == " " {
		w = lowestConfidence
	}
	switch {
	case sep == "", t.sign(i+2) == "", sep != t.sign(i+2) && !full, len(a) == 4 && len(c) == 4, len(a)+len(c) < 3:
		return match{}, false
	case len(a) != 4 && len(c) == 1, !t.alone(i, i+3, sep, w):
		return match{}, false
	}
	found, wrong := t.locale.triple(a, b, c)
	return match{to: i + 3, readings: found, fault: wrong, confidence: w}, true
}

// pair matches a month and a year: 12/2026, 2026-12, 12/26. Two numbers that may also be a
// day and a month are taken as having no year.
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
		f.readings, f.fault = readings(2, day{year: yearOf(a), month: number(b)})
	case len(b) == 4:
		f.readings, f.fault = readings(2, day{year: yearOf(b), month: number(a)})
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
// year, as on cosmetics and cans everywhere. In countries that write years first, the year
// may come first.
func (h localeOrder) short(a, b, sep string) ([]day, *fault) {
	x, y := number(a), number(b)
	months := len(b) == 2 && (len(a) == 2 || strings.Contains("/-", sep)) && 1 <= x && x <= 12 && 12 < y && firstShortYear <= y && y <= lastShortYear
	years := len(a) == 2 && 12 < x && x <= lastShortYear && 1 <= y && y <= 12
	asian := h.sure == yearFirst
	switch {
	case years && (asian || h.known && !h.yearLast && h.sure == anyOrder):
		return []day{{year: 2000 + x, month: y}}, nil
	case months && !(asian && y <= 31):
		return []day{{year: 2000 + y, month: x}}, nil
	case 1 <= min(x, y) && min(x, y) <= 12 && max(x, y) <= 31:
		return nil, &fault{NoYear, fmt.Sprintf("%s and %s may be a day and a month", a, b)}
	}
	return nil, nil
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
		if o == yearFirst {
			days = append(days, day{number(s[:4]), number(s[4:6]), number(s[6:])})
		} else if d, ok := inOrder(o, s[:2], s[2:4], s[4:]); ok {
			days = append(days, d)
		}
	}
	return h.certain(readings(3, days...))
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
		d, ok := inOrder(o, s[:2], s[2:4], s[4:])
		switch {
		case ok && o == yearFirst:
			days = append(days, endOfMonth(d))
		case ok && o == monthFirst && h.orders[0] != monthFirst:
			months = append(months, d) // rare elsewhere; 092026 is a month
		case ok:
			days = append(days, d)
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
	whole, _ := readings(2, day{year: number(s[:4]), month: number(s[4:])}, day{year: number(s[2:]), month: number(s[:2])})
	others, _ := readings(3, rare...)
	found = slices.Concat(found, whole, others)
	if len(found) > 0 {
		return h.near(found), nil
	}
	return nil, wrong
}

// certain keeps only the first reading if the print itself names the order.
func (h localeOrder) certain(found []day, wrong *fault) ([]day, *fault) {
	if h.sure != anyOrder && len(found) > 1 {
		return found[:1], wrong
	}
	return h.near(found), wrong
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
	found, wrong := readings(1, day{year: y})
	w := lowestConfidence
	if wrong != nil {
		w = lowConfidence // report it as an implausible year
	}
	return match{to: i + 1, readings: found, fault: wrong, confidence: w}, true
}
