package forecast

import (
	"fmt"
	"strings"
	"time"
)

// stepLength is the time from a step of the forecast to the next.
const stepLength = 3 * time.Hour

// A Horizon says which time a forecast is of: that of Steps steps of three hours, of the Of
// that its type has. Hours of today that have passed and days out of reach are missing.
type Horizon struct {
	From  time.Time `json:"from" jsonschema:"when its first step begins, on the place's clock"`
	To    time.Time `json:"to" jsonschema:"when its last step ends, on the place's clock"`
	Steps int       `json:"steps" jsonschema:"how many steps of three hours it tells of"`
	Of    int       `json:"of" jsonschema:"how many steps the days or hours of its type have"`
}

// A span is a time that a forecast tells of, such as Saturday.
type span struct {
	prefix   string // of its slots: "", or its name and _
	name     string // today, tomorrow, tonight, saturday, sunday or hours
	from, to time.Time
	of       int // how many steps begin in it
	steps    []int
	night    bool // it is no day
}

// names reports that a text must name the hours of the span: those that are left of a day
// or within reach, a few hours, or a night.
func (sp span) names() bool { return sp.night || len(sp.steps) < sp.of || len(sp.steps) < 4 }

// addAhead adds the coming steps of the days or hours of the type.
func (o *outlook) addAhead(now time.Time) error {
	o.until = o.day(o.report.Local(now), 0, now).to
	for _, sp := range o.chosen(now) {
		switch last := o.begin(len(o.report.Skies) - 1); {
		case len(sp.steps) > 0:
			o.spans = append(o.spans, sp)
			o.addSpan(sp)
		case sp.from.After(last):
			o.missing = append(o.missing, sp.name)
			o.note("The forecast does not reach %s yet: say so in missing.", sp.name)
		}
	}
	if len(o.spans) == 0 {
		return ErrTooFar
	}
	o.addHorizon()
	return nil
}

// addHorizon adds up the spans, which may overlap, and the days that are missing.
func (o *outlook) addHorizon() {
	first, last := o.spans[0], o.spans[len(o.spans)-1]
	o.horizon = &Horizon{From: o.begin(first.steps[0]), To: o.end(last.steps[len(last.steps)-1]), Steps: len(o.hours), Of: 8 * len(o.missing)}
	for n, sp := range o.spans {
		o.horizon.Of += sp.of
		if n > 0 {
			o.horizon.Of -= stepsBetween(sp.from, o.spans[n-1].to)
		}
	}
	o.horizon.Of = max(o.horizon.Of, o.horizon.Steps)
}

// note adds a line for the writer and the checker.
func (o *outlook) note(format string, a ...any) { o.notes = append(o.notes, fmt.Sprintf(format, a...)) }

// cut reports that a day or hours of the type lie beyond the data.
func (o *outlook) cut() bool {
	if len(o.spans) == 0 {
		return false
	}
	last := o.spans[len(o.spans)-1]
	return len(o.missing) > 0 || last.to.Sub(o.end(last.steps[len(last.steps)-1])) >= stepLength
}

// chosen returns the spans of the type, with the steps that the data has of each.
func (o *outlook) chosen(now time.Time) []span {
	local := o.report.Local(now)
	switch o.kind {
	case Hours:
		sp := o.span(running(local), local.Add(time.Duration(o.variant.hours)*time.Hour+1), now)
		sp.of = o.variant.hours / 3
		return []span{sp.called(Hours, "")}
	case Tomorrow:
		return []span{o.day(local, 1, now).called(Tomorrow, "")}
	case Weekend:
		return o.weekend(local, now)
	}
	today := o.day(local, 0, now).called(Today, "")
	if len(today.steps) > 1 || today.of == len(today.steps) {
		return []span{today}
	}
	return o.evening(local, now)
}

// evening returns the spans of today when it is nearly over: the night and tomorrow.
func (o *outlook) evening(local, now time.Time) []span {
	o.note("Today is nearly over: tell of tonight and of tomorrow.")
	return []span{o.night(local, now), o.day(local, 1, now).called(Tomorrow, "tomorrow_")}
}

// night returns the span from now until 6 o'clock.
func (o *outlook) night(local, now time.Time) span {
	y, m, d := local.Date()
	night := o.span(running(local), time.Date(y, m, d+1, 6, 0, 0, 0, local.Location()), now)
	night.night = true
	return night.called("tonight", "tonight_")
}

// running returns the least time after which a step that runs at now begins.
func running(now time.Time) time.Time { return now.Add(1 - stepLength) }

// weekend returns the days of this weekend that are not over; when it is nearly over, the night and
// the next weekend.
func (o *outlook) weekend(local, now time.Time) []span {
	ahead := (int(time.Saturday) - int(local.Weekday()) + 7) % 7
	next := []span{o.day(local, ahead, now).weekday(), o.day(local, ahead+1, now).weekday()}
	if local.Weekday() != time.Sunday {
		return next
	}
	if sunday := o.day(local, 0, now).weekday(); len(sunday.steps) > 1 {
		return []span{sunday}
	}
	o.note("The weekend is nearly over: tell of tonight.")
	return append([]span{o.night(local, now)}, next...)
}

// called returns sp with its name and the prefix of its slots.
func (sp span) called(name, prefix string) span {
	sp.name, sp.prefix = name, prefix
	return sp
}

// weekday returns a day by the name of its weekday.
func (sp span) weekday() span {
	name := strings.ToLower(sp.from.Weekday().String())
	return sp.called(name, name+"_")
}

// day returns the span of a day, so many days after local.
func (o *outlook) day(local time.Time, after int, now time.Time) span {
	y, m, d := local.Date()
	return o.span(time.Date(y, m, d+after, 0, 0, 0, 0, local.Location()), time.Date(y, m, d+after+1, 0, 0, 0, 0, local.Location()), now)
}

// span returns the span between two times, with its steps that are not over at now.
func (o *outlook) span(from, to, now time.Time) span {
	sp := span{from: from, to: to, of: stepsBetween(from, to)}
	for i := range o.report.Skies {
		if at := o.begin(i); !at.Before(from) && at.Before(to) && o.end(i).After(now) {
			sp.steps = append(sp.steps, i)
		}
	}
	return sp
}

// stepsBetween returns how many steps begin between two times: the service's are at the
// multiples of three hours, UTC.
func stepsBetween(from, to time.Time) int {
	const step = int64(stepLength / time.Second)
	return int(max(0, (to.Unix()-1+step)/step-(from.Unix()-1+step)/step))
}
