package analyze

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// expirationDate is the expiry date among dates as YYYY.MM.DD, "" when there is
// none whose day is certain. A labelled production date is never one; of several
// that remain the latest counts.
func expirationDate(dates []Date) string {
	latest := ""
	for _, d := range dates {
		if produced(d.Label) {
			continue
		}
		latest = max(latest, certainDay(d.Text))
	}
	return latest
}

// produced reports a label of a day of production or packing.
func produced(label string) bool {
	label = strings.ToLower(label)
	for _, word := range []string{"제조", "생산", "포장", "製造", "mfg", "mfd", "manufactur", "produced", "production", "prod.", "packed", "packaged", "pkd", "made on", "hergestellt", "fabriqu"} {
		if strings.Contains(label, word) {
			return true
		}
	}
	return false
}

var (
	yearFirst = regexp.MustCompile(`(?:^|\D)((?:19|20)\d{2})\s?[./년-]\s?(\d{1,2})\s?[./월-]\s?(\d{1,2})(?:\D|$)`)
	yearLast  = regexp.MustCompile(`(?:^|\D)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?((?:19|20)\d{2})(?:\D|$)`)
)

// certainDay is the day that s names, as YYYY.MM.DD, "" when it names none or
// its day and month could be taken for one another.
func certainDay(s string) string {
	if m := yearFirst.FindStringSubmatch(s); m != nil {
		return day(m[1], m[2], m[3])
	}
	m := yearLast.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	dayFirst, monthFirst := day(m[3], m[2], m[1]), day(m[3], m[1], m[2])
	if dayFirst == "" || dayFirst == monthFirst {
		return monthFirst
	}
	if monthFirst == "" {
		return dayFirst
	}
	return ""
}

// day is a date of the calendar as YYYY.MM.DD, "" for one that does not exist.
func day(year, month, dayOfMonth string) string {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(dayOfMonth)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Year() != y || int(t.Month()) != m || t.Day() != d {
		return ""
	}
	return fmt.Sprintf("%04d.%02d.%02d", y, m, d)
}
