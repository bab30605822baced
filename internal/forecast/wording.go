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

// A measure is what a value measures, as its unit tells.
type measure string

const (
	percents measure = "percent" // humidity and probabilities
	degrees  measure = "degrees"
	speeds   measure = "a speed"
	lows     measure = "the lowest temperature"
	highs    measure = "the highest temperature"
)

// measureOf returns the measure of a formatted value, "" for times and words.
func measureOf(value string) measure {
	switch strings.TrimLeft(value, "-0123456789") {
	case "%":
		return percents
	case "°C", "°F", " K":
		return degrees
	case " m/s", " mph":
		return speeds
	}
	return ""
}

// measuredBy returns the patterns of measures: the words of each, then what may stand between
// them and a slot.
func measuredBy(between, percent, degree, speed, low, high string) map[measure]*regexp.Regexp {
	all := map[measure]*regexp.Regexp{}
	for of, words := range map[measure]string{percents: percent, degrees: degree, speeds: speed, lows: low, highs: high} {
		all[of] = regexp.MustCompile(`(?:^|[^\p{L}])(?:` + words + `)` + between + `\{([a-z_]+)\}`)
	}
	return all
}

// misnamed returns the first slot in a sentence that stands as what its value is no measure
// of, as in "The humidity is {temp}".
func (v vocabulary) misnamed(sentence string, valueOf func(slot string) string) string {
	for named, pattern := range v.measured {
		for _, m := range pattern.FindAllStringSubmatch(folded(sentence), -1) {
			is := measureOf(valueOf(m[1]))
			switch {
			case named == lows && strings.HasSuffix(m[1], "high"), named == highs && strings.HasSuffix(m[1], "low"):
				return m[1]
			case is != "" && is != named && !(is == degrees && (named == lows || named == highs)):
				return m[1]
			}
		}
	}
	return ""
}

// dayPatterns returns the pattern of each name of a day.
func dayPatterns(names map[string]string) map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for day, name := range names {
		all[day] = regexp.MustCompile(name)
	}
	return all
}

// A number is what a word adds to a run, or multiplies it by.
type number struct {
	value  int
	factor bool
}

// number returns the first number in words in text that is not in held.
func (v vocabulary) number(text string, held map[int]bool) string {
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
