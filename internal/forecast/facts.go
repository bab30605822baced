package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"example.com/whatis/internal/forecast/openweather"
)

func (o *outlook) degrees(v float64) string {
	return whole(v) + map[string]string{openweather.Imperial: "°F", openweather.Metric: "°C", openweather.Standard: " K"}[o.units]
}

// celsius returns a temperature of the outlook's units in °C.
func (o *outlook) celsius(v float64) float64 {
	switch o.units {
	case openweather.Imperial:
		return (v - 32) * 5 / 9
	case openweather.Standard:
		return v - 273.15
	}
	return v
}

func (o *outlook) speed(v float64) string {
	if o.units == openweather.Imperial {
		return whole(v) + " mph"
	}
	return whole(v) + " m/s"
}

func percent(v float64) string { return whole(v) + "%" }

// whole formats v rounded, without a minus before zero.
func whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

func (o *outlook) addCurrent() {
	s := o.report.Skies[0]
	o.hold(s)
	if text := s.Condition().Description; text != "" {
		o.add("conditions", text, "weather[0].description")
	}
	o.addValue("temp", s.Main.Temp, o.degrees, "main.temp")
	o.addValue("feels_like", s.Main.FeelsLike, o.degrees, "main.feels_like")
	o.addValue("humidity", s.Main.Humidity, percent, "main.humidity")
	o.addValue("wind", s.Wind.Speed, o.speed, "wind.speed")
	if !o.report.Rise.IsZero() {
		o.add("sunrise", o.report.Local(o.report.Rise).Format("15:04"), "sys.sunrise")
		o.add("sunset", o.report.Local(o.report.Set).Format("15:04"), "sys.sunset")
	}
}

// addSpan adds the facts of a span, each with the step it comes from.
func (o *outlook) addSpan(sp span) {
	for _, i := range sp.steps {
		o.addHour(i)
	}
	if sp.names() {
		o.add(sp.prefix+"from", o.clock(sp, o.begin(sp.steps[0])), pathOf(sp.steps[0])+"dt")
		last := sp.steps[len(sp.steps)-1]
		o.add(sp.prefix+"to", o.clock(sp, o.end(last)), pathOf(last)+"dt")
		o.note("The values of {%sfrom} to {%[1]sto} are of these hours only: name the hours with both slots, and call no value that of the day.", sp.prefix)
	}
	if _, i, ok := o.peak(sp.steps, severity); ok {
		o.add(sp.prefix+"conditions", o.report.Skies[i].Condition().Description, pathOf(i)+"weather[0].description")
	}
	o.addPeak(sp, "high", 1, o.degrees, "main.temp_max", func(s openweather.Sky) *float64 { return s.Main.TempMax })
	o.addPeak(sp, "low", -1, o.degrees, "main.temp_min", func(s openweather.Sky) *float64 { return s.Main.TempMin })
	if wind, i, ok := o.peak(sp.steps, func(s openweather.Sky) *float64 { return s.Wind.Speed }); ok {
		o.add(sp.prefix+"wind", o.speed(wind), pathOf(i)+"wind.speed")
	}
	o.addRain(sp)
}

// addPeak adds the highest (sign 1) or lowest (sign -1) temperature of a span. A step that
// lacks its own extreme counts with its temperature.
func (o *outlook) addPeak(sp span, slot string, sign float64, format func(float64) string, path string, of func(openweather.Sky) *float64) {
	v, i, ok := o.peak(sp.steps, func(s openweather.Sky) *float64 {
		if v := cmp.Or(of(s), s.Main.Temp); v != nil {
			signed := sign * *v
			return &signed
		}
		return nil
	})
	if !ok {
		return
	}
	if of(o.report.Skies[i]) == nil {
		path = "main.temp"
	}
	o.add(sp.prefix+slot, format(sign*v), pathOf(i)+path)
}

// addHour adds a step to the hours, once.
func (o *outlook) addHour(i int) {
	s, at := o.report.Skies[i], o.begin(i)
	if slices.ContainsFunc(o.hours, func(h Hour) bool { return h.Time.Equal(at) }) {
		return
	}
	o.hold(s)
	if o.rain == nil {
		o.rain = &Rain{}
	}
	if mm := s.Amount(); mm != nil {
		o.rain.add(*mm)
	}
	o.hours = append(o.hours, Hour{at, s.Main.Temp, s.Condition().Description, s.Pop, s.Amount()})
}

// peak returns the greatest value of some steps, and the step it is of; not ok if no step
// has the value.
func (o *outlook) peak(steps []int, of func(openweather.Sky) *float64) (most float64, at int, ok bool) {
	for _, i := range steps {
		if v := of(o.report.Skies[i]); v != nil && (!ok || *v > most) {
			most, at, ok = *v, i, true
		}
	}
	return most, at, ok
}

// pathOf returns the path of a step in the data.
func pathOf(step int) string { return fmt.Sprintf("list[%d].", step) }

// begin and end return when a step begins and ends, on the place's clock.
func (o *outlook) begin(step int) time.Time {
	return o.report.Local(time.Unix(o.report.Skies[step].Dt, 0))
}

func (o *outlook) end(step int) time.Time { return o.begin(step).Add(stepLength) }

// clock formats a time of a span: with its date if the span is longer than a day.
func (o *outlook) clock(sp span, t time.Time) string {
	if len(sp.steps) > 8 {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("15:04")
}

// severity orders skies by importance: thunder, snow, rain, drizzle, fog, then cloud cover;
// nil if the sky is not described.
func severity(s openweather.Sky) *float64 {
	c := s.Condition()
	if c.ID == 0 || c.Description == "" {
		return nil
	}
	rank := map[int]float64{2: 6, 6: 5, 5: 4, 3: 3, 7: 2}[c.ID/100] + float64(c.ID%100)/1000
	return &rank
}

// hold notes the conditions of s, which a text may name.
func (o *outlook) hold(s openweather.Sky) {
	groups := groupsOf(s.Condition().ID)
	if mayFall(s) {
		groups = append(groups, "rain")
	}
	for _, t := range []*float64{s.Main.Temp, s.Main.TempMin} {
		if t != nil && o.celsius(*t) <= 0 {
			groups = append(groups, "frost")
		}
	}
	for _, g := range groups {
		o.holds[g] = true
	}
}

// groupsOf returns the groups of conditions that a code of
// openweathermap.org/weather-conditions belongs to.
func groupsOf(id int) []string {
	switch {
	case id/100 == 2:
		return []string{"storm", "rain"}
	case id/100 == 3, id/100 == 5:
		return []string{"rain"}
	case id >= 611 && id <= 616:
		return []string{"snow", "rain"}
	case id/100 == 6:
		return []string{"snow"}
	case id/100 == 7:
		return []string{"fog"}
	case id == 800:
		return []string{"clear"}
	case id == 801, id == 802:
		return []string{"clear", "clouds"}
	case id/100 == 8:
		return []string{"clouds"}
	}
	return nil
}
