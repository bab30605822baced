package expiry

import (
	"strings"
	"time"
)

// separators are the characters between the numbers of a date.
const separators = `.-/,:_\・·`

// joined reports whether gap is allowed between the parts of a date.
func joined(gap string) bool {
	return gap == "" || gap == " " || gap == "'" || gap == ".-" || gap == ".," || len([]rune(gap)) == 1 && strings.Contains(separators, gap)
}

// sign returns the separator before item j, "" if it is not one between numbers.
func (t *tokens) sign(j int) string {
	if gap := t.items[j].gap; gap != "" && joined(gap) {
		return gap
	}
	return ""
}

// alone reports whether items i to `to` are not part of something longer: a chain of
// numbers, a code with letters, an amount of money, a quantity.
func (t *tokens) alone(i, to int, sep string, w confidence) bool {
	switch {
	case strings.ContainsAny(t.items[i].gap, "€$£¥₩+%©®"), strings.ContainsAny(t.gapAt(to), "€$£¥₩%"):
		return false
	case i > 0 && t.items[i].gap == "" && !t.announces(i-1, w):
		return false
	case i > 0 && !t.taken[i-1] && t.items[i-1].number && t.chained(i, min(i+1, to-1), sep, w):
		return false
	case to >= len(t.items):
		return true
	case t.items[to].number:
		return t.taken[to] || !t.chained(to, to-1, sep, w)
	}
	return w == fullConfidence || t.lotWord(to) || !quantities[t.items[to].text] && (t.items[to].gap != "" || t.known(to))
}

// chained reports whether item j continues the number before it, with the separators used
// before item inner. White space alone separates, except for dates of low confidence.
func (t *tokens) chained(j, inner int, sep string, w confidence) bool {
	gap := t.items[j].gap
	if w == fullConfidence && t.items[j].spaced != t.items[inner].spaced {
		return false
	}
	return gap == sep && (gap != " " || w > fullConfidence) || w > fullConfidence && gap != "" && gap != " " && len(gap) == 1 && strings.Contains(separators, gap)
}

// announces reports whether a date may follow item j without a space: after a label, a
// month or, if nothing else looks like the date, any known word. After other words it would
// be a code.
func (t *tokens) announces(j int, w confidence) bool {
	word := t.items[j].text
	return t.items[j].number || isJoined(firstOf(word)) || len(t.items[j].labels) > 0 || words().months[word] > 0 || eras[word] > 0 || w == fullConfidence && t.known(j)
}

// gapAt returns the characters before item j, or after the last item.
func (t *tokens) gapAt(j int) string {
	if j < len(t.items) {
		return t.items[j].gap
	}
	return t.tail
}

// bracketed reports whether item i is in brackets of its own, like GS1's application
// identifiers: (17)261231.
func (t *tokens) bracketed(i int) bool {
	return strings.HasSuffix(t.items[i].gap, "(") && strings.HasPrefix(t.gapAt(i+1), ")")
}

// identifiers are GS1's application identifiers for dates (General Specifications, section
// 3.4). Due dates (12) belong to invoices.
var identifiers = map[string]Kind{"11": Production, "13": Production, "15": BestBefore, "16": Expiry, "17": Expiry}

// gs1 matches an element string: (17)261231. Day 00 means the last of the month.
func (t *tokens) gs1(i int) (match, bool) {
	kind := identifiers[t.items[i].text]
	if kind == "" || !t.bracketed(i) || !t.num(i+1, 6) {
		return match{}, false
	}
	s := t.items[i+1].text
	found, wrong := readings(3, endOfMonth(day{year: gs1Year(t.locale.now, s[:2]), month: number(s[2:4]), day: number(s[4:])}))
	return match{to: i + 2, readings: found, fault: wrong, kind: kind}, true
}

// gs1Year returns the year of two digits as GS1 counts (General Specifications, section 7.12):
// 50 years around now.
func gs1Year(now time.Time, digits string) int {
	y := 2000 + number(digits)
	if now.IsZero() {
		return y
	}
	for ; y-now.Year() > 50; y -= 100 {
	}
	return y
}

