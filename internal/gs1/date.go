package gs1

import (
	"fmt"
	"time"
)

// A Date is YYMMDD as encoded in a symbol. Day 00 means the whole month.
type Date string

// In returns the date as it is meant in thisYear: the year is at most 49 before and 50
// after it (section 7.12). If the symbol names no day, In returns the last of the month. An
// empty or invalid Date gives the zero time.
func (d Date) In(thisYear int) time.Time {
	if d.check() != nil {
		return time.Time{}
	}
	yy, month, day := d.numbers()
	year := thisYear - thisYear%100 + yy
	switch ahead := yy - thisYear%100; {
	case ahead > 50:
		year -= 100
	case ahead < -49:
		year += 100
	}
	if day == 0 {
		return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// HasDay reports whether the symbol names the day.
func (d Date) HasDay() bool { return len(d) == 6 && d[4:] != "00" }

// ISO returns the date in ISO 8601: the day, or the month if the symbol names no day; ""
// for an empty or invalid Date.
func (d Date) ISO(thisYear int) string {
	t := d.In(thisYear)
	switch {
	case t.IsZero():
		return ""
	case d.HasDay():
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01")
}

func (d Date) check() error {
	if len(d) != 6 || !digits(string(d)) {
		return fmt.Errorf("%.20q is no date of the form YYMMDD", string(d))
	}
	yy, month, day := d.numbers()
	last := time.Date(2000+yy, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	if month < 1 || month > 12 || day > last {
		return fmt.Errorf("%s is no date of the form YYMMDD; read the symbol again", string(d))
	}
	return nil
}

func (d Date) numbers() (yy, month, day int) {
	two := func(i int) int { return int(d[i]-'0')*10 + int(d[i+1]-'0') }
	return two(0), two(2), two(4)
}
