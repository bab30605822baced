package expiry

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
)

// An order of the parts of a date.
type order int

const (
	anyOrder order = iota
	dayFirst
	monthFirst
	yearFirst
)

// A localeOrder says which orders and years a print may use, the likeliest first.
type localeOrder struct {
	orders   []order
	sure     order // given by the print itself: its words, or a pattern such as DD/MM/YY beside it
	yearLast bool  // a two-digit year comes last where the pack was seen
	known    bool  // it is known where the pack was seen
	canada   bool
	now      time.Time

	buddhist, solar, hijri, minguo, era bool // how years are counted there, besides from the birth of Christ
	stamped                             bool // a date without words is most likely the day of making
}

// localeOrderOf returns the order that hint and the words of a print suggest.
func localeOrderOf(hint Hint, items []item) localeOrder {
	home := homeOf(hint)
	in := func(custom string) bool { return slices.Contains(countries()[custom], home) }
	h := localeOrder{orders: []order{dayFirst, monthFirst, yearFirst}, now: hint.Now, known: home != "", canada: home == "ca",
		buddhist: in("buddhist years") || homeOf(Hint{Lang: hint.Lang}) == "th" || slices.ContainsFunc(items, func(it item) bool { return unicode.Is(unicode.Thai, firstOf(it.text)) }),
		solar:    in("solar years") || homeOf(Hint{Lang: hint.Lang}) == "ir",
		hijri:    in("hijri years"), minguo: in("minguo years"), era: in("era years"), stamped: in("stamps the day of making")}
	h.yearLast = h.known && !in("year month day")
	switch {
	case in("year month day"):
		h.orders = []order{yearFirst, dayFirst, monthFirst}
	case in("month day year"):
		h.orders = []order{monthFirst, dayFirst, yearFirst}
	}
	said := orderOf(items)
	// Packs for several countries have French or Spanish words in America, too.
	if said == dayFirst && (in("month day year") || h.canada) {
		said = anyOrder
	}
	if h.sure = pattern(items); h.sure == anyOrder {
		h.sure = said
	}
	return h
}

// nowhere is the home of a language with the most common order.
const nowhere = "-"

// homeOf returns the country of a hint, or that of its language: fr-CA, ko.
func homeOf(hint Hint) string {
	if home := strings.ToLower(strings.TrimSpace(hint.Country)); home != "" || hint.Lang == "" {
		return home
	}
	lang, region, _ := strings.Cut(strings.ToLower(hint.Lang), "-")
	switch {
	case len(region) == 2:
		return region
	case lang == "zh" && strings.HasPrefix(region, "hant"):
		return "tw"
	}
	for _, l := range languages() {
		if l.code == lang && len(l.words["home"]) > 0 {
			return l.words["home"][0]
		}
	}
	return nowhere
}

// first returns h's orders with o first.
func (h localeOrder) first(o order) []order {
	if o == anyOrder {
		return h.orders
	}
	rest := slices.DeleteFunc(slices.Clone(h.orders), func(x order) bool { return x == o })
	return append([]order{o}, rest...)
}

// The last years of other calendars that are before the first years of ours.
const (
	buddhistYears = 543 // more than ours
	beforeMinguo  = 1911
	beforeReiwa   = 2018
	beforeHeisei  = 1988
)

// A countedYear is a year of a calendar, and about which of ours it is.
type countedYear struct {
	year    int
	in      calendar
	ours    int
	foreign bool // nothing says that the print counts so
}

// years returns what a year of so many digits may mean: two digits are a year around now,
// in each way of counting of the place; without now, one of our years.
func (h localeOrder) years(digits string) []countedYear {
	n := number(digits)
	ours := func(y int) countedYear { return countedYear{y, since(0), y, false} }
	var all []countedYear
	switch len(digits) {
	case 1:
		return h.inWindow(h.eraYear(n))
	case 2:
		if h.now.IsZero() {
			switch {
			case h.buddhist && n >= 60:
				return []countedYear{{n, since(2500 - buddhistYears), 2500 - buddhistYears + n, false}}
			case n >= 90:
				return []countedYear{ours(1900 + n)}
			}
			return []countedYear{ours(2000 + n)}
		}
		all = append(all, ours(2000+n))
		if h.buddhist {
			all = append(all, countedYear{n, since(2500 - buddhistYears), 2500 - buddhistYears + n, false})
		}
		if h.solar {
			all = append(all, countedYear{1400 + n, solar, 2021 + n, false})
		}
		all = append(append(all, h.eraYear(n)...), ours(1900+n))
		return h.inWindow(all)
	case 3:
		if h.minguo {
			return []countedYear{{n, since(beforeMinguo), beforeMinguo + n, false}}
		}
		return nil
	}
	all = []countedYear{ours(n)}
	lunar := int(math.Round(float64(n)*0.970224 + 621.57))
	switch {
	case 2400 <= n && n <= 2700 && (h.buddhist || !h.now.IsZero()):
		all = append(all, countedYear{n, since(-buddhistYears), n - buddhistYears, !h.buddhist})
	case 1300 <= n && n <= 1500 && (h.solar || h.hijri || !h.now.IsZero()):
		all = append(all, countedYear{n, solar, n + 621, !h.solar}, countedYear{n, hijri, lunar, true})
	}
	if len(all) == 1 || h.now.IsZero() && h.hijri {
		return all[len(all)-1:]
	}
	return h.inWindow(all[1:])
}

// eraYear returns a year of the era in Japan.
func (h localeOrder) eraYear(n int) []countedYear {
	if !h.era || h.now.IsZero() || n == 0 {
		return nil
	}
	before := beforeReiwa
	if h.now.Before(time.Date(2019, 5, 1, 0, 0, 0, 0, time.UTC)) {
		before = beforeHeisei
	}
	return []countedYear{{n, since(before), before + n, false}}
}

