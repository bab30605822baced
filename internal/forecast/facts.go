package forecast

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/whatis/internal/forecast/openweather"
)

// temperature and speed return a value of the data in the units of the outlook.
func (o *outlook) temperature(celsius float64) float64 {
	switch o.units {
	case openweather.Imperial:
		return celsius*9/5 + 32
	case openweather.Standard:
		return celsius + 273.15
	}
	return celsius
}

func (o *outlook) speed(metres float64) float64 {
	if o.units == openweather.Imperial {
		return metres * 3600 / 1609.344
	}
	return metres
}

// degrees and speeds format a value in the units of the outlook.
func (o *outlook) degrees(v float64) string {
	return whole(v) + map[string]string{openweather.Imperial: "°F", openweather.Metric: "°C", openweather.Standard: " K"}[o.units]
}

func (o *outlook) speeds(v float64) string {
	if o.units == openweather.Imperial {
		return whole(v) + " mph"
	}
	return whole(v) + " m/s"
}

func percent(v float64) string { return whole(v) + "%" }

// whole formats v rounded, without a minus before zero.
func whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

// addCurrent adds the facts of the current weather.
func (o *outlook) addCurrent() {
	s := o.report.Skies[0]
	o.addWords("conditions", o.words(0), "weather[0]")
	for _, v := range []struct {
		slot, path string
		value      *float64
		in         func(float64) float64
		format     func(float64) string
	}{
		{"temp", "main.temp", s.Main.Temp, o.temperature, o.degrees}, {"feels_like", "main.feels_like", s.Main.FeelsLike, o.temperature, o.degrees},
		{"humidity", "main.humidity", s.Main.Humidity, hundredth, percent}, {"wind", "wind.speed", s.Wind.Speed, o.speed, o.speeds}, {"gust", "wind.gust", s.Wind.Gust, o.speed, o.speeds},
	} {
		if v.value != nil {
			o.add(v.slot, v.format(hundredth(v.in(*v.value))), v.path)
		}
	}
	if !o.report.Rise.IsZero() {
		o.add("sunrise", o.report.Local(o.report.Rise).Format("15:04"), "sys.sunrise")
		o.add("sunset", o.report.Local(o.report.Set).Format("15:04"), "sys.sunset")
	}
}

// mostDetailed is how many days are told part by part.
const mostDetailed = 3

// addDay adds the facts of a day and of its parts.
func (o *outlook) addDay(d Day) {
	w := sayingsOf(o.lang)
	if d.namesHours() {
		slot := d.prefix + "hours"
		o.add(slot, w.from(d.From, d.To), pathOf(d.steps[0])+"dt")
		o.note("The values of {%s} are of these hours only: name them with the slot, and call no value that of the day.", slot)
	}
	o.addStretch(d.prefix, d.Stretch)
	for _, kind := range kinds {
		var times, paths []string
		for _, s := range d.Spells {
			if s.Kind == kind {
				times, paths = append(times, w.from(s.From, s.To)), append(paths, pathOf(s.steps[0])+"dt")
			}
		}
		if len(times) > 0 {
			slot := d.prefix + kind + "_times"
			o.add(slot, strings.Join(times, w.and), strings.Join(paths, ", "))
			o.note("{%s} is when %s is expected, and at no other time of the day: use the slot.", slot, kind)
		}
	}
	if len(o.days) > mostDetailed {
		return
	}
	for _, part := range d.Parts {
		o.addStretch(d.prefix+part.Name+"_", part)
	}
}

// addStretch adds the facts of a day or of a part of one.
func (o *outlook) addStretch(prefix string, s Stretch) {
	o.addWords(prefix+"conditions", s.Conditions, s.paths["conditions"])
	if s.High != nil {
		o.add(prefix+"high", o.degrees(*s.High), s.paths["high"])
		o.add(prefix+"low", o.degrees(*s.Low), s.paths["low"])
	}
	if s.Rain.Probability != nil {
		o.add(prefix+"rain_chance", percent(100**s.Rain.Probability), s.paths["rain_chance"])
	}
	if s.Wind != nil {
		o.add(prefix+"wind", o.speeds(*s.Wind), s.paths["wind"])
	}
	if s.Gust != nil {
		o.add(prefix+"gust", o.speeds(*s.Gust), s.paths["gust"])
	}
}

// namesHours reports that a text must name the hours of a day: those that are left of it or
// within reach, or a night.
func (d Day) namesHours() bool { return !d.Whole }

// clock formats the time at which something begins.
func clock(t time.Time) string { return t.Format("15:04") }

// end formats the time at which something ends: at midnight with the day before.
func end(t time.Time) string {
	if t.Hour() == 0 && t.Minute() == 0 {
		return "24:00"
	}
	return clock(t)
}

//go:embed conditions.tsv
var conditionsText string

// conditions maps languages to the words of conditions by their codes.
var conditions = sync.OnceValue(func() map[string]map[int]string {
	all := map[string]map[int]string{}
	var langs []string
	for line := range strings.Lines(conditionsText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch code, err := strconv.Atoi(f[0]); {
		case err == nil:
			for i, words := range f[1:] {
				all[langs[i]][code] = words
			}
		case line[0] != '#':
			for _, lang := range f[1:] {
				langs, all[lang] = append(langs, lang), map[int]string{}
			}
		}
	}
	return all
})

// translated reports that there are words of conditions in a language.
func translated(lang string) bool { return conditions()[baseOf(lang)] != nil }

// baseOf returns the language of a tag without script and region.
func baseOf(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return base
}

// words returns the conditions of a step in the language of the outlook, or else in English; those
// of a code that we do not know as the service calls them, "" for none.
func (o *outlook) words(step int) string {
	of := conditions()[baseOf(o.lang)]
	if of == nil {
		of = conditions()["en"]
	}
	code := o.code(step)
	if words := of[code]; words != "" || code == 0 {
		return words
	}
	return o.report.Skies[step].Condition().Description
}

// groups returns the groups of conditions that a text may name of a step.
func (o *outlook) groups(step int) []string {
	s := o.report.Skies[step]
	groups := groupsOf(s.Condition().ID)
	if mayFall(s) {
		groups = append(groups, "rain")
	}
	if falls(s.Condition().ID) { // out of clouds
		groups = append(groups, "clouds")
	}
	if orZero(s.Snow.Three) > 0 {
		groups = append(groups, "snow")
	}
	if slices.ContainsFunc([]*float64{s.Main.Temp, s.Main.TempMin}, func(t *float64) bool { return t != nil && *t <= 0 }) {
		groups = append(groups, "frost")
	}
	return groups
}

// mayFall reports that a text may name rain or snow of a step.
func mayFall(s openweather.Sky) bool {
	mm := s.Amount()
	return falls(s.Condition().ID) || s.Pop != nil && *s.Pop >= possible || mm != nil && *mm >= measurable
}

// groupsOf returns the groups of conditions that a code of
// openweathermap.org/weather-conditions belongs to.
func groupsOf(id int) []string {
	switch {
	case id/100 == 2:
		return []string{"storm", "rain"}
	case id == 771, id == 781:
		return []string{"storm", "fog"}
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
