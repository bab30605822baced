package forecast

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/usererror"
)

// errText marks a text that does not fit the weather data. Errors that wrap it say what
// is wrong; the model gets them.
var errText = usererror.New("forecast", "the text is refused")

// longestText bounds a text, in runes: four sentences have 500.
const longestText = 1200

var slot = regexp.MustCompile(`\{([a-z_]+)\}`)

// check checks a text against the outlook. Its slots must be those of facts, with no
// digit of any script outside of them; in languages with a vocabulary, it may name no
// number in words and no condition which is not in the data. Negated and conditional
// clauses may name any condition.
func (o *outlook) check(text string) error {
	used := 0
	for _, m := range slot.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(o.facts, func(f Fact) bool { return f.Slot == m[1] }) {
			return fmt.Errorf("%w: there is no slot {%s}", errText, m[1])
		}
		used++
	}
	bare := slot.ReplaceAllString(text, valueMark)
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
	words, ok := vocabularyOf(o.lang)
	if !ok {
		return nil
	}
	if said := words.Number(bare, o.numbers); said != "" {
		return fmt.Errorf("%w: it says %q, which the facts do not hold: use a slot", errText, said)
	}
	if said := words.Condition(bare, o.holds); said != "" {
		return fmt.Errorf("%w: it says %q, which the facts do not hold", errText, said)
	}
	return nil
}

// fill puts the values into the slots of a checked text, and returns the facts it uses.
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
