package forecast

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/forecast/openweather"
)

// A vocabulary has a language's patterns of what code can disprove. Of most languages it has only
// those that need no grammar: units, names of values, yesterday.
type vocabulary struct {
	units     *regexp.Regexp             // of values, which stand in slots only
	measured  map[measure]*regexp.Regexp // a word that names a measure, then a slot, the only group
	yesterday *regexp.Regexp             // of which the data say nothing

	// spoken matches numbers in words: its first group is the run of words, its second
	// the unit, which may be empty.
	spoken *regexp.Regexp
	// bareFrom is the least number that counts without a unit: "one of those days" is no
	// number.
	bareFrom int
	values   map[string]number
	token    *regexp.Regexp // one word of a run

	// clauses matches the ends of clauses; its first group stays in the text.
	clauses     *regexp.Regexp
	conditional *regexp.Regexp // clauses that claim nothing
	negated     *regexp.Regexp
	idioms      *regexp.Regexp // idioms that contain words of conditions
	conditions  map[string]*regexp.Regexp
	dry         *regexp.Regexp // denies rain and snow
	scales      []scale

	parts                      map[string]*regexp.Regexp // the parts of a day
	dayNames                   map[string]*regexp.Regexp
	allDay, only, begins, ends *regexp.Regexp
	bounds                     *regexp.Regexp // clauses that are of no whole part, as those with until
	umbrella                   *regexp.Regexp
}

// A scale is a pattern of words that fit values between two limits only.
type scale struct {
	words       *regexp.Regexp
	of          quantity
	least, most float64
	denies      bool // they say that there is none
}

// A quantity is what a scale is of: the greatest, or the least, of some steps.
type quantity func(openweather.Sky) (v float64, known, greatest bool)

// The quantities of scales, in °C, m/s and percent.
var (
	warmest quantity = func(s openweather.Sky) (float64, bool, bool) {
		v := s.Main.TempMax
		if v == nil || s.Main.Temp != nil && *s.Main.Temp > *v {
			v = s.Main.Temp
		}
		return orZero(v), v != nil, true
	}
	coldest quantity = func(s openweather.Sky) (float64, bool, bool) {
		least, known := math.Inf(1), false
		for _, v := range []*float64{s.Main.TempMin, s.Main.Temp, s.Main.FeelsLike} {
			if v != nil {
				least, known = min(least, *v), true
			}
		}
		return least, known, false
	}
	breeze quantity = func(s openweather.Sky) (float64, bool, bool) {
		return orZero(s.Wind.Speed), s.Wind.Speed != nil, true
	}
	gusts quantity = func(s openweather.Sky) (float64, bool, bool) {
		return max(orZero(s.Wind.Speed), orZero(s.Wind.Gust)), s.Wind.Speed != nil || s.Wind.Gust != nil, true
	}
	dampness quantity = func(s openweather.Sky) (float64, bool, bool) {
		return orZero(s.Main.Humidity), s.Main.Humidity != nil, true
	}
)

// The limits of scales: those of wind by the Beaufort scale (light up to force 3, strong from 5 with
// its gusts, gales from 7 on), generously; those of temperatures leave room for habit.
func scalesOf(strong, gale, light, windless, hot, heat, cold, bitter, humid string) (all []scale) {
	for _, s := range []struct {
		words       string
		of          quantity
		least, most float64
	}{
		{strong, gusts, 8, 1000}, {gale, gusts, 13.9, 1000}, {light, breeze, 0, 6.5}, {windless, breeze, 0, 4}, {hot, warmest, 25, 1000}, {heat, warmest, 29, 1000},
		{cold, coldest, -1000, 12}, {bitter, coldest, -1000, 4}, {humid, dampness, 60, 1000},
	} {
		all = append(all, scale{regexp.MustCompile(s.words), s.of, s.least, s.most, s.words == windless})
	}
	return all
}

// between reports that the value of some steps lies within the limits, or is not known.
func (s scale) between(o *outlook, steps []int) bool {
	best, any := 0.0, false
	for _, i := range steps {
		v, known, greatest := s.of(o.report.Skies[i])
		if known && (!any || greatest && v > best || !greatest && v < best) {
			best, any = v, true
		}
	}
	return !any || s.least <= best && best <= s.most
}

// untrue returns why a sentence with slots is not borne out, as far as code can tell; "" if it
// may be.
func (o *outlook) untrue(sentence string) string {
	v := vocabularyOf(o.lang)
	bare := slot.ReplaceAllString(folded(sentence), valueMark)
	if slot := v.misnamed(sentence, o.value); slot != "" {
		return "{" + slot + "} is " + o.value(slot) + ", which it calls something else"
	}
	for _, of := range []struct {
		pattern *regexp.Regexp
		why     string
	}{{v.units, "it says %q outside of a slot"}, {v.yesterday, "it says %q, and the data have no other day to compare with"}} {
		if of.pattern == nil {
			continue
		}
		if said := of.pattern.FindString(bare); said != "" {
			return fmt.Sprintf(of.why, strings.TrimSpace(said))
		}
	}
	if v.spoken == nil {
		return ""
	}
	if said := v.number(bare, o.numbers); said != "" {
		return fmt.Sprintf("it says %q, which the facts do not hold: use a slot", said)
	}
	text := v.idioms.ReplaceAllString(slot.ReplaceAllStringFunc(folded(sentence), func(one string) string { return valueMark + one }), " ")
	for _, clause := range strings.Split(v.clauses.ReplaceAllString(text, "$1\n"), "\n") {
		if said := o.untrueClause(v, clause); said != "" {
			return said
		}
	}
	return ""
}

