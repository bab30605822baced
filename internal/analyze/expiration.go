package analyze

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// expirationDate is the expiry date among dates as YYYY.MM.DD, "" when there is
// none whose day is certain. A date counts when the words beside it say that it is
// one, or when there are no words; of several the latest.
func expirationDate(dates []Date) string {
	latest := ""
	for _, d := range dates {
		if expires(d) {
			latest = max(latest, certainDay(d.Text))
		}
	}
	return latest
}

// Words of the dates by which a product should be used, and of other dates, as
// they are printed.
var (
	expiryWords = []string{"기한", "까지", "유효", "소비", "유통", "賞味", "消費", "exp", "best", "use by", "sell by", "until", "before", "bb",
		"mhd", "haltbar", "verbrauch", "dlc", "ddm", "dluo", "consommer", "consum", "caduc", "venc"}
	otherWords = []string{"제조", "생산", "포장", "製造", "mfg", "mfd", "manufactur", "produced", "production", "prod.", "packed", "packaged",
		"pkd", "made", "hergestellt", "fabriqu", "since", "est."}
)

// expires reports that d is an expiry date as far as the words beside it tell:
// those of its label, or, where it has none, those in its text.
func expires(d Date) bool {
	label := strings.ToLower(d.Label)
	if label != "" {
		return hasAny(label, expiryWords)
	}
	text := strings.ToLower(d.Text)
	return hasAny(text, expiryWords) || !hasAny(text, otherWords)
}

func hasAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// A form is a way to print a date. Day turns the groups of a match into a date,
// "" when it does not exist or its day and month could be taken for one another.
type form struct {
	match *regexp.Regexp
	day   func(groups []string) string
}

const (
	year      = `((?:19|20)\d{2})`
	monthName = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`
)

var forms = []form{
	{regexp.MustCompile(`\b` + year + `\s?[./년-]\s?(\d{1,2})\s?[./월-]\s?(\d{1,2})(?:\D|$)`),
		func(g []string) string { return day(g[1], g[2], g[3]) }},
	{regexp.MustCompile(`\b` + year + `(\d{2})(\d{2})\b`),
		func(g []string) string { return day(g[1], g[2], g[3]) }},
	{regexp.MustCompile(`(?i)\b(\d{1,2})[ .-]*` + monthName + `[ .,-]*` + year + `\b`),
		func(g []string) string { return day(g[3], monthNamed(g[2]), g[1]) }},
	{regexp.MustCompile(`(?i)\b` + monthName + `[ .]*(\d{1,2})[ .,-]+` + year + `\b`),
		func(g []string) string { return day(g[3], monthNamed(g[1]), g[2]) }},
	{regexp.MustCompile(`\b(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?` + year + `\b`),
		func(g []string) string { return unambiguous(day(g[3], g[2], g[1]), day(g[3], g[1], g[2])) }},
}

// certainDay is the last day that s names, as YYYY.MM.DD, "" when it names none
// or one that is not certain: what ends a period, or follows the day of
// production, comes last.
func certainDay(s string) string {
	last, found := -1, ""
	for _, f := range forms {
		matches := f.match.FindAllStringSubmatchIndex(s, -1)
		if len(matches) == 0 {
			continue
		}
		if m := matches[len(matches)-1]; m[0] > last {
			last, found = m[0], f.day(groups(s, m))
		}
	}
	return found
}

// groups are the texts of a match.
func groups(s string, m []int) []string {
	g := make([]string, len(m)/2)
	for i := range g {
		g[i] = s[m[2*i]:m[2*i+1]]
	}
	return g
}

// unambiguous is the one of two readings of a date that exists, or what they
// agree on.
func unambiguous(dayFirst, monthFirst string) string {
	switch {
	case dayFirst == "", dayFirst == monthFirst:
		return monthFirst
	case monthFirst == "":
		return dayFirst
	}
	return ""
}

// monthNamed is the number of a month by the first letters of its English name.
func monthNamed(s string) string {
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	return strconv.Itoa(strings.Index(months, strings.ToLower(s))/3 + 1)
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
