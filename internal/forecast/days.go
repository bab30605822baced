package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/forecast/openweather"
)

// A Day is the weather of a day, or of those of its hours that a forecast tells of. Facts, plain
// sentences, the checks of a text, the chart and the speech are all made from days.
type Day struct {
	Stretch
	Date   string    `json:"date" jsonschema:"the day on which it begins, as 2026-11-29"`
	Whole  bool      `json:"whole" jsonschema:"whether all of its hours are told: none has passed, and none lies beyond the forecast"`
	Spells []Spell   `json:"spells" jsonschema:"when rain, sleet, snow, storms or fog are expected, in order"`
	Parts  []Stretch `json:"parts" jsonschema:"its night (0 to 6 o'clock), morning (6 to 12), afternoon (12 to 18) and evening (18 to 24), as far as they are told"`

	prefix string // of its slots: "", or its name and _ where several days are told
}

// A Stretch is the weather of some hours. What the service left out is absent.
type Stretch struct {
	Name       string    `json:"name" jsonschema:"of a day: today, tonight, tomorrow or a weekday in English; of a part: night, morning, afternoon or evening"`
	From       time.Time `json:"from" jsonschema:"when its first step begins, on the place's clock"`
	To         time.Time `json:"to" jsonschema:"when its last step ends, on the place's clock"`
	Conditions string    `json:"conditions,omitempty" jsonschema:"what most of its daylight has, or of the night most of it, in the language of the forecast, or else in English"`
	Low        *float64  `json:"low,omitempty" jsonschema:"the lowest temperature, in the units of the forecast"`
	High       *float64  `json:"high,omitempty" jsonschema:"the highest temperature"`
	Wind       *float64  `json:"wind,omitempty" jsonschema:"the highest speed of the wind"`
	Gust       *float64  `json:"gust,omitempty" jsonschema:"the strongest gust"`
	Rain       Rain      `json:"rain"`

	steps []int
	paths map[string]string // of the values in the data
}

// Rain says whether rain or snow is expected.
type Rain struct {
	Expected    bool     `json:"expected"`
	Kind        string   `json:"kind,omitempty" jsonschema:"what is expected: rain, sleet, snow or storm; of several the worst"`
	Probability *float64 `json:"probability,omitempty" jsonschema:"the highest of a step, from 0 to 1; left out if the service does not say"`
	AmountMM    *float64 `json:"amount_mm,omitempty" jsonschema:"how much rain and snow the steps add up to, in mm"`
}

// A Spell is a time without a break in which something is expected.
type Spell struct {
	Kind string    `json:"kind" jsonschema:"rain, sleet, snow, storm or fog"`
	From time.Time `json:"from" jsonschema:"on the place's clock"`
	To   time.Time `json:"to" jsonschema:"on the place's clock"`

	steps []int
}

// The kinds of spells, the worst first.
var kinds = []string{"storm", "snow", "sleet", "rain", "fog"}

// The parts of a day, by the hours at which they begin: each lasts for six.
var partNames = [4]string{"night", "morning", "afternoon", "evening"}

// stepLength is the time from a step of the forecast to the next.
const stepLength = 3 * time.Hour

// day returns the weather of some steps.
func (o *outlook) day(w window) Day {
	d := Day{Stretch: o.stretch(w.name, w.steps), Date: o.begin(w.steps[0]).Format(time.DateOnly), Spells: []Spell{}}
	d.Whole = !w.night && len(w.steps) == stepsBetween(w.from, w.to)
	for _, i := range w.steps {
		name := partNames[o.begin(i).Hour()/6]
		if n := len(d.Parts); n == 0 || d.Parts[n-1].Name != name {
			d.Parts = append(d.Parts, Stretch{Name: name})
		}
		part := &d.Parts[len(d.Parts)-1]
		part.steps = append(part.steps, i)
		kind := o.kindOf(i)
		if n := len(d.Spells); n > 0 && d.Spells[n-1].Kind == kind && d.Spells[n-1].To.Equal(o.begin(i)) {
			d.Spells[n-1].To, d.Spells[n-1].steps = o.end(i), append(d.Spells[n-1].steps, i)
		} else if kind != "" {
			d.Spells = append(d.Spells, Spell{kind, o.begin(i), o.end(i), []int{i}})
		}
	}
	for n, part := range d.Parts {
		d.Parts[n] = o.stretch(part.Name, part.steps)
	}
	return d
}

