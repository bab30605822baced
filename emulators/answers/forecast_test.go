package answers

import (
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini"
)

// What somebody says is understood where it is labelled, unknown words by a perfect model alone;
// of all else the model says that it is at a loss.
func TestOpeningOfAConversation(t *testing.T) {
	for _, tt := range []struct{ say, emulated, perfect string }{
		{"How is the weather in Oslo?", "[{ get_forecast_from_cache map[city:Oslo language:en]}]", ""},
		{"Hello!", "Hello! Which city", ""},
		{"Sunnies or brolly in Oslo?", lost, "[{ get_forecast_from_cache map[city:Oslo language:en]}]"},
		{"Is Oslo in Norway?", lost, ""},
	} {
		for model, want := range map[bool]string{false: tt.emulated, true: tt.perfect} {
			if want == "" {
				want = tt.emulated
			}
			r := &gemini.Request{Functions: []string{"get_forecast_from_cache"}, Dialog: []gemini.Said{{Role: "user", Text: tt.say}}}
			a, err := forecast{model}.Answer(t.Context(), r)
			got := a.Text
			if len(a.Calls) > 0 {
				got = fmt.Sprint(a.Calls)
			}
			if err != nil || !strings.HasPrefix(got, want) {
				t.Errorf("perfect %v, %q: %q, %v; want %q", model, tt.say, got, err, want)
			}
		}
	}
}

// A forecast of days says each value once, of a day that it names, and nothing as of now.
func TestSpokenForecastOfDays(t *testing.T) {
	slots := map[string]string{"city": "Oslo", "wind": "3 m/s", "conditions": "fog", "high": "9°C", "low": "1°C", "rain_chance": "0%"}
	if text := spokenForecast(slots, "en"); strings.Count(text, "{wind}") != 1 || strings.Contains(text, "blows") {
		t.Errorf("a day: %q, want its wind once", text)
	}
	weekend := map[string]string{"city": "Oslo"}
	for _, day := range []string{"saturday_", "sunday_"} {
		for name, value := range slots {
			if name != "city" {
				weekend[day+name] = value
			}
		}
	}
	for lang := range phrasebooks {
		text, days := spokenForecast(weekend, lang), phrasebooks[lang].days
		for prefix, name := range days {
			if slots := strings.Count(text, "{"+prefix+"high}"); (slots == 1) != strings.Contains(text, name) || slots > 1 {
				t.Errorf("%q: %q, want %q with its day", lang, text, name)
			}
		}
		if len(days) < 4 && lang != "" {
			t.Errorf("%q names %d days, want 4 at least", lang, len(days))
		}
	}
}
