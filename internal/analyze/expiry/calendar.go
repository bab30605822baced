package expiry

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// The range of years that a print may name.
const (
	firstYear = 1990
	lastYear  = 2100
)

// A day is a calendar date. Without a day it means a month, without a month a year.
type day struct {
	year, month, day int
	converted        bool // from a calendar that is not known to be the print's, or not to the day
}

// String is d in ISO 8601.
func (d day) String() string {
	switch d.precision() {
	case ToYear:
		return fmt.Sprintf("%04d", d.year)
	case ToMonth:
		return fmt.Sprintf("%04d-%02d", d.year, d.month)
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day)
}

func (d day) precision() Precision {
	switch {
	case d.month == 0:
		return ToYear
	case d.day == 0:
		return ToMonth
	}
	return ToDay
}

// last returns the last day of d.
func (d day) last() time.Time {
	switch d.precision() {
	case ToYear:
		return time.Date(d.year, 12, 31, 0, 0, 0, 0, time.UTC)
	case ToMonth:
		return time.Date(d.year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// first returns the first day of d.
func (d day) first() time.Time {
	return time.Date(d.year, time.Month(max(d.month, 1)), max(d.day, 1), 0, 0, 0, 0, time.UTC)
}

// dayOf returns the date of t.
func dayOf(t time.Time) day {
	return day{year: t.Year(), month: int(t.Month()), day: t.Day()}
}

// A fault says why a print in the form of a date is not a date.
type fault struct{ code, detail string }

// fault returns what is wrong with d, nil if it is valid. Parts is how many parts the print
// has; zero means no month and no day.
func (d day) fault(parts int) *fault {
	switch {
	case parts > 1 && (d.month < 1 || d.month > 12):
		return &fault{ImpossibleDate, fmt.Sprintf("there is no month %d", d.month)}
	case parts > 2 && (d.day < 1 || d.day > daysIn(d.year, d.month)):
		return &fault{ImpossibleDate, fmt.Sprintf("%04d-%02d has no day %d", d.year, d.month, d.day)}
	case d.year < firstYear || d.year > lastYear:
		return &fault{ImplausibleYear, fmt.Sprintf("the year %d is not one of %d to %d", d.year, firstYear, lastYear)}
	}
	return nil
}

// lacking reports whether the month has no such day, such as 31 February. If the likeliest
// order of a print gives such a day, the print is misread or misprinted; other orders are
// not tried.
func (d day) lacking() bool {
	return 1 <= d.month && d.month <= 12 && daysIn(d.year, d.month) < d.day && d.day <= 31
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// number returns the value of digits, -1 for more than nine digits.
func number(digits string) int {
	if len(digits) > 9 {
		return -1
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// A calendar turns a date of its own into days: two for a month that has parts of two.
type calendar func(year, month, dayOfMonth int) []day

// since returns a calendar that differs in its first year only: Buddhist years, those of
// Taiwan and of Japan's eras.
func since(before int) calendar {
	return func(y, m, d int) []day { return []day{{year: y + before, month: m, day: d}} }
}

// solar is the calendar of Iran. The years in a cycle of 33 that are leap years hold for
// 1343 to 1472.
func solar(y, m, d int) []day {
	start := time.Date(2021, 3, 21, 0, 0, 0, 0, time.UTC) // 1400-01-01
	for ; y > 1400; y-- {
		start = start.AddDate(0, 0, solarDays(y-1))
	}
	for ; y < 1400; y++ {
		start = start.AddDate(0, 0, -solarDays(y))
	}
	return elsewhere(start, m, d, func(m int) int {
		if m <= 6 {
			return 31
		}
		return 30
	})
}

func solarDays(y int) int {
	if slices.Contains([]int{1, 5, 9, 13, 17, 22, 26, 30}, y%33) {
		return 366
	}
	return 365
}

// hijri is the lunar calendar by its common table, which may differ by a day from what is
// seen, and from Saudi Arabia's.
func hijri(y, m, d int) []day {
	epoch := time.Date(622, 7, 19, 0, 0, 0, 0, time.UTC)
	start := epoch.AddDate(0, 0, (y-1)*354+(3+11*y)/30)
	days := elsewhere(start, m, d, func(m int) int { return 30 - (m+1)%2 })
	for i := range days {
		days[i].converted = true
	}
	return days
}

// elsewhere returns the days of a month and a day in a year that begins at start and whose
// months have those lengths.
func elsewhere(start time.Time, month, d int, length func(month int) int) []day {
	switch {
	case month == 0:
		return []day{{year: start.Year() + 1}, {year: start.Year()}}
	case month < 0 || month > 12 || d > length(month)+1:
		return []day{{year: start.Year(), month: 13}}
	}
	for m := 1; m < month; m++ {
		start = start.AddDate(0, 0, length(m))
	}
	if d > 0 {
		return []day{dayOf(start.AddDate(0, 0, d-1))}
	}
	a, b := dayOf(start), dayOf(start.AddDate(0, 0, length(month)-1))
	a.day, b.day = 0, 0
	return []day{b, a}
}

// readings returns the days that exist, without duplicates, or if none does the fault of
// the first. An implausible year is reported in preference to an impossible date, because
// it is closer to a date.
func readings(parts int, days ...day) ([]day, *fault) {
	var found []day
	var wrong *fault
	for _, d := range days {
		f := d.fault(parts)
		switch {
		case f == nil && !slices.Contains(found, d):
			found = append(found, d)
		case f != nil && (wrong == nil || wrong.code == ImpossibleDate && f.code == ImplausibleYear):
			wrong = f
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, wrong
}
