package forecast

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/gemini"
)

// in returns the outlook of a labelled weather in a language.
func (h harness) in(t *testing.T, w samples.Weather, lang string) *outlook {
	t.Helper()
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	h.Pipeline.Now = func() time.Time { return now }
	h.Pipeline.Weather = another(t, h.World, nil).Weather
	path := "/data/2.5/weather"
	if w.Type != Current {
		path = "/data/2.5/forecast"
	}
	h.Weather.ResetCalls()
	h.Weather.SetAnswer(path, w.Payload(now))
	o, err := h.outlook(t.Context(), variant{place: openweather.Place{ID: w.Name, Name: w.Place, Country: "GB"}, units: openweather.Metric, kind: w.Type, lang: lang})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A tally counts what is told of the labelled sentences of a language.
type tally struct{ falseTold, honestRefused, falses, honests, decidable, decidableTold int }

// The sentences of emulators/samples/sentences.tsv: how many false ones would be broadcast,
// and how many honest ones refused, with code alone, with a perfect checker and with the
// emulated one, by language. A perfect checker lets no false one pass, nor loses an honest
// one for which code is not to blame.
func TestSentences(t *testing.T) {
	models := []struct {
		name    string
		model   answers.Model
		checker string
	}{{"none", answers.Emulated, ""}, {"perfect", answers.Perfect, "emulated-judge"}, {"emulated", answers.Emulated, "emulated-judge"}}
	all := map[string]tally{}
	for _, m := range models {
		h := openOf(t, m.model, m.checker)
		for _, w := range samples.Weathers {
			for _, lang := range langs() {
				h.count(t, all, m.name, h.in(t, w, lang), w)
			}
		}
	}
	var b strings.Builder
	for _, lang := range append(langs(), "all") {
		fmt.Fprintf(&b, "\n%-4s", lang)
		for _, m := range models {
			c := all[m.name+lang]
			fmt.Fprintf(&b, " | %s: %d of %d false told (%d of %d decidable), %d of %d honest refused", m.name, c.falseTold, c.falses, c.decidableTold, c.decidable, c.honestRefused, c.honests)
		}
	}
	t.Log(b.String())
	perfect, none, seen := all["perfectall"], all["noneall"], all["emulatedall"]
	if perfect.falses < 200 || perfect.honests < 200 || perfect.falseTold > 0 || perfect.honestRefused > perfect.honests/50 || seen.falseTold > 0 {
		t.Errorf("perfect %+v, emulated %+v: want 200 false sentences, none told, and of 200 honest ones 2 %% refused at most", perfect, seen)
	}
	if none.decidable < 100 || none.decidableTold > none.decidable/4 || none.honestRefused > none.honests/50 {
		t.Errorf("code alone %+v: want a quarter of the decidable ones told at most, and 2 %% of the honest ones refused", none)
	}
	if none.falseTold <= perfect.falseTold {
		t.Errorf("code alone tells %d false sentences: the checker proves nothing", none.falseTold)
	}
}

func langs() (all []string) {
	for _, s := range samples.Sentences() {
		if !slices.Contains(all, s.Lang) {
			all = append(all, s.Lang)
		}
	}
	return all
}

// openOf is a harness whose emulated model is another.
func openOf(t *testing.T, model answers.Model, checker string) harness {
	t.Helper()
	h := open(t, nil)
	server, err := answers.Start(emulated.Options{}, answers.Options{Model: model, Espeak: "off", Tesseract: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := gemini.Open(t.Context(), gemini.Config{BaseURL: server.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h.Pipeline = another(t, h.World, func(c *Config) { c.Gemini, c.Checker = client, checker })
	return h
}

// count tallies the sentences about a weather in the language of o.
func (h harness) count(t *testing.T, all map[string]tally, model string, o *outlook, w samples.Weather) {
	t.Helper()
	var labelled []samples.Sentence
	var texts []string
	for _, s := range samples.Sentences() {
		if s.Lang == o.lang && (s.Weather == w.Name || s.Weather == "any" && w.Name == "clear") && o.unknownSlot(s.Text) == "" {
			labelled, texts = append(labelled, s), append(texts, s.Text)
		}
	}
	doubts, err := h.doubts(t.Context(), o, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range labelled {
		refused := slices.ContainsFunc(doubts, func(d doubt) bool { return d.sentence == i })
		if s.True && refused && model == "perfect" || s.Decidable && !s.True && !refused && model == "none" {
			t.Logf("%s: %q is %v, and refused %v: %s", s.Lang, s.Text, s.True, refused, o.untrue(s.Text))
		}
		for _, key := range []string{model + o.lang, model + "all"} {
			c := all[key]
			if s.True {
				c.honests++
			} else {
				c.falses++
			}
			switch {
			case s.True && refused:
				c.honestRefused++
			case !s.True && !refused:
				c.falseTold++
			}
			if s.Decidable && !s.True {
				c.decidable++
				if !refused {
					c.decidableTold++
				}
			}
			all[key] = c
		}
	}
}

// A sentence that is not borne out, for code without asking the checker, is written anew once; then a plain one takes its place,
// and where we have none of the language, the text is plain English.
func TestNotBorneOut(t *testing.T) {
	tests := []struct {
		name, lang string
		drafts     []string
		want, not  string
		warnings   []string
		checks     int
	}{
		{"mended by the writer", "en", []string{"In {city} it is {temp}, with {conditions}. Winds will pick up to gale force.", "In {city} it is {temp}, with {conditions}. Have a good day!"}, "Have a good day!", "gale", nil, 1},
		{"mended by code", "en", []string{"In {city} it is {temp}, with {conditions}. The humidity is {temp}.", "In {city} it is {temp}, with {conditions}. The wind blows at {humidity}."}, "The humidity is 40%, and the wind blows at 3 m/s.", "at 40%", []string{WarnTemplate}, 1},
		{"in Korean", "ko", []string{"{city}의 기온은 {temp}, 하늘은 {conditions}입니다. 습도는 {temp}입니다.", "{city}의 기온은 {temp}, 하늘은 {conditions}입니다. 바람은 {humidity}입니다."}, "습도는 40%, 바람은 3 m/s입니다.", "바람은 40%", []string{WarnTemplate}, 1},
		{"in German", "de", []string{"In {city} hat es {temp}, {conditions}. Die Luftfeuchtigkeit beträgt {temp}.", "In {city} hat es {temp}, {conditions}. Der Wind weht mit {humidity}."}, "In Fairhaven it is 22°C and feels like 22°C, with clear sky.", "Wind weht", []string{WarnTemplate, WarnEnglish}, 1},
		{"in German, true", "de", []string{"In {city} hat es {temp}, {conditions}. Einen schönen Tag!"}, "In Fairhaven hat es 22°C, klarer Himmel. Einen schönen Tag!", "it is", nil, 1},
	}
	h := open(t, nil)
	for _, test := range tests {
		o := h.in(t, samples.Weathers[0], test.lang)
		h.Gemini.ResetCalls()
		for _, d := range test.drafts {
			text, err := json.Marshal(draft{Forecast: d, Tone: "calm"})
			if err != nil {
				t.Fatal(err)
			}
			h.Gemini.Script(emulated.Answer{Kind: answers.KindForecast, Text: string(text)})
		}
		got, err := h.compose(t.Context(), o)
		if err != nil || !strings.Contains(got.text, test.want) || strings.Contains(got.text, test.not) || !slices.Equal(got.warnings, test.warnings) || h.checked() != test.checks {
			t.Errorf("%s: %q %q after %d checks, %v; want %q, %q after %d", test.name, got.text, got.warnings, h.checked(), err, test.want, test.warnings, test.checks)
		}
	}
}

// A checker that is of no use costs the text, and one that is away is an error that can be
// tried again. Without a checker the words of languages that we do not know are not checked.
func TestCheckerFails(t *testing.T) {
	h := open(t, nil)
	o := h.in(t, samples.Weathers[0], "en")
	h.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedAnswer, Kind: answers.KindForecastCheck})
	if got, err := h.compose(t.Context(), o); err != nil || !slices.Equal(got.warnings, []string{WarnTemplate}) {
		t.Errorf("with a checker that refuses: %+v, %v; want the plain text", got, err)
	}
	h.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: answers.KindForecastCheck})
	if got, err := h.compose(t.Context(), o); err == nil {
		t.Errorf("with a checker that is away: %+v, want the error", got)
	}
	h.Gemini.SetFaults()
	h.checker = nil
	for range 2 {
		h.Gemini.Script(emulated.Answer{Kind: answers.KindForecast, Text: `{"forecast":"In {city} it is {temp}, with {conditions}. The humidity is {temp}.","missing":"","tone":"calm"}`})
	}
	if got, err := h.compose(t.Context(), o); err != nil || strings.Contains(got.text, "humidity is 22") || !slices.Equal(got.warnings, []string{WarnTemplate}) {
		t.Errorf("without a checker, a value called something else: %+v, %v; want a plain sentence in its place", got, err)
	}
	if got, err := h.compose(t.Context(), h.in(t, samples.Weathers[0], "de")); err != nil || !slices.Equal(got.warnings, []string{WarnUnchecked}) {
		t.Errorf("without a checker: %+v, %v; want a warning", got, err)
	}
}

// A plain sentence in the place of a doubtful one repeats no value of the others, and the
// days out of reach are said to be, once.
func TestMendedSaysNothingTwice(t *testing.T) {
	words, _ := wordsOf("en")
	now := clearDay("en")
	now.facts = nil
	for _, name := range []string{"city", "temp", "feels_like", "conditions", "humidity", "wind"} {
		now.add(name, "x", "x")
	}
	weekend := clearDay("en")
	weekend.kind, weekend.facts, weekend.missing = Weekend, nil, []string{"sunday"}
	weekend.days = []Day{{Stretch: Stretch{Name: "saturday"}, Whole: true, prefix: "saturday_"}}
	for _, name := range []string{"city", "saturday_conditions", "saturday_high", "saturday_low", "saturday_wind", "saturday_rain_chance"} {
		weekend.add(name, "x", "x")
	}
	const reach = "The forecast does not reach Sunday yet."
	for _, test := range []struct {
		o         *outlook
		sentences []string
		doubts    []doubt
		want      []string
	}{
		{now, []string{"In {city} it is {temp}.", "A breeze blows at {wind}.", "It is a killer heat of {feels_like}."}, []doubt{{sentence: 2}},
			[]string{"In {city} it is {temp}.", "A breeze blows at {wind}.", "The humidity is {humidity}."}},
		{now, []string{"In {city} it is {temp}, {conditions}, and feels like {feels_like}.", "The wind is {wind} at {humidity}.", "Gales are near."}, []doubt{{sentence: 2}},
			[]string{"In {city} it is {temp}, {conditions}, and feels like {feels_like}.", "The wind is {wind} at {humidity}."}},
		{now, []string{"Frost of {temp} in {city}!", "{conditions} above, {wind} of wind."}, []doubt{{sentence: 0}},
			[]string{"In {city} it is {temp} and feels like {feels_like}.", "{conditions} above, {wind} of wind."}},
		{weekend, []string{"Saturday in {city} sees {saturday_high}.", "The wind is {saturday_wind}.", "A deluge of {saturday_rain_chance}.", "Sunday is not reached yet."}, []doubt{{sentence: 2}},
			[]string{"Saturday in {city} sees {saturday_high}.", "The wind is {saturday_wind}.", "On Saturday the chance of precipitation is {saturday_rain_chance}.", "Sunday is not reached yet."}},
		{weekend, []string{"Saturday in {city} sees {saturday_high}.", "It will be glorious.", "Sunday is not reached yet."}, []doubt{{sentence: 1}},
			[]string{"Saturday in {city} sees {saturday_high}.", "On Saturday in {city}: {saturday_conditions}.", "Sunday is not reached yet."}},
		{weekend, []string{"Saturday in {city} sees {saturday_high}.", "Sunday will be like it."}, []doubt{{sentence: 1, missing: true}},
			[]string{"Saturday in {city} sees {saturday_high}.", reach}},
	} {
		if got := test.o.mended(words, test.sentences, test.doubts); !slices.Equal(got, test.want) {
			t.Errorf("mended(%q) = %q, want %q", test.sentences, got, test.want)
		}
	}
}
