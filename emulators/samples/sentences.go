package samples

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
)

// sentences.tsv has sentences of forecasts in ten languages, and whether the weather of
// weathers bears them out.
//
//go:embed sentences.tsv
var sentencesFile string

// A Sentence is a sentence of a forecast, with slots.
type Sentence struct {
	Lang, Text string
	Weather    string // the name of a Weather, or any
	True       bool   // whether that weather bears it out
	Hard       bool   // only a perfect model knows
	Decidable  bool   // code can judge it without a model
}

// Sentences are the labelled sentences.
var Sentences = sync.OnceValue(func() (all []Sentence) {
	var langs []string
	for line := range strings.Lines(sentencesFile) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case f[0] == "weather":
			langs = f[3:]
		case line[0] != '#':
			for i, text := range f[3:] {
				if text != "" {
					inWords := strings.Contains(f[2], "words") && slices.Contains([]string{"en", "ko", "vi"}, langs[i])
					all = append(all, Sentence{langs[i], text, f[0], f[1] == "yes", strings.Contains(f[2], "hard"), f[2] == "values" || inWords})
				}
			}
		}
	}
	return all
})

// SentenceOf returns the label of a sentence about the weather of a place.
func SentenceOf(place, text string) (Sentence, bool) {
	weather := "any"
	for _, w := range Weathers {
		if w.Place == place {
			weather = w.Name
		}
	}
	i := slices.IndexFunc(Sentences(), func(s Sentence) bool {
		return s.Text == text && (s.Weather == weather || s.Weather == "any")
	})
	if i < 0 {
		return Sentence{}, false
	}
	return Sentences()[i], true
}

// A Weather is that of an invented place, which Sentences speak of.
type Weather struct {
	Name, Place string
	Type        string // of the forecast: current or tomorrow
}

// Weathers are a clear day, and a rainy tomorrow.
var Weathers = []Weather{{"clear", "Fairhaven", "current"}, {"rain", "Wetherby", "tomorrow"}}

type object = map[string]any

// Payload returns the weather as OpenWeather would answer at a time, in metric units.
func (w Weather) Payload(now time.Time) []byte {
	v := any(object{
		"dt": now.Unix(), "timezone": 0, "main": object{"temp": 22.1, "feels_like": 22.3, "humidity": 40}, "wind": object{"speed": 2.8},
		"clouds": object{"all": 0}, "visibility": 10000, "weather": []object{{"id": 800, "main": "Clear", "description": "clear sky"}},
	})
	if w.Type != "current" {
		list := []object{}
		first := now.Truncate(3 * time.Hour).Add(3 * time.Hour)
		for i := range 40 {
			list = append(list, rainyStep(first.Add(time.Duration(i)*3*time.Hour)))
		}
		v = object{"list": list, "city": object{"timezone": 0}}
	}
	body, _ := json.Marshal(v) // maps of plain values
	return body
}

// rainyStep is a step of a day with rain from 6 to 18 o'clock.
func rainyStep(t time.Time) object {
	temp := 6.2 + float64(min(t.Hour(), 24-t.Hour()))/2.5
	step := object{
		"dt": t.Unix(), "main": object{"temp": temp, "temp_min": temp, "temp_max": temp, "humidity": 88}, "wind": object{"speed": 7.6}, "clouds": object{"all": 100},
		"pop": 0.2, "weather": []object{{"id": 804, "main": "Clouds", "description": "overcast clouds"}},
	}
	if t.Hour() >= 6 && t.Hour() < 18 {
		step["pop"], step["rain"] = 0.9, object{"3h": 2.5}
		step["weather"] = []object{{"id": 500, "main": "Rain", "description": "light rain"}}
	}
	return step
}
