package forecast

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/forecast/openweather"
)

// A Fact is a value that a text may use, and its path in the weather data.
type Fact struct {
	Slot  string `json:"slot"`
	Value string `json:"value"`
	Path  string `json:"path"`
}

// An Hour is a coming step of the forecast. What the service left out is absent.
type Hour struct {
	Time        time.Time `json:"time"` // on the place's clock
	Temp        *float64  `json:"temp,omitempty"`
	Description string    `json:"description,omitempty"`
	Kind        string    `json:"kind,omitempty" jsonschema:"what is expected: rain, sleet, snow, storm or fog"`
	Pop         *float64  `json:"pop,omitempty"`
	AmountMM    *float64  `json:"amount_mm,omitempty" jsonschema:"rain and snow in its three hours, in mm"`
}

// An outlook has the weather data that a forecast of its type may use.
type outlook struct {
	variant
	facts   []Fact
	notes   []string     // what the writer must know of the facts
	numbers map[int]bool // in the values
	days    []Day        // none for the current weather
	missing []string     // names of the days that the data does not reach
	partial bool         // the data ends within the last day
	report  openweather.Report
	at      time.Time // the timestamp of the forecast
	until   time.Time // when the place's day is over, zero for the current weather
}

// outlook fetches the weather of v and selects the data of its type.
func (p *Pipeline) outlook(ctx context.Context, v variant) (*outlook, error) {
	ask := p.Weather.Forecast
	if v.kind == Current {
		ask = p.Weather.Current
	}
	report, err := ask(ctx, v.place)
	if err != nil {
		return nil, err
	}
	return outlookOf(v, report, p.Now())
}

// outlookOf returns what a forecast may use of a report.
func outlookOf(v variant, report openweather.Report, now time.Time) (*outlook, error) {
	o := &outlook{variant: v, numbers: map[int]bool{}, report: report, at: now.UTC().Truncate(time.Second)}
	o.add("city", nameOf(v.place, v.lang), "name")
	if v.kind == Current {
		o.addCurrent()
		return o, nil
	}
	return o, o.addAhead(now)
}

// nameOf returns the name of a place in a language; of one without a name its coordinates, as
// people say them.
func nameOf(place openweather.Place, lang string) string {
	name := place.In(lang)
	if _, nameless := openweather.PointOf(name); !nameless {
		return name
	}
	side := func(v float64, positive, negative string) string {
		if v < 0 {
			positive = negative
		}
		return fmt.Sprintf("%.1f° %s", math.Abs(v), positive)
	}
	return fmt.Sprintf(sayingsOf(lang).place, side(place.Lat, "N", "S")+", "+side(place.Lon, "E", "W"))
}

// add adds a fact. A text may also say its numbers in words.
func (o *outlook) add(slot, value, path string) {
	o.facts = append(o.facts, Fact{slot, value, path})
	for _, digits := range strings.FieldsFunc(value, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(digits); err == nil && path != "name" {
			o.numbers[n] = true
		}
	}
}

// note adds a line for the writer and the checker.
func (o *outlook) note(format string, a ...any) { o.notes = append(o.notes, fmt.Sprintf(format, a...)) }

// addWords adds a fact of conditions; where we have no words of the language, a note for the writer,
// who translates them.
func (o *outlook) addWords(slot, words, path string) {
	switch {
	case words == "":
	case translated(o.lang):
		o.add(slot, words, path)
	default:
		o.note("%s: %s. It has no slot: say it in the language of the forecast.", strings.ReplaceAll(slot, "_", " "), words)
	}
}

// steps returns the steps that the forecast is about, in order.
func (o *outlook) steps() (all []int) {
	if o.kind == Current {
		return []int{0}
	}
	next := 0
	for _, d := range o.days {
		for _, i := range d.steps {
			if i >= next { // tonight and tomorrow overlap
				all, next = append(all, i), i+1
			}
		}
	}
	return all
}

// hourly returns the steps as the chart shows them.
func (o *outlook) hourly() (all []Hour) {
	if o.kind == Current {
		return nil
	}
	for _, i := range o.steps() {
		s := o.report.Skies[i]
		h := Hour{Time: o.begin(i), Description: o.words(i), Kind: o.kindOf(i), Pop: s.Pop}
		if s.Main.Temp != nil {
			h.Temp = new(hundredth(o.temperature(*s.Main.Temp)))
		}
		if mm := s.Amount(); mm != nil {
			h.AmountMM = new(hundredth(*mm))
		}
		all = append(all, h)
	}
	return all
}

// summary returns the outlook as the answer of the tool get_current_weather.
func (o *outlook) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Weather in %s, %s:\n", o.place.Name, o.place.Country)
	for _, f := range o.facts {
		fmt.Fprintf(&b, "{%s}: %s\n", f.Slot, f.Value)
	}
	for _, note := range o.notes {
		fmt.Fprintln(&b, note)
	}
	return b.String()
}
