package forecast

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// valueMark replaces slots in a text that is checked.
const valueMark = "§"

func folded(text string) string { return strings.ToLower(norm.NFC.String(text)) }

// A vocabulary has a language's patterns of numbers and conditions.
type vocabulary struct {
	// spoken matches numbers in words: its first group is the run of words, its second
	// the unit, which may be empty.
	spoken *regexp.Regexp
	// bareFrom is the least number that counts without a unit: "one of those days" is no
	// number.
	bareFrom int
	values   map[string]number
	token    *regexp.Regexp // one word of a run
	// clauses matches the ends of clauses; its first group stays in the text.
	clauses    *regexp.Regexp
	excused    *regexp.Regexp // negated or conditional clauses, which claim nothing
	idioms     *regexp.Regexp // idioms that contain words of conditions
	conditions map[string]*regexp.Regexp
	// measured matches, by measure, a word that names it and the slot for its value, the
	// only group.
	measured map[measure]*regexp.Regexp
}

// A measure is what a value measures, as its unit tells.
type measure string

const (
	percents measure = "percent" // humidity and probabilities
	degrees  measure = "degrees"
	speeds   measure = "a speed"
)

// measureOf returns the measure of a formatted value, "" for times and words.
func measureOf(value string) measure {
	switch unit := strings.TrimLeft(value, "-0123456789"); {
	case unit == value:
		return ""
	case unit == "%":
		return percents
	case unit == "°C", unit == "°F", unit == " K":
		return degrees
	case unit == " m/s", unit == " mph":
		return speeds
	}
	return ""
}

// measuredBy returns the patterns of measures: the words of each, then what may stand between
// them and a slot.
func measuredBy(between, percent, degree, speed string) map[measure]*regexp.Regexp {
	of := func(words string) *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[^\p{L}])(?:` + words + `)` + between + `\{([a-z_]+)\}`)
	}
	return map[measure]*regexp.Regexp{percents: of(percent), degrees: of(degree), speeds: of(speed)}
}

// Misnamed returns the first slot in a sentence that stands as what its value is no measure
// of, as in "The humidity is {temp}".
func (v vocabulary) Misnamed(sentence string, valueOf func(slot string) string) string {
	for named, pattern := range v.measured {
		for _, m := range pattern.FindAllStringSubmatch(folded(sentence), -1) {
			if is := measureOf(valueOf(m[1])); is != "" && is != named {
				return m[1]
			}
		}
	}
	return ""
}

// A number is what a word adds to a run, or multiplies it by.
type number struct {
	value  int
	factor bool
}

// Number returns the first number in words in text that is not in held.
func (v vocabulary) Number(text string, held map[int]bool) string {
	text = folded(text)
	for _, m := range v.spoken.FindAllStringSubmatch(v.idioms.ReplaceAllString(text, " "), -1) {
		n := v.value(m[1])
		if m[2] == "" && n < v.bareFrom || held[n] {
			continue
		}
		return strings.TrimSpace(m[0])
	}
	return ""
}

// value returns the number of a run of words.
func (v vocabulary) value(run string) (n int) {
	for _, word := range v.token.FindAllString(run, -1) {
		if w := v.values[word]; w.factor {
			n = max(n, 1) * w.value
		} else {
			n += w.value
		}
	}
	return n
}

// Condition returns the first condition that a clause of text claims and that is not in
// held.
func (v vocabulary) Condition(text string, held map[string]bool) string {
	text = v.idioms.ReplaceAllString(folded(text), " ")
	for _, clause := range strings.Split(v.clauses.ReplaceAllString(text, "$1\n"), "\n") {
		if v.excused.MatchString(clause) {
			continue
		}
		for group, words := range v.conditions {
			if said := words.FindString(clause); said != "" && !held[group] {
				return strings.TrimSpace(said)
			}
		}
	}
	return ""
}

// numbersOf parses "two=2 hundred=*100": what each word adds, or multiplies by.
func numbersOf(text string) map[string]number {
	all := map[string]number{}
	for _, entry := range strings.Fields(text) {
		word, value, _ := strings.Cut(entry, "=")
		n, factor := number{}, strings.HasPrefix(value, "*")
		for _, digit := range strings.TrimPrefix(value, "*") {
			n.value = 10*n.value + int(digit-'0')
		}
		n.factor = factor
		all[word] = n
	}
	return all
}

// among returns a pattern that matches any of the words, the longest first.
func among(words map[string]number) string {
	all := slices.SortedFunc(maps.Keys(words), func(a, b string) int { return len(b) - len(a) })
	return "(?:" + strings.Join(all, "|") + ")"
}
