package forecast

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/usererror"
)

// errText marks a text that does not fit the weather data. Errors that wrap it say what
// is wrong; the model gets them.
var errText = usererror.New("forecast", "the text is refused")

// longestText bounds a text, in runes: four sentences have 500, the plain ones on six days 1,500.
const longestText = 2400

// checkDraft checks a draft, and adds its sentence on what is missing to its text.
func (o *outlook) checkDraft(d *draft) error {
	switch days := strings.Join(o.missing, " and "); {
	case days == "":
	case strings.TrimSpace(d.Missing) == "":
		return fmt.Errorf("%w: missing is empty: say there that the forecast does not reach %s yet", errText, days)
	default:
		d.Forecast = strings.TrimSpace(d.Forecast) + " " + strings.TrimSpace(d.Missing)
	}
	return o.check(d.Forecast)
}

// check checks a text as a whole: its slots are those of facts, with no digit of any script
// outside of them, and those are there that tell at which hours something holds.
func (o *outlook) check(text string) error {
	if name := o.unknownSlot(text); name != "" {
		return fmt.Errorf("%w: there is no slot {%s}", errText, name)
	}
	bare := slot.ReplaceAllString(text, valueMark)
	switch {
	case bare == text:
		return fmt.Errorf("%w: it uses no slot", errText)
	case utf8.RuneCountInString(text) > longestText:
		return fmt.Errorf("%w: it is longer than %d letters", errText, longestText)
	case strings.ContainsAny(bare, "{}"):
		return fmt.Errorf("%w: a brace stands outside of a slot", errText)
	case strings.ContainsFunc(bare, unicode.IsNumber):
		return fmt.Errorf("%w: a digit stands outside of a slot", errText)
	}
	for _, f := range o.facts {
		times := strings.HasSuffix(f.Slot, "_times") || strings.HasSuffix(f.Slot, "hours")
		if times && !strings.Contains(text, "{"+f.Slot+"}") {
			return fmt.Errorf("%w: it does not say when: use {%s}", errText, f.Slot)
		}
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
