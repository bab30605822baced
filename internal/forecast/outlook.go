package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"
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

// Rain says whether it will rain or snow.
type Rain struct {
	Expected    bool       `json:"expected"`
	Probability float64    `json:"probability"`
	Kind        string     `json:"kind,omitempty"` // Rain, Snow, …, as the service calls it
	From        *time.Time `json:"from,omitempty"`
	To          *time.Time `json:"to,omitempty"`
}

// An Hour is a coming step of the forecast.
type Hour struct {
	Time        time.Time `json:"time"` // on the place's clock
	Temp        float64   `json:"temp"`
	Description string    `json:"description"`
	Pop         float64   `json:"pop"`
}

// An outlook has the weather data that a forecast of its type may use.
type outlook struct {
	variant
	facts   []Fact
	holds   map[string]bool // conditions in the data, by group
	numbers map[int]bool    // in the values
	rain    *Rain
	hours   []Hour
	report  openweather.Report
	at      time.Time // the timestamp of the forecast
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

func (o *outlook) degrees(v float64) string {
	return whole(v) + map[string]string{openweather.Imperial: "°F", openweather.Metric: "°C", openweather.Standard: " K"}[o.units]
}

func (o *outlook) speed(v float64) string {
	if o.units == openweather.Imperial {
		return whole(v) + " mph"
	}
	return whole(v) + " m/s"
}

// whole formats v rounded, without a minus before zero.
func whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

func (o *outlook) addCurrent() {
	s := o.report.Skies[0]
	o.hold(s)
	o.add("conditions", s.Weather[0].Description, "weather[0].description")
	o.add("temp", o.degrees(s.Main.Temp), "main.temp")
	o.add("feels_like", o.degrees(s.Main.FeelsLike), "main.feels_like")
	o.add("humidity", whole(s.Main.Humidity)+"%", "main.humidity")
	o.add("wind", o.speed(s.Wind.Speed), "wind.speed")
	if !o.report.Rise.IsZero() {
		o.add("sunrise", o.report.Local(o.report.Rise).Format("15:04"), "sys.sunrise")
		o.add("sunset", o.report.Local(o.report.Set).Format("15:04"), "sys.sunset")
	}
}

// addAhead adds the coming steps, on the days of the type.
func (o *outlook) addAhead(now time.Time) error {
	if o.kind == Weekend {
		for _, day := range []time.Weekday{time.Saturday, time.Sunday} {
			steps := o.steps(func(t time.Time) bool { return t.Weekday() == day && t.Before(o.report.Local(now).AddDate(0, 0, 6)) })
			o.addSteps(strings.ToLower(day.String())+"_", steps)
		}
	} else {
		o.addSteps("", o.chosen(now))
	}
	if len(o.hours) == 0 {
		return ErrTooFar
	}
	return nil
}

// chosen returns the steps of today, of tomorrow or of the next hours. The last step of a
// day begins three hours before its end: after that, today is the next step.
func (o *outlook) chosen(now time.Time) []int {
	local := o.report.Local(now)
	switch o.kind {
	case Hours:
		end := now.Add(time.Duration(o.variant.hours) * time.Hour)
		return o.steps(func(t time.Time) bool { return t.After(now.Add(-3*time.Hour)) && !t.After(end) })
	case Tomorrow:
		local = local.AddDate(0, 0, 1)
	}
	steps := o.steps(func(t time.Time) bool { return t.YearDay() == local.YearDay() })
	if len(steps) == 0 && o.kind == Today {
		return []int{0}
	}
	return steps
}

// steps returns the steps whose local time at the place is wanted.
func (o *outlook) steps(wanted func(time.Time) bool) (all []int) {
	for i, s := range o.report.Skies {
		if wanted(o.report.Local(time.Unix(s.Dt, 0))) {
			all = append(all, i)
		}
	}
	return all
}

// addSteps adds the facts of some steps, each with the step it comes from.
func (o *outlook) addSteps(prefix string, steps []int) {
	if len(steps) == 0 {
		return
	}
	for _, i := range steps {
		s := o.report.Skies[i]
		o.hold(s)
		o.hours = append(o.hours, Hour{o.report.Local(time.Unix(s.Dt, 0)), s.Main.Temp, s.Weather[0].Description, s.Pop})
	}
	most := func(of func(openweather.Sky) float64) (openweather.Sky, string) {
		i := slices.MaxFunc(steps, func(a, b int) int { return int(1000 * (of(o.report.Skies[a]) - of(o.report.Skies[b]))) })
		return o.report.Skies[i], fmt.Sprintf("list[%d].", i)
	}
	worst, at := most(severity)
	o.add(prefix+"conditions", worst.Weather[0].Description, at+"weather[0].description")
	high, at := most(func(s openweather.Sky) float64 { return s.Main.TempMax })
	o.add(prefix+"high", o.degrees(high.Main.TempMax), at+"main.temp_max")
	low, at := most(func(s openweather.Sky) float64 { return -s.Main.TempMin })
	o.add(prefix+"low", o.degrees(low.Main.TempMin), at+"main.temp_min")
	windy, at := most(func(s openweather.Sky) float64 { return s.Wind.Speed })
	o.add(prefix+"wind", o.speed(windy.Wind.Speed), at+"wind.speed")
	wet, at := most(func(s openweather.Sky) float64 { return s.Pop })
	o.add(prefix+"rain_chance", whole(wet.Pop*100)+"%", at+"pop")
	o.addRain(prefix, steps, wet.Pop)
}

// addRain adds when it begins to rain or snow, and when that ends.
func (o *outlook) addRain(prefix string, steps []int, pop float64) {
	if o.rain == nil {
		o.rain = &Rain{}
	}
	o.rain.Probability = max(o.rain.Probability, pop)
	first := slices.IndexFunc(steps, func(i int) bool { return falls(o.report.Skies[i]) })
	if first < 0 {
		return
	}
	last := first
	for last+1 < len(steps) && falls(o.report.Skies[steps[last+1]]) {
		last++
	}
	begin, end := o.report.Skies[steps[first]], o.report.Skies[steps[last]]
	from, to := o.report.Local(time.Unix(begin.Dt, 0)), o.report.Local(time.Unix(end.Dt, 0)).Add(3*time.Hour)
	o.add(prefix+"rain_from", from.Format("15:04"), fmt.Sprintf("list[%d].dt", steps[first]))
	o.add(prefix+"rain_to", to.Format("15:04"), fmt.Sprintf("list[%d].dt", steps[last]))
	if !o.rain.Expected {
		o.rain.Expected, o.rain.Kind, o.rain.From, o.rain.To = true, begin.Weather[0].Main, &from, &to
	}
}

// falls reports precipitation, by the codes of openweathermap.org/weather-conditions.
func falls(s openweather.Sky) bool { return s.Weather[0].ID/100 < 7 }

// severity orders skies by importance: thunder, snow, rain, drizzle, fog, then cloud
// cover.
func severity(s openweather.Sky) float64 {
	id := s.Weather[0].ID
	rank := map[int]float64{2: 6, 6: 5, 5: 4, 3: 3, 7: 2}[id/100]
	return rank + float64(id%100)/1000
}

// likely is the probability from which on a text may name rain that is not reported.
const likely = 0.3

// hold notes the conditions of s.
func (o *outlook) hold(s openweather.Sky) {
	var groups []string
	switch id := s.Weather[0].ID; {
	case id/100 == 2:
		groups = []string{"storm", "rain"}
	case id/100 == 3, id/100 == 5:
		groups = []string{"rain"}
	case id >= 611 && id <= 616:
		groups = []string{"snow", "rain"}
	case id/100 == 6:
		groups = []string{"snow"}
	case id/100 == 7:
		groups = []string{"fog"}
	case id == 800:
		groups = []string{"clear"}
	case id == 801, id == 802:
		groups = []string{"clear", "clouds"}
	default:
		groups = []string{"clouds"}
	}
	if s.Pop >= likely {
		groups = append(groups, "rain")
	}
	for _, g := range groups {
		o.holds[g] = true
	}
}

// summary returns the outlook as the answer of the tool get_current_weather.
func (o *outlook) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Weather in %s, %s:\n", o.place.Name, o.place.Country)
	for _, f := range o.facts {
		fmt.Fprintf(&b, "{%s}: %s\n", f.Slot, f.Value)
	}
	return b.String()
}
