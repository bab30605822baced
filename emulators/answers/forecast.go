package answers

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/emulators/gemini"
)

// KindForecast is a schema with forecast and tone: the forecast writer's.
const KindForecast gemini.Kind = "forecast"

// forecast is the responder of weather_agent and its team. It understands messages by the
// labels of samples.UtteranceOf, and writes forecasts with the given slots only.
type forecast struct{ perfect bool }

func (forecast) Kinds(r *gemini.Request) []gemini.Kind {
	if asksFor(r, "forecast") && asksFor(r, "tone") {
		return []gemini.Kind{KindForecast}
	}
	if asksFor(r, "sentences") && asksFor(r, "says_missing") {
		return []gemini.Kind{KindForecastCheck}
	}
	return forecastDialog(r)
}

func (f forecast) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	if r.Is(KindForecastCheck) {
		return gemini.Answer{JSON: f.check(r)}, nil
	}
	if r.JSON {
		text := strings.Join(r.Texts, "\n")
		facts, lang := slotsIn(text), writtenIn(r.System)
		return gemini.Answer{JSON: map[string]any{"forecast": spokenForecast(facts, lang), "missing": missingFrom(text, lang), "tone": toneFor(facts)}}, nil
	}
	return f.turn(r)
}

// slotsIn parses lines such as "{temp}: 54°F".
func slotsIn(text string) map[string]string {
	slots := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "}: ")
		if name, brace := strings.CutPrefix(name, "{"); ok && brace {
			slots[name] = value
		}
	}
	return slots
}

// languageTag matches the tag of the language that the instruction names, as "in Korean
// (ko)" or "in Korean (South Korea) (ko-KR)".
var languageTag = regexp.MustCompile(`\(([a-z]{2,3})(?:-[A-Za-z0-9]+)*\)`)

// writtenIn returns the language that the instruction names, without script and region.
func writtenIn(system string) string {
	if m := languageTag.FindStringSubmatch(system); m != nil {
		return m[1]
	}
	return ""
}

// spanPrefixes are the beginnings of the slots of days.
var spanPrefixes = []string{"", "tonight_", "tomorrow_", "saturday_", "sunday_", "today_", "monday_", "tuesday_", "wednesday_", "thursday_", "friday_"}

// timeKinds begin the slots of times, in the order of a phrasebook's words.
var timeKinds = [5]string{"rain", "sleet", "snow", "storm", "fog"}

// spokenForecast returns a text with slots, in a language.
func spokenForecast(slots map[string]string, lang string) string {
	p, ok := phrasebooks[lang]
	if !ok {
		p = phrasebooks[""]
	}
	var sentences []string
	if slots["temp"] != "" {
		sentences = said(p.now, slots, "")
	}
	wet, chance := false, -1
	for _, prefix := range spanPrefixes {
		told := said(p.ahead, slots, prefix)
		if len(told) == 0 || slots["temp"] != "" {
			continue
		}
		if slots[prefix+"hours"] != "" {
			told[0] = "{" + prefix + "hours}: " + told[0]
		}
		if name := p.days[prefix]; name != "" {
			told[0] = name + told[0]
		}
		sentences = append(sentences, told...)
		if n, err := strconv.Atoi(strings.TrimSuffix(slots[prefix+"rain_chance"], "%")); err == nil {
			chance = max(chance, n)
		}
		for i, kind := range timeKinds {
			if times := prefix + kind + "_times"; slots[times] != "" {
				wet = true
				sentences = append(sentences, strings.TrimSpace(p.days[prefix]+p.times[i]+" {"+times+"}")+".")
			}
		}
	}
	if !wet && chance >= 0 && chance < 30 && p.dry != "" {
		sentences = append(sentences, p.dry)
	}
	return strings.TrimSpace(strings.Join(append(sentences, p.end), " "))
}

// said returns the first form of each sentence whose slots all have values.
func said(sentences [][]string, slots map[string]string, prefix string) (all []string) {
	for _, forms := range sentences {
		for _, form := range forms {
			form = strings.ReplaceAll(form, "P_", prefix)
			if !slices.ContainsFunc(slotNames.FindAllStringSubmatch(form, -1), func(m []string) bool { return slots[m[1]] == "" }) {
				all = append(all, form)
				break
			}
		}
	}
	return all
}

var slotNames = regexp.MustCompile(`\{([a-z_]+)\}`)

// missingFrom returns the sentence on days that the facts do not reach, in a language.
func missingFrom(facts, lang string) string {
	if !strings.Contains(facts, "does not reach") {
		return ""
	}
	if p, ok := phrasebooks[lang]; ok {
		return p.missing
	}
	return phrasebooks[""].missing
}

// toneFor returns the tone by the precipitation.
func toneFor(slots map[string]string) string {
	for name := range slots {
		if strings.HasSuffix(name, "rain_times") {
			return "warm"
		}
	}
	return "cheerful"
}
