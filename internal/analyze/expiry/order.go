package expiry

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// An order of the parts of a date.
type order int

const (
	anyOrder order = iota
	dayFirst
	monthFirst
	yearFirst
)

// The customary order in countries, or else languages. All others begin with the day.
// Canada uses all three orders.
var (
	yearFirstHomes  = list("kr jp cn tw hk mo mn hu lt se ca ir bt")
	monthFirstHomes = list("us ph pr gu pw fm mh")
	languageHomes   = map[string]string{"ko": "kr", "ja": "jp", "zh": "cn", "mn": "mn", "hu": "hu", "lt": "lt", "sv": "se"}
)

// A localeOrder says which orders a print may use, the likeliest first.
type localeOrder struct {
	orders   []order
	sure     order // given by the print itself: its words, or a pattern such as DD/MM/YY beside it
	yearLast bool  // a two-digit year comes last where the pack was seen
	known    bool  // it is known where the pack was seen
	canada   bool
	now      time.Time
}

// localeOrderOf returns the order that hint and the words of a print suggest.
func localeOrderOf(hint Hint, items []item) localeOrder {
	home := homeOf(hint)
	h := localeOrder{orders: []order{dayFirst, monthFirst, yearFirst}, now: hint.Now, known: home != "", canada: home == "ca"}
	h.yearLast = h.known && !yearFirstHomes()[home]
	switch {
	case yearFirstHomes()[home]:
		h.orders = []order{yearFirst, dayFirst, monthFirst}
	case monthFirstHomes()[home]:
		h.orders = []order{monthFirst, dayFirst, yearFirst}
	}
	words := orderOf(items)
	// Packs for several countries have French or Spanish words in America, too.
	if words == dayFirst && (monthFirstHomes()[home] || h.canada) {
		words = anyOrder
	}
	if h.sure = pattern(items); h.sure == anyOrder {
		h.sure = words
	}
	return h
}

// elsewhere is the home of a language with the most common order.
const elsewhere = "-"

// homeOf returns the country of a hint, or that of its language: fr-CA, ko.
func homeOf(hint Hint) string {
	if home := strings.ToLower(strings.TrimSpace(hint.Country)); home != "" || hint.Lang == "" {
		return home
	}
	lang, region, _ := strings.Cut(strings.ToLower(hint.Lang), "-")
	if len(region) == 2 {
		return region
	}
	return cmp.Or(languageHomes[lang], elsewhere)
}

// first returns h's orders with o first.
func (h localeOrder) first(o order) []order {
	if o == anyOrder {
		return h.orders
	}
	rest := slices.DeleteFunc(slices.Clone(h.orders), func(x order) bool { return x == o })
	return append([]order{o}, rest...)
}

// triple returns the readings of three numbers, likeliest first.
func (h localeOrder) triple(a, b, c string) ([]day, *fault) {
	var days []day
	for _, o := range h.first(h.sure) {
		if d, ok := inOrder(o, a, b, c); ok {
			days = append(days, d)
		}
	}
	if len(days) > 0 && days[0].lacking() {
		return nil, days[0].fault(3)
	}
	found, wrong := readings(3, days...)
	if wrong != nil || len(found) < 2 {
		return found, wrong
	}
	if o := h.sure; o != anyOrder {
		if d, ok := inOrder(o, a, b, c); ok && found[0] == d {
			return found[:1], nil
		}
	}
	if d, ok := inOrder(yearFirst, a, b, c); ok && h.yearLast {
		found = h.withoutYearFirst(found, d)
	}
	return h.near(found), nil
}

// inOrder returns the date of three numbers in an order, false if a number has the wrong
// length for its part: years have two or four digits, others one or two.
func inOrder(o order, a, b, c string) (day, bool) {
	y, m, d := a, b, c
	switch o {
	case dayFirst:
		y, d = c, a
	case monthFirst:
		y, m, d = c, a, b
	}
	if len(y) != 2 && len(y) != 4 || len(m) > 2 || len(d) > 2 {
		return day{}, false
	}
	return day{yearOf(y), number(m), number(d)}, true
}

// shelfYears is how many years away the date of a pack in a shop may be.
const shelfYears = 4

// withoutYearFirst drops d, which begins with the year, if that is not the custom, unless
// all other readings are farther from now than shelfYears.
func (h localeOrder) withoutYearFirst(found []day, d day) []day {
	rest := slices.DeleteFunc(slices.Clone(found), func(x day) bool { return x == d })
	for _, x := range rest {
		if h.now.IsZero() || h.yearsOff(x) <= shelfYears {
			return rest
		}
	}
	return found
}

// farYears is a distance from now that no pack's date has.
const farYears = 10

// near drops readings far from now if another is within shelfYears.
func (h localeOrder) near(found []day) []day {
	if h.now.IsZero() || !slices.ContainsFunc(found, func(d day) bool { return h.yearsOff(d) <= shelfYears }) {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(d day) bool { return h.yearsOff(d) > farYears })
}

// yearsOff returns the number of years between d and now.
func (h localeOrder) yearsOff(d day) float64 {
	return d.last().Sub(h.now).Abs().Hours() / 24 / 365.25
}

// partNames are the letters for the parts of a date: a day is J in French and T in German,
// where J means year.
var partNames = map[string]string{
	"d": "d", "dd": "d", "tt": "d", "일": "d", "日": "d", "m": "m", "mm": "m", "월": "m", "月": "m",
	"y": "y", "yy": "y", "yyyy": "y", "aa": "y", "aaaa": "y", "jjjj": "y", "년": "y", "年": "y",
	"jj": "?",
}

// pattern returns the order that a print names beside its date, such as DD/MM/YY or 일/월/년순.
func pattern(items []item) order {
	var parts strings.Builder
	for _, it := range items {
		parts.WriteString(partOf(it.text))
	}
	for _, p := range []struct {
		letters string
		order
	}{{"dmy", dayFirst}, {"?my", dayFirst}, {"dm?", dayFirst}, {"mdy", monthFirst}, {"ymd", yearFirst}} {
		if strings.Contains(parts.String(), p.letters) {
			return p.order
		}
	}
	return anyOrder
}

// partOf returns the letter of the part that word names, or " ".
func partOf(word string) string {
	word = strings.TrimSuffix(strings.TrimSuffix(word, "순"), "順")
	if p, ok := partNames[word]; ok {
		return p
	}
	var parts string
	for _, r := range word {
		parts += cmp.Or(partNames[string(r)], " ")
	}
	if !isEastAsian(firstOf(word)) {
		return " "
	}
	return parts
}