// stretch returns the weather of some steps, with the steps that its values come from.
func (o *outlook) stretch(name string, steps []int) Stretch {
	s := Stretch{Name: name, From: o.begin(steps[0]), To: o.end(steps[len(steps)-1]), steps: steps, paths: map[string]string{}}
	if i, ok := o.prevailing(steps); ok {
		s.Conditions, s.paths["conditions"] = o.words(i), pathOf(i)+"weather[0]"
	}
	most := func(slot, path string, in func(float64) float64, of func(openweather.Sky) *float64) *float64 {
		v, i, ok := o.peak(steps, of)
		if !ok {
			return nil
		}
		s.paths[slot] = pathOf(i) + path
		return new(hundredth(in(v)))
	}
	s.High = most("high", "main.temp_max", o.temperature, func(s openweather.Sky) *float64 { return cmp.Or(s.Main.TempMax, s.Main.Temp) })
	s.Low = most("low", "main.temp_min", func(v float64) float64 { return o.temperature(-v) }, func(s openweather.Sky) *float64 {
		if v := cmp.Or(s.Main.TempMin, s.Main.Temp); v != nil {
			return new(-*v)
		}
		return nil
	})
	s.Wind = most("wind", "wind.speed", o.speed, func(s openweather.Sky) *float64 { return s.Wind.Speed })
	s.Gust = most("gust", "wind.gust", o.speed, func(s openweather.Sky) *float64 { return s.Wind.Gust })
	s.Rain.Probability = most("rain_chance", "pop", func(v float64) float64 { return v }, func(s openweather.Sky) *float64 { return s.Pop })
	for _, i := range steps {
		if mm := o.report.Skies[i].Amount(); mm != nil {
			s.Rain.AmountMM = new(*mm + orZero(s.Rain.AmountMM))
		}
		if kind := o.kindOf(i); kind != "" && expects(o.report.Skies[i]) && (!s.Rain.Expected || slices.Index(kinds, kind) < slices.Index(kinds, s.Rain.Kind)) {
			s.Rain.Expected, s.Rain.Kind = true, kind
		}
	}
	if s.Rain.AmountMM != nil {
		*s.Rain.AmountMM = hundredth(*s.Rain.AmountMM)
	}
	return s
}

// orZero returns *v, 0 for nil.
func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// hundredth rounds v to two decimals; the result is never -0.
func hundredth(v float64) float64 { return math.Round(v*100)/100 + 0 }

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

// prevailing returns a step with the conditions that most of some steps have: of those that
// begin by day, if there are any. Of equally frequent conditions it is the milder one, as what is
// worse is told with its hours.
func (o *outlook) prevailing(steps []int) (step int, ok bool) {
	described := slices.DeleteFunc(slices.Clone(steps), func(i int) bool { return o.code(i) == 0 })
	if byDay := slices.DeleteFunc(slices.Clone(described), func(i int) bool { return !o.daylight(i) }); len(byDay) > 0 {
		described = byDay
	}
	if len(described) == 0 {
		return 0, false
	}
	count := func(same func(a, b int) bool, i int) (n int) {
		for _, other := range described {
			if same(o.code(i), o.code(other)) {
				n++
			}
		}
		return n
	}
	return slices.MaxFunc(described, func(a, b int) int {
		alike := func(a, b int) bool { return classOf(a) == classOf(b) }
		equal := func(a, b int) bool { return a == b }
		return cmp.Or(count(alike, a)-count(alike, b), severity(classOf(o.code(b)))-severity(classOf(o.code(a))), count(equal, a)-count(equal, b), o.code(b)-o.code(a), b-a)
	}), true
}

// daylight reports that a step begins by day, as the service says, or else between 6 and 18 o'clock.
func (o *outlook) daylight(step int) bool {
	if pod := o.report.Skies[step].Sys.Pod; pod != "" {
		return pod == "d"
	}
	hour := o.begin(step).Hour()
	return hour >= 6 && hour < 18
}

// code returns the condition that is told of a step, by openweathermap.org/weather-conditions; 0 for none.
// Where the service calls rain what is not expected, the clouds are told.
func (o *outlook) code(step int) int {
	s := o.report.Skies[step]
	id := s.Condition().ID
	if o.kind == Current || !falls(id) || expects(s) {
		return id
	}
	for n, most := range []float64{10, 25, 50, 84, 100} {
		if s.Clouds.All != nil && *s.Clouds.All <= most {
			return 800 + n
		}
	}
	return 0
}

