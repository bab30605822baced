package forecast

import (
	"context"
	"fmt"
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
	Pop         *float64  `json:"pop,omitempty"`
	AmountMM    *float64  `json:"amount_mm,omitempty" jsonschema:"rain and snow in its three hours, in mm"`
}

// An outlook has the weather data that a forecast of its type may use.
type outlook struct {
	variant
	facts   []Fact
	notes   []string        // what the writer must know of the facts
	holds   map[string]bool // conditions in the data, by group
	numbers map[int]bool    // in the values
	rain    *Rain
	hours   []Hour
	spans   []span
	horizon *Horizon
	missing []string // names of the days that the data does not reach
	report  openweather.Report
	at      time.Time // the timestamp of the forecast
	until   time.Time // when the place's day is over, zero for the current weather
}

// outlook fetches the weather of v and selects the data of its type.
func (p *Pipeline) outlook(ctx context.Context, v variant) (*outlook, error) {
	o := &outlook{variant: v, holds: map[string]bool{}, numbers: map[int]bool{}, at: p.Now().UTC().Truncate(time.Second)}
	var err error
	if v.kind == Current {
		o.report, err = p.Weather.Current(ctx, v.place, v.units, v.lang)
	} else {
		o.report, err = p.Weather.Forecast(ctx, v.place, v.units, v.lang)
	}
	if err != nil {
		return nil, err
	}
	o.add("city", v.place.In(v.lang), "name")
	if v.kind == Current {
		o.addCurrent()
		return o, nil
	}
	return o, o.addAhead(p.Now())
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

// addValue adds a fact of a value that the service may have left out.
func (o *outlook) addValue(slot string, v *float64, format func(float64) string, path string) {
	if v != nil {
		o.add(slot, format(*v), path)
	}
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