// inWindow returns the years that packs of today have, if any is one of them, else the one
// that is closest to today.
func (h localeOrder) inWindow(all []countedYear) []countedYear {
	if h.now.IsZero() || len(all) == 0 {
		return all
	}
	within := slices.DeleteFunc(slices.Clone(all), func(y countedYear) bool {
		return y.ours < h.now.Year()-windowPast || y.ours > h.now.Year()+windowAhead
	})
	off := func(y countedYear) int { return max(y.ours-h.now.Year(), h.now.Year()-y.ours) }
	if len(within) > 0 {
		slices.SortStableFunc(within, func(a, b countedYear) int { return cmp.Compare(off(a), off(b)) })
		return within
	}
	return []countedYear{slices.MinFunc(all, func(a, b countedYear) int { return cmp.Compare(off(a), off(b)) })}
}

// dated returns the days that a year of so many digits, a month and a day may mean.
func (h localeOrder) dated(year string, month, d int) (days []day) {
	for _, y := range h.years(year) {
		for _, found := range y.in(y.year, month, d) {
			found.converted = found.converted || y.foreign
			days = append(days, found)
		}
	}
	return days
}

// The years that the date of a pack may be before and after today.
const (
	windowPast  = 3
	windowAhead = 15
)

// far says that d is not what packs of today have; "" if it is.
func (h localeOrder) far(d day) string {
	switch {
	case h.now.IsZero():
	case d.last().Before(h.now.AddDate(-windowPast, 0, 0)):
		return "the date is more than three years past"
	case d.first().After(h.now.AddDate(windowAhead, 0, 0)):
		return "the date is more than fifteen years ahead"
	}
	return ""
}

// triple returns the readings of three numbers, likeliest first.
func (h localeOrder) triple(a, b, c string) ([]day, *fault) {
	var days []day
	orders := h.first(h.sure)
	for _, o := range orders {
		days = append(days, h.inOrder(o, a, b, c)...)
	}
	if len(days) > 0 && days[0].lacking() {
		return nil, days[0].fault(3)
	}
	found, wrong := readings(3, days...)
	if wrong != nil || len(found) < 2 {
		return found, wrong
	}
	if o := h.sure; o != anyOrder {
		if sure, _ := readings(3, h.inOrder(o, a, b, c)...); len(sure) > 0 && sure[0] == found[0] {
			return h.near(sure), nil
		}
	}
	if d := h.inOrder(yearFirst, a, b, c); len(d) > 0 && h.yearLast {
		found = h.withoutYearFirst(found, d[0])
	}
	return h.near(found), nil
}

// inOrder returns the days of three numbers in an order, none if a number has the wrong
// length for its part: days and months have one digit or two.
func (h localeOrder) inOrder(o order, a, b, c string) []day {
	y, m, d := a, b, c
	switch o {
	case dayFirst:
		y, d = c, a
	case monthFirst:
		y, m, d = c, a, b
	}
	if len(m) > 2 || len(d) > 2 || len(y) == 1 && o != yearFirst {
		return nil
	}
	return h.dated(y, number(m), number(d))
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

// farYears is a distance from now that no pack's date has if another reading is near.
const farYears = 10

// near drops readings that packs of today do not have if another is one of them.
func (h localeOrder) near(found []day) []day {
	close := slices.ContainsFunc(found, func(d day) bool { return h.yearsOff(d) <= shelfYears })
	usual := slices.ContainsFunc(found, func(d day) bool { return h.far(d) == "" })
	if h.now.IsZero() {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(d day) bool {
		return close && h.yearsOff(d) > farYears || usual && h.far(d) != ""
	})
}

// yearsOff returns the number of years between d and now.
func (h localeOrder) yearsOff(d day) float64 {
	return d.last().Sub(h.now).Abs().Hours() / 24 / 365.25
}

// coming returns the next day with that day and month, and the last one that has passed, of
// each order that the print allows. Without now it returns none.
func (h localeOrder) coming(a, b int) (found []day) {
	if h.now.IsZero() {
		return nil
	}
	orders := h.orders
	if h.sure != anyOrder {
		orders = []order{h.sure}
	}
	for _, o := range orders {
		month, d := b, a
		if o != dayFirst {
			month, d = a, b
		}
		found = append(found, h.comingDay(month, d)...)
	}
	found, _ = readings(3, found...)
	return found
}

// comingDay returns the next such day of a month, and the last that has passed.
func (h localeOrder) comingDay(month, d int) (found []day) {
	if month < 1 || month > 12 || d < 1 || h.now.IsZero() {
		return nil
	}
	today := h.now.Truncate(24 * time.Hour)
	for y := today.Year() + 1; y >= today.Year()-1 && len(found) < 2; y-- {
		x := day{year: y, month: month, day: d}
		if x.fault(3) != nil || x.last().After(today.AddDate(1, 0, -1)) {
			continue
		}
		found = append(found, x)
	}
	return found
}

// partNames are the letters for the parts of a date: a day is J in French and T in German,
// where J means year.
var partNames = map[string]string{
	"d": "d", "dd": "d", "day": "d", "tt": "d", "일": "d", "일일": "d", "日": "d", "m": "m", "mm": "m", "month": "m", "월": "m", "월월": "m", "月": "m",
	"y": "y", "yy": "y", "yyyy": "y", "year": "y", "aa": "y", "aaaa": "y", "jjjj": "y", "년": "y", "년년": "y", "연": "y", "年": "y",
	"jj": "?",
}

// pattern returns the order that a print names beside its date, such as DD/MM/YY or 일/월/년순.
func pattern(items []item) order {
	var parts strings.Builder
	for _, it := range items {
		if it.text == "00" {
			continue // 00일00월00년
		}
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