// classOf returns the class of a condition: the hundred of its code; of clouds, 81 for few and 83
// for many.
func classOf(code int) int {
	switch code {
	case 801, 802:
		return 81
	case 803, 804:
		return 83
	}
	return code / 100
}

// severity orders classes: clear, few clouds, many, fog, drizzle, rain, snow, thunder.
func severity(class int) int { return slices.Index([]int{8, 81, 83, 7, 3, 5, 6, 2}, class) }

// kindOf returns the kind of spell that a step is of, "" for none.
func (o *outlook) kindOf(step int) string {
	s := o.report.Skies[step]
	id := s.Condition().ID
	switch wet := expects(s); {
	case wet && id/100 == 2, id == 771, id == 781:
		return "storm"
	case wet && id >= 611 && id <= 616:
		return "sleet"
	case wet && id/100 == 6:
		return "snow"
	case wet && falls(id):
		return "rain"
	case wet && s.Snow.Three != nil && orZero(s.Snow.Three) > orZero(s.Rain.Three):
		return "snow"
	case wet:
		return "rain"
	case id/100 == 7:
		return "fog"
	}
	return ""
}

// The limits of expects. An amount is of three hours, in mm; less than 0.1 mm is a trace,
// which rain gauges do not measure (WMO-No. 8, chapter 6).
const (
	likely, measurable = 0.5, 0.1
	possible, plenty   = 0.3, 1.0
)

// expects reports that rain or snow is expected in a step of three hours: if it is likely
// and measurable, or possible and plenty. Of a value that the service left out, the
// condition takes the place.
func expects(s openweather.Sky) bool {
	falling, mm := falls(s.Condition().ID), s.Amount()
	switch {
	case s.Pop == nil && mm == nil:
		return falling
	case s.Pop == nil:
		return *mm >= measurable
	case mm == nil:
		return falling && *s.Pop >= likely
	}
	return *s.Pop >= likely && *mm >= measurable || *s.Pop >= possible && *mm >= plenty
}

// falls reports precipitation, by the codes of openweathermap.org/weather-conditions.
func falls(id int) bool { return id >= 200 && id < 700 }

// pathOf returns the path of a step in the data.
func pathOf(step int) string { return fmt.Sprintf("list[%d].", step) }

// begin and end return when a step begins and ends, on the place's clock.
func (o *outlook) begin(step int) time.Time {
	return o.report.Local(time.Unix(o.report.Skies[step].Dt, 0))
}

func (o *outlook) end(step int) time.Time { return o.begin(step).Add(stepLength) }

// A window is a time that a forecast of its type tells of, such as Saturday, with its steps that
// are not over.
type window struct {
	name     string
	from, to time.Time
	steps    []int
	night    bool // it is no day
}

// addAhead adds the days of the type, as far as the data has them.
func (o *outlook) addAhead(now time.Time) error {
	local := o.report.Local(now)
	o.until = o.window(local, 0, now).to
	windows, err := o.windows(local, now)
	if err != nil {
		return err
	}
	last := len(o.report.Skies) - 1
	windows = slices.DeleteFunc(windows, func(w window) bool { return len(w.steps) == 0 && !w.from.After(o.begin(last)) })
	for _, w := range windows {
		if len(w.steps) == 0 {
			o.missing = append(o.missing, w.name)
			o.note("The forecast does not reach %s yet: say so in missing.", w.name)
			continue
		}
		d := o.day(w)
		if len(windows) > 1 {
			d.prefix = w.name + "_"
		}
		o.days = append(o.days, d)
		o.partial = w.to.Sub(d.To) >= stepLength
	}
	if len(o.days) == 0 {
		return fmt.Errorf("%w: it reaches until %s, on the place's clock", ErrTooFar, o.end(last).Format("Monday, 2 January 2006, 15:04"))
	}
	for _, d := range o.days {
		o.addDay(d)
	}
	return nil
}

