package forecast

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/whatis/internal/public"
)

// errText is the error of a text that does not keep to the payload. It goes on with
// what is wrong, which the model is told.
var errText = public.New("forecast", "the text is refused")

// longestText bounds a text, in runes: four sentences have 500.
const longestText = 1200

var slot = regexp.MustCompile(`\{([a-z_]+)\}`)

// check holds a text to the outlook. Its slots must be those of facts, and outside of
// them no digit of any script may stand; in the languages that vocabularies has, no
// number and no condition either which the payload does not hold. Negated and
// conditional clauses may name any condition.
func (o *outlook) check(text string) error {
	used := 0
	for _, m := range slot.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(o.facts, func(f Fact) bool { return f.Slot == m[1] }) {
			return fmt.Errorf("%w: there is no slot {%s}", errText, m[1])
		}
		used++
	}
	bare := strings.ToLower(norm.NFC.String(slot.ReplaceAllString(text, "§")))
	switch {
	case used == 0:
		return fmt.Errorf("%w: it uses no slot", errText)
	case utf8.RuneCountInString(text) > longestText:
		return fmt.Errorf("%w: it is longer than %d letters", errText, longestText)
	case strings.ContainsAny(bare, "{}"):
		return fmt.Errorf("%w: a brace stands outside of a slot", errText)
	case strings.ContainsFunc(bare, unicode.IsNumber):
		return fmt.Errorf("%w: a digit stands outside of a slot", errText)
	}
	words, ok := o.vocabulary()
	if !ok {
		return nil
	}
	if said := words.number(bare, o.numbers); said != "" {
		return fmt.Errorf("%w: it says %q, which the facts do not hold: use a slot", errText, said)
	}
	if said := words.condition(bare, o.holds); said != "" {
		return fmt.Errorf("%w: it says %q, which the facts do not hold", errText, said)
	}
	return nil
}

// fill puts the values into the slots of a text that was checked, and returns those
// that are spoken.
func (o *outlook) fill(text string) (string, []Fact) {
	spoken := []Fact{}
	for _, f := range o.facts {
		if strings.Contains(text, "{"+f.Slot+"}") {
			text = strings.ReplaceAll(text, "{"+f.Slot+"}", f.Value)
			spoken = append(spoken, f)
		}
	}
	return strings.Join(strings.Fields(text), " "), spoken
}

func (o *outlook) vocabulary() (vocabulary, bool) {
	base, _, _ := strings.Cut(strings.ToLower(o.lang), "-")
	v, ok := vocabularies[base]
	return v, ok
}

// A vocabulary is how a language says numbers and conditions.
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

// number is the first number that text says in words and held does not have.
func (v vocabulary) number(text string, held map[int]bool) string {
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

// condition is the first condition that a clause of text claims and held does not have.
func (v vocabulary) condition(text string, held map[string]bool) string {
	text = v.idioms.ReplaceAllString(text, " ")
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
