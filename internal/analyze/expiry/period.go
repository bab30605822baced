package expiry

import (
	"fmt"
	"strings"
	"time"
)

// A period is a duration in ISO 8601: P12M, P2Y, P30D, P2W.
type period string

// quantities are units that make a number before them one.
var quantities = set("g gr kg mg mcg l cl ml dl oz lb lbs fl pcs pc stk x eur euro usd won krw chf kcal kj cal cm mm2 km ct count findings stück uds units 원 円 元 개 個 个 정 병 봉 입")

// set returns the words of s, as in a plain text.
func set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(fold(s)) {
		m[w] = true
	}
	return m
}

// longestOpen is the largest number of months in the symbol of an open jar.
const longestOpen = 60

// longest is the longest shelf life by unit.
var longest = map[string]int{"D": 999, "W": 250, "M": 120, "Y": 10}

// spell matches a period: 12 months, 30 mois, 12개월, or the 12M in an open jar.
func (t *tokens) spell(i int) (match, bool) {
	if !t.num(i, 1, 2, 3) || !t.free(i+1) || t.items[i+1].number || !joined(t.items[i+1].gap) {
		return match{}, false
	}
	n, word := number(t.items[i].text), t.items[i+1].text
	unit, f := words().units[word], match{to: i + 2}
	jar := word == "m" && n <= longestOpen && t.ends(i+2)
	if jar {
		unit = "M"
	}
	if n < 1 || n > longest[unit] {
		return match{}, false
	}
	if jar || t.nearOpening(i) {
		f.kind = PeriodAfterOpening
	}
	f.period = period(fmt.Sprintf("P%d%s", n, unit))
	return f, true
}

// nearOpening reports whether words near item i, up to the next numbers on both sides,
// mention opening the pack.
func (t *tokens) nearOpening(i int) bool {
	for j := i - 1; j >= 0 && !t.items[j].number; j-- {
		if words().opened[t.items[j].text] {
			return true
		}
	}
	for j := i + 1; j < len(t.items) && !t.items[j].number; j++ {
		if words().opened[t.items[j].text] {
			return true
		}
	}
	return false
}

// ends reports whether no letter directly follows the item before j.
func (t *tokens) ends(j int) bool {
	return j >= len(t.items) || t.items[j].gap != ""
}

// after returns the end of p after d: the day before the anniversary, and that; of a month
// the month before, and that. A day that the month lacks becomes its last.
func (p period) after(d day) (before, end day) {
	var n int
	var unit byte
	if _, err := fmt.Sscanf(string(p), "P%d%c", &n, &unit); err != nil || d.month == 0 || d.day == 0 && (unit == 'D' || unit == 'W') {
		return day{}, day{}
	}
	switch unit {
	case 'D', 'W':
		if unit == 'W' {
			n *= 7
		}
		return dayOf(d.last().AddDate(0, 0, n-1)), dayOf(d.last().AddDate(0, 0, n))
	case 'Y':
		n *= 12
	}
	first := time.Date(d.year, time.Month(d.month+n), 1, 0, 0, 0, 0, time.UTC)
	end = day{year: first.Year(), month: int(first.Month())}
	if d.day == 0 {
		before = dayOf(first.AddDate(0, -1, 0))
		before.day = 0
		return before, end
	}
	end.day = min(d.day, daysIn(end.year, end.month))
	return dayOf(end.last().AddDate(0, 0, -1)), end
}