// windows returns the times of the type.
func (o *outlook) windows(local, now time.Time) ([]window, error) {
	switch o.kind {
	case Hours:
		return o.hoursAhead(local, now), nil
	case Tomorrow:
		return []window{o.window(local, 1, now).called(Tomorrow)}, nil
	case Weekend:
		return o.weekend(local, now), nil
	case Today:
		return o.today(local, now), nil
	}
	for after := range 7 {
		w := o.window(local, after, now)
		if w.name == o.kind && after == 0 {
			return o.today(local, now), nil
		}
		if w.name == o.kind {
			return []window{w}, nil
		}
	}
	date, err := time.ParseInLocation(time.DateOnly, o.kind, local.Location())
	after := int(math.Round(date.Sub(o.window(local, 0, now).from).Hours() / 24))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: type %q", ErrOption, o.kind)
	case after < 0:
		return nil, fmt.Errorf("%w: type %q: that day is over at the place", ErrOption, o.kind)
	case after == 0:
		return o.today(local, now), nil
	}
	return []window{o.window(local, after, now)}, nil
}

// today returns what is left of today; when that is nearly nothing, the night and tomorrow.
func (o *outlook) today(local, now time.Time) []window {
	today := o.window(local, 0, now).called(Today)
	if len(today.steps) > 1 || stepsBetween(today.from, today.to) == len(today.steps) {
		return []window{today}
	}
	o.note("Today is nearly over: tell of tonight and of tomorrow.")
	return []window{o.tonight(local, now), o.window(local, 1, now).called(Tomorrow)}
}

// tonight returns the time from now until 6 o'clock.
func (o *outlook) tonight(local, now time.Time) window {
	y, m, d := local.Date()
	w := o.between(running(local), time.Date(y, m, d+1, 6, 0, 0, 0, local.Location()), now).called("tonight")
	w.night = true
	return w
}

// running returns the least time after which a step that runs at now begins.
func running(now time.Time) time.Time { return now.Add(1 - stepLength) }

// weekend returns the days of this weekend that are not over; when it is nearly over, the night and
// the next weekend.
func (o *outlook) weekend(local, now time.Time) []window {
	ahead := (int(time.Saturday) - int(local.Weekday()) + 7) % 7
	next := []window{o.window(local, ahead, now), o.window(local, ahead+1, now)}
	if local.Weekday() != time.Sunday {
		return next
	}
	if sunday := o.window(local, 0, now); len(sunday.steps) > 1 {
		return []window{sunday}
	}
	o.note("The weekend is nearly over: tell of tonight.")
	return append([]window{o.tonight(local, now)}, next...)
}

// hoursAhead returns the days on which the hours of the type lie, with the hours of each.
func (o *outlook) hoursAhead(local, now time.Time) (all []window) {
	end := local.Add(time.Duration(o.hours)*time.Hour + 1)
	for after := 0; ; after++ {
		w := o.window(local, after, now)
		if !w.from.Before(end) {
			return all
		}
		name := w.name
		if after < 2 {
			name = []string{Today, Tomorrow}[after]
		}
		cut := o.between(w.from, earlier(w.to, end), now).called(name)
		cut.from, cut.night = w.from, stepsBetween(w.from, w.to) > len(cut.steps)
		if len(cut.steps) > 0 || after > 0 && stepsBetween(w.from, earlier(w.to, end)) > 0 {
			all = append(all, cut)
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// called returns w with another name.
func (w window) called(name string) window {
	w.name = name
	return w
}

// window returns the day so many days after local, by the name of its weekday.
func (o *outlook) window(local time.Time, after int, now time.Time) window {
	y, m, d := local.Date()
	w := o.between(time.Date(y, m, d+after, 0, 0, 0, 0, local.Location()), time.Date(y, m, d+after+1, 0, 0, 0, 0, local.Location()), now)
	return w.called(strings.ToLower(w.from.Weekday().String()))
}

// between returns the time between two, with its steps that are not over at now.
func (o *outlook) between(from, to, now time.Time) window {
	w := window{from: from, to: to}
	for i := range o.report.Skies {
		if at := o.begin(i); !at.Before(from) && at.Before(to) && o.end(i).After(now) {
			w.steps = append(w.steps, i)
		}
	}
	return w
}

// stepsBetween returns how many steps begin between two times: the service's are at the
// multiples of three hours, UTC.
func stepsBetween(from, to time.Time) int {
	const step = int64(stepLength / time.Second)
	return int(max(0, (to.Unix()-1+step)/step-(from.Unix()-1+step)/step))
}