// endOfMonth returns d with day 0 replaced by the last of the month.
func endOfMonth(d day) day {
	if d.day == 0 && 1 <= d.month && d.month <= 12 {
		d.day = daysIn(d.year, d.month)
	}
	return d
}

// eras are the years before the first year of an era.
var eras = map[string]int{"令和": 2018, "平成": 1988, "昭和": 1925, "民国": 1911, "民國": 1911, "r": 2018, "h": 1988}

// era matches a Japanese or Taiwanese date: 令和8年12月31日, R8.12.31.
func (t *tokens) era(i int) (match, bool) {
	name := t.items[i].text
	for e := range eras {
		if isEastAsian(firstOf(e)) && strings.HasSuffix(name, e) {
			name = e
		}
	}
	if eras[name] == 0 || !t.num(i+1, 1, 2, 3) || !joined(t.items[i+1].gap) {
		return match{}, false
	}
	y := eras[name] + number(t.items[i+1].text)
	if f, ok := t.units(i+1, y); ok {
		return f, true
	}
	if len(name) == 1 && (t.items[i+1].gap != "" || t.items[i+1].text == "0") {
		return match{}, false
	}
	return t.eraTriple(i+1, y)
}

// eraTriple matches the rest of an era's date in numbers, with its year at item i.
func (t *tokens) eraTriple(i, y int) (match, bool) {
	if !t.num(i+1, 1, 2) || t.sign(i+1) == "" || !t.num(i+2, 1, 2) || t.sign(i+2) != t.sign(i+1) || !t.alone(i, i+3, t.sign(i+1), fullConfidence) {
		return match{}, false
	}
	found, wrong := readings(3, day{year: y, month: number(t.items[i+1].text), day: number(t.items[i+2].text)})
	return match{to: i + 3, readings: found, fault: wrong}, true
}

// unit matches a date with named parts: 2026년 12월 31일.
func (t *tokens) unit(i int) (match, bool) {
	if t.num(i, 4) || t.num(i, 2) && t.unitAt(i+2) == "m" {
		for _, y := range t.locale.years(t.items[i].text) {
			if f, ok := t.units(i, y.ours); ok {
				return f, true
			}
		}
	}
	if !t.num(i, 1, 2) || t.unitAt(i) != "m" {
		return match{}, false
	}
	f := match{to: i + 2, confidence: lowConfidence, fault: &fault{NoYear, "a month without its year"}}
	if t.unitAt(i+2) == "d" {
		f.to = i + 4
		if days, _ := readings(3, t.locale.comingDay(number(t.items[i].text), number(t.items[i+2].text))...); len(days) > 0 {
			f.readings, f.fault = days, nil
		}
	}
	return f, true
}

// units matches a date with named parts and the year y at item i. The day may lack its
// unit.
func (t *tokens) units(i, y int) (match, bool) {
	if t.unitAt(i) != "y" {
		return match{}, false
	}
	d, parts, to := day{year: y}, 1, i+2
	if t.num(to, 1, 2) && t.unitAt(to) == "m" {
		d.month, parts, to = number(t.items[to].text), 2, to+2
		if t.num(to, 1, 2) && (t.unitAt(to) == "d" || t.unitAt(to) == "" && joined(t.items[to].gap) && t.alone(to, to+1, " ", lowConfidence)) {
			d.day, parts, to = number(t.items[to].text), 3, to+1
			if t.unitAt(to-1) == "d" {
				to++
			}
		}
	}
	found, wrong := readings(parts, d)
	return match{to: to, readings: found, fault: wrong}, true
}

// unitAt returns the unit, d, m or y, after the number at item i, or "".
func (t *tokens) unitAt(i int) string {
	if !t.free(i) || !t.free(i+1) || !t.items[i].number || !joined(t.items[i+1].gap) {
		return ""
	}
	switch t.items[i+1].text {
	case "년", "年":
		return "y"
	case "월", "月":
		return "m"
	case "일", "日", "号", "號":
		return "d"
	}
	return ""
}
