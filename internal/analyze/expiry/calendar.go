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
type day struct{ year, month, day int }

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

// dayOf returns the date of t.
func dayOf(t time.Time) day {
	return day{t.Year(), int(t.Month()), t.Day()}
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

// yearOf returns the year for two or four digits: 90 to 99 belong to the last century.
func yearOf(digits string) int {
	y := number(digits)
	switch {
	case len(digits) != 2:
		return y
	case y >= 90:
		return 1900 + y
	}
	return 2000 + y
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