// untrueClause is untrue of a clause.
func (o *outlook) untrueClause(v vocabulary, clause string) string {
	words := slot.ReplaceAllString(clause, "")
	if v.conditional.MatchString(words) {
		return ""
	}
	when := o.scope(v, words)
	for _, m := range slot.FindAllStringSubmatch(clause, -1) {
		if f := m[1]; when.ofPart(f) != "" {
			return fmt.Sprintf("{%s} is not of the %s", f, when.ofPart(f))
		}
	}
	negated := v.negated.MatchString(words) && !(when.part != "" && v.ends.MatchString(words))
	dry := v.dry.FindString(words)
	for _, group := range slices.Sorted(maps.Keys(v.conditions)) {
		said := strings.TrimSpace(v.conditions[group].FindString(words))
		switch {
		case said == "":
		case negated && o.denies(group, when):
			return fmt.Sprintf("it denies %q, which the data hold", said)
		case !negated && !o.claims(group, when):
			return fmt.Sprintf("it says %q, which the data do not hold then", said)
		}
	}
	if dry != "" && !negated && (o.denies("rain", when) || o.denies("snow", when)) {
		return fmt.Sprintf("it says %q, and rain or snow is expected", dry)
	}
	if said := v.umbrella.FindString(words); said != "" && when.allDay && !negated && !o.claims("rain", when) {
		return fmt.Sprintf("it says %q for all of the day", said)
	}
	for _, s := range v.scales {
		if said := s.words.FindString(words); said != "" && (!negated || s.denies) && !s.between(o, when.steps) {
			return fmt.Sprintf("it says %q, which the data do not bear out", strings.TrimSpace(said))
		}
	}
	return ""
}

// A scope is the time of which a clause speaks.
type scope struct {
	steps  []int
	part   string // the one part of the day that it names
	parts  bool   // it names parts, or bounds of them
	allDay bool
	others []int // the steps of which it says that they are otherwise
}

// scope returns the time of a clause: of the days and parts that it names, or of all.
func (o *outlook) scope(v vocabulary, clause string) scope {
	when := scope{steps: o.steps(), allDay: v.allDay.MatchString(clause)}
	for _, d := range o.days {
		if named := v.dayNames[d.Name]; named != nil && named.MatchString(clause) {
			when.steps = d.steps
		}
	}
	var named []string
	for _, name := range partNames {
		if v.parts[name].MatchString(clause) {
			named = append(named, name)
		}
	}
	if when.allDay {
		return when
	}
	if o.kind == Current || len(named) == 0 || v.bounds.MatchString(clause) {
		when.parts = len(named) > 0 || v.bounds.MatchString(clause)
		return when
	}
	when.parts = true
	within := func(i int) bool { return slices.Contains(named, partNames[o.begin(i).Hour()/6]) }
	inside := slices.DeleteFunc(slices.Clone(when.steps), func(i int) bool { return !within(i) })
	if len(inside) == 0 {
		return when // the data have nothing of it
	}
	first, last := inside[0], inside[len(inside)-1]
	when.others = slices.DeleteFunc(slices.Clone(when.steps), func(i int) bool {
		switch {
		case within(i):
			return true
		case v.ends.MatchString(clause):
			return i < last
		case v.begins.MatchString(clause):
			return i > first
		}
		return !v.only.MatchString(clause)
	})
	when.steps = inside
	if v.ends.MatchString(clause) && first > 0 { // it may end as the part begins
		when.steps = append([]int{first - 1}, inside...)
	}
	if len(named) == 1 {
		when.part = named[0]
	}
	return when
}

// ofPart returns the part of the scope if a slot is of another one, or else "".
func (when scope) ofPart(slot string) string {
	for _, name := range partNames {
		if when.part != "" && when.part != name && strings.Contains("_"+slot, "_"+name+"_") {
			return when.part
		}
	}
	return ""
}

// claims reports that the data bear out that there is a group of conditions then, and not at
// those times of which the same clause says otherwise.
func (o *outlook) claims(group string, when scope) bool {
	has := func(i int) bool { return slices.Contains(o.groups(i), group) }
	told := func(i int) bool { return o.expected(group, i) }
	if when.allDay && !when.parts {
		days := slices.DeleteFunc(slices.Clone(when.steps), func(i int) bool { return !o.daylight(i) })
		return len(days) == 0 && slices.ContainsFunc(when.steps, has) || len(days) > 0 && !slices.ContainsFunc(days, func(i int) bool { return !has(i) })
	}
	return slices.ContainsFunc(when.steps, has) && !slices.ContainsFunc(when.others, told)
}

// denies reports that a group of conditions is expected then, so that it may not be denied.
func (o *outlook) denies(group string, when scope) bool {
	if o.kind == Current || when.parts && when.part == "" {
		return false
	}
	return slices.ContainsFunc(when.steps, func(i int) bool { return o.expected(group, i) })
}

// expected reports that a step has a spell of a group.
func (o *outlook) expected(group string, step int) bool {
	of := map[string][]string{"rain": {"rain", "sleet", "storm"}, "snow": {"snow", "sleet"}, "storm": {"storm"}, "fog": {"fog"}}[group]
	return slices.Contains(of, o.kindOf(step))
}
