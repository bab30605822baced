package answers

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// KindForecastCheck is a schema with sentences and says_missing: the forecast checker's.
const KindForecastCheck gemini.Kind = "forecast_check"

// numbered matches a sentence with its number.
var numbered = regexp.MustCompile(`(?m)^(\d+)\. (.+)$`)

// check says which sentences of a forecast are true: those that the model would write on
// these facts itself, those that the data hold word for word, its own words that say nothing
// of the weather, and of labelled ones those whose label says so. The hard ones only a
// perfect model knows; of all others the model is at a loss, and vouches for none.
func (f forecast) check(r *gemini.Request) map[string]any {
	data, listed, _ := strings.Cut(strings.Join(r.Texts, "\n"), "\nsentences:\n")
	listed, _, _ = strings.Cut(listed, "\nas spoken:\n")
	lang := writtenIn(r.System)
	missing := missingFrom(data, lang)
	own := spokenForecast(slotsIn(data), lang) + " " + missing + " " + data
	verdicts := []map[string]any{}
	for _, m := range numbered.FindAllStringSubmatch(listed, -1) {
		n, _ := strconv.Atoi(m[1])
		claims, borneOut := f.judge(placeOf(data), m[2], own)
		verdicts = append(verdicts, map[string]any{"number": n, "claims": claims, "borne_out": borneOut})
	}
	return map[string]any{"sentences": verdicts, "says_missing": missing == "" || strings.Contains(listed, missing)}
}

func (f forecast) judge(place, sentence, own string) (claims string, borneOut bool) {
	if strings.Contains(own, sentence) || claimless(sentence) {
		return "what the facts say", true
	}
	label, known := samples.SentenceOf(place, sentence)
	if !known || label.Hard && !f.perfect {
		return "I am an emulated model and know only the sentences of emulators/samples/sentences.tsv", false
	}
	return fmt.Sprintf("it is labelled %v of this weather", label.True), label.True
}

// placeOf returns the place of data that begin with "Weather in PLACE, COUNTRY:".
func placeOf(data string) string {
	_, rest, _ := strings.Cut(data, "Weather in ")
	place, _, _ := strings.Cut(rest, ",")
	return place
}
