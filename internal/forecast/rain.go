package forecast

import (
	"time"

	"example.com/whatis/internal/forecast/openweather"
)

// Rain says whether it will rain or snow.
type Rain struct {
	Expected    bool       `json:"expected"`
	Probability *float64   `json:"probability,omitempty" jsonschema:"the highest probability of a step, from 0 to 1; left out if the service does not say"`
	AmountMM    *float64   `json:"amount_mm,omitempty" jsonschema:"how much rain and snow the steps add up to, in mm"`
	Kind        string     `json:"kind,omitempty"` // Rain, Snow, …, as the service calls it
	From        *time.Time `json:"from,omitempty"`
	To          *time.Time `json:"to,omitempty"`
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

// mayFall reports that a text may name rain or snow of a step.
func mayFall(s openweather.Sky) bool {
	mm := s.Amount()
	return falls(s.Condition().ID) || s.Pop != nil && *s.Pop >= possible || mm != nil && *mm >= measurable
}

// falls reports precipitation, by the codes of openweathermap.org/weather-conditions.
func falls(id int) bool { return id >= 200 && id < 700 }

// addRain adds the probability and amount of a span's precipitation, and from when to when
// it is first expected.
func (o *outlook) addRain(sp span) {
	if wet, at, ok := o.peak(sp.steps, func(s openweather.Sky) *float64 { return s.Pop }); ok {
		o.add(sp.prefix+"rain_chance", whole(wet*100)+"%", pathOf(at)+"pop")
		if o.rain.Probability == nil || wet > *o.rain.Probability {
			o.rain.Probability = &wet
		}
	}
	begin, end := o.fall(sp.steps)
	if begin < 0 {
		return
	}
	from, to := o.begin(begin), o.end(end)
	o.add(sp.prefix+"rain_from", from.Format("15:04"), pathOf(begin)+"dt")
	o.add(sp.prefix+"rain_to", to.Format("15:04"), pathOf(end)+"dt")
	if !o.rain.Expected {
		o.rain.Expected, o.rain.Kind, o.rain.From, o.rain.To = true, kindOfFall(o.report.Skies[begin]), &from, &to
	}
}

func (r *Rain) add(mm float64) {
	sum := mm
	if r.AmountMM != nil {
		sum += *r.AmountMM
	}
	r.AmountMM = &sum
}

// fall returns the first and the last step of the first time without a break in which
// precipitation is expected; -1 if there is none.
func (o *outlook) fall(steps []int) (begin, end int) {
	begin, end = -1, -1
	for _, i := range steps {
		goesOn := begin < 0 || o.begin(i).Equal(o.end(end))
		if !expects(o.report.Skies[i]) || !goesOn {
			if begin >= 0 {
				break
			}
			continue
		}
		if begin < 0 {
			begin = i
		}
		end = i
	}
	return begin, end
}

// kindOfFall returns what falls in a step, as the service calls it.
func kindOfFall(s openweather.Sky) string {
	if c := s.Condition(); falls(c.ID) {
		return c.Main
	}
	if s.Snow.Three != nil && (s.Rain.Three == nil || *s.Snow.Three > *s.Rain.Three) {
		return "Snow"
	}
	return "Rain"
}
