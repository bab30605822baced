package expiry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
)

// What is known of each language, by file.
func TestDocsLanguages(t *testing.T) {
	var table strings.Builder
	table.WriteString("| language | a month | best before, use by, expiry | production | a period |\n| --- | --- | --- | --- | --- |\n")
	first := func(words []string, n int) string {
		words = slices.Clone(words[:min(n, len(words))])
		for i, w := range words {
			words[i] = strings.ReplaceAll(w, "*", "…")
		}
		return strings.Join(words, ", ")
	}
	all := slices.SortedFunc(slices.Values(languages()), func(a, b language) int { return strings.Compare(a.name(), b.name()) })
	for _, l := range all {
		months := append(l.months("months")[2], l.months("whole months")[2]...)
		end := slices.DeleteFunc([]string{first(l.words["best_before"], 2), first(l.words["use_by"], 1), first(l.words["expiry"], 2)}, func(s string) bool { return s == "" })
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", l.name(), first(months, 2), strings.Join(end, "; "), first(l.words["production"], 2), first(slices.Concat(l.words["day"], l.words["month"], l.words["year"]), 4))
	}
	docs.Section(t, "dates.md", "languages", table.String())
}

// What packs of each country print, and what is read.
func TestDocsCountries(t *testing.T) {
	type row struct {
		packs, right int
		print, read  string
	}
	rows := map[string]*row{}
	for _, p := range packs(t) {
		r := rows[p.hint.Country]
		if r == nil {
			r = &row{}
			rows[p.hint.Country] = r
		}
		r.packs++
		got := choice(p.dates, p.hint)
		if sameDate(got, p.want) {
			r.right++
		}
		if print := asPrinted(p.dates); strings.Count(print, "·") > strings.Count(r.print, "·") || r.print == "" {
			r.print, r.read = print, got
		}
	}
	var table strings.Builder
	table.WriteString("| country | packs | right | one of them | read as |\n| --- | --- | --- | --- | --- |\n")
	packs, right := 0, 0
	for _, country := range slices.Sorted(maps.Keys(rows)) {
		r := rows[country]
		packs, right = packs+r.packs, right+r.right
		fmt.Fprintf(&table, "| %s | %d | %d | %s | %s |\n", country, r.packs, r.right, r.print, strings.ReplaceAll(r.read, "|", " or "))
	}
	fmt.Fprintf(&table, "| %d | %d | %d | | |\n", len(rows), packs, right)
	docs.Section(t, "dates.md", "countries", table.String())
}

// asPrinted returns the dates of a pack in one line.
func asPrinted(dates []Printed) string {
	var all []string
	for _, d := range dates {
		all = append(all, strings.TrimSpace(d.Label+" "+strings.ReplaceAll(d.Text, "\n", " ")))
	}
	return strings.Join(all, " · ")
}

// How many prints with a space, or without their words, or without a digit, are read.
func TestDocsGaps(t *testing.T) {
	c := countGaps(t)
	docs.Section(t, "dates.md", "gaps", fmt.Sprintf(`| dates in %d forms, eight days each | prints | read as they are | another date without a warning |
| --- | --- | --- | --- |
| with one space where none is, or without the words before or behind | %d | %d | %d |
| with one digit lost (25.04 → 2.04) | %d | | %d |
`, len(printedForms), c.spaces, c.seen, c.silent, c.lost, c.wrong))
}
