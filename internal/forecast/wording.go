package forecast

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// valueMark stands in a text where a value will be filled in.
const valueMark = "§"

// vocabularyOf returns the vocabulary of a language by its tag, if there is one.
func vocabularyOf(tag string) (vocabulary, bool) {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	v, ok := vocabularies[base]
	return v, ok
}

func folded(text string) string { return strings.ToLower(norm.NFC.String(text)) }

// A Vocabulary is how a language says numbers and conditions.
type vocabulary struct {
	// spoken finds numbers as words: the run of words is its first group, what they
	// measure, which may be empty, its second.
	spoken *regexp.Regexp
	// bareFrom is the least number that is one without a measure: one of those days is
	// none.
	bareFrom int
	values   map[string]number
	token    *regexp.Regexp // one word of a run
	// clauses ends clauses; what its first group holds stays.
	clauses    *regexp.Regexp
	excused    *regexp.Regexp // of a clause: it claims nothing
	idioms     *regexp.Regexp // what only sounds like a condition
	conditions map[string]*regexp.Regexp
}

// A number is what a word adds to a run, or multiplies it by.
type number struct {
	value  int
	factor bool
}

// Number is the first number that text says in words and held does not have.
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

// value is the number that a run of words says.
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

// Condition is the first condition that a clause of text claims and held does not have.
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
