package forecast

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/forecast/openweather"
)

// A recorded is an answer of the weather service with what the test knows of it.
type recorded struct {
	name, country, zone string
	lat, lon            float64
	now                 time.Time
	body                []byte // of /data/2.5/forecast
}

// value returns the number at a path such as main.temp, not ok if it is absent or null.
func value(step map[string]any, path ...string) (float64, bool) {
	var v any = step
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	n, ok := v.(float64)
	return n, ok
}

// spot is a place, and a moment at which something is special there.
type spot struct {
	name, country, zone string
	lat, lon            float64
	moments             []string // UTC
}

var spots = []spot{
	{"London", "GB", "Europe/London", 51.51, -0.13, []string{"2026-10-24T22:10", "2026-10-25T00:40", "2026-10-22T09:00", "2027-03-27T20:00", "2027-03-28T00:30", "2027-03-25T12:00"}},
	{"New York", "US", "America/New_York", 40.71, -74.01, []string{"2026-10-31T20:00", "2026-11-01T05:30", "2027-03-13T18:00", "2027-03-14T06:30"}},
	{"Sydney", "AU", "Australia/Sydney", -33.87, 151.21, []string{"2026-10-03T10:00", "2026-10-03T15:30", "2027-04-03T14:00"}},
	{"Lord Howe", "AU", "Australia/Lord_Howe", -31.55, 159.08, []string{"2026-10-03T10:00", "2027-04-02T23:00"}},
	{"Kathmandu", "NP", "Asia/Kathmandu", 27.72, 85.32, []string{"2026-11-24T12:30", "2026-11-24T17:50", "2026-11-27T18:20"}},
	{"Kiritimati", "KI", "Pacific/Kiritimati", 1.98, -157.47, []string{"2026-11-24T08:00", "2026-11-25T09:30"}},
	{"Taveuni", "FJ", "Pacific/Fiji", -16.8, -179.97, []string{"2026-11-24T11:30", "2026-11-27T00:00"}},
	{"Pago Pago", "AS", "Pacific/Pago_Pago", -14.28, -170.7, []string{"2026-11-24T11:30", "2026-11-28T10:59"}},
	{"South Pole", "AQ", "Antarctica/McMurdo", -90, 0, []string{"2026-09-25T12:00", "2026-11-24T01:00"}},
	{"Alert", "CA", "America/Toronto", 82.5, -62.35, []string{"2026-10-30T12:00", "2026-12-31T23:30"}},
	{"Seoul", "KR", "Asia/Seoul", 37.57, 126.98, []string{"2026-11-24T03:00", "2026-11-24T14:50", "2026-11-27T15:10"}},
}

// own returns 60 answers of the service that have holes of every kind.
func own(t *testing.T) (all []recorded) {
	t.Helper()
	for n := 0; len(all) < 60; n++ {
		s := spots[n%len(spots)]
		now, err := time.Parse("2006-01-02T15:04", s.moments[n/len(spots)%len(s.moments)])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, recorded{fmt.Sprint(s.name, " ", n), s.country, s.zone, s.lat, s.lon, now, payloadOf(t, s, now, n)})
	}
	return all
}

// payloadOf makes an answer whose values depend on n and the step, and drops some.
func payloadOf(t *testing.T, s spot, now time.Time, n int) []byte {
	t.Helper()
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		t.Fatal(err)
	}
	skies := []map[string]any{
		{"id": 800, "main": "Clear", "description": "clear sky"}, {"id": 500, "main": "Rain", "description": "light rain"}, {"id": 804, "main": "Clouds", "description": "overcast clouds"},
		{"id": 601, "main": "Snow", "description": "snow"}, {"id": 741, "main": "Fog", "description": "fog"}, {"id": 211, "main": "Thunderstorm", "description": "thunderstorm"},
	}
	list := []any{}
	for i := range 40 {
		v := float64((i*7+n*13)%29) - 9
		step := map[string]any{
			"dt":      now.Truncate(3*time.Hour).Unix() + int64(i+1)*10800,
			"main":    map[string]any{"temp": v + .4, "feels_like": v - 2, "temp_min": v, "temp_max": v + .8, "humidity": 40 + i},
			"weather": []any{skies[(i/3+n)%len(skies)]}, "wind": map[string]any{"speed": float64(i%11) + .3, "gust": float64(i%7) + 8.2}, "clouds": map[string]any{"all": (i*17 + n*5) % 101}, "pop": float64((i*3+n)%11) / 10,
		}
		if mm := float64((i*5+n)%9) / 4; mm > 0 {
			step[[]string{"rain", "snow"}[n%2]] = map[string]any{"3h": mm}
		}
		main := step["main"].(map[string]any)
		switch hole := (n + i) % 17; {
		case n%6 == 0: // whole
		case hole == 0:
			main["temp"], main["temp_min"], main["temp_max"] = nil, nil, nil
		case hole == 1:
			delete(main, "temp_max")
			main["temp_min"] = nil
		case hole == 2:
			delete(step, "pop")
		case hole == 3:
			step["weather"] = []any{}
		case hole == 4:
			step["wind"] = nil
		case hole == 5:
			delete(step, "rain")
			delete(step, "snow")
		case hole == 6:
			delete(step, "main")
		case hole == 7 && n%3 == 0:
			continue // no step
		case hole == 8:
			step["dt"] = nil
		case hole == 9:
			delete(step, "clouds")
		case hole == 10:
			delete(step["wind"].(map[string]any), "gust")
		}
		list = append(list, step)
	}
	_, offset := now.In(zone).Zone()
	body, err := json.Marshal(map[string]any{"cod": "200", "list": list, "city": map[string]any{"timezone": offset, "country": s.country}})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// The requests that each payload is asked for, beside a day by its name.
var kindsAsked = []string{Today, Tomorrow, Weekend, Hours}

// The forecasts of own and real answers of the service say what they hold, and nothing of
// what they lack: each number, time and part in JSON, facts and plain sentences equals a
// calculation that shares nothing with ours, in every system of units.
func TestPayloads(t *testing.T) {
	h := open(t, nil)
	real := realPayloads(t)
	checked := 0
	for n, r := range append(real, own(t)...) {
		named := strings.ToLower(r.now.In(r.clock(t)).AddDate(0, 0, 2+n%2).Weekday().String())
		for _, kind := range append(kindsAsked, named) {
			for _, units := range []string{openweather.Metric, openweather.Imperial, openweather.Standard} {
				checked += h.checkPayload(t, r, kind, units, []string{"en", "ko", "vi", "de"}[n%4], n%15 == 0 && units == openweather.Metric)
			}
		}
	}
	t.Logf("%d forecasts of %d real payloads and %d of ours were calculated", checked, len(real), len(own(t)))
}

// clock returns the zone of r.
func (r recorded) clock(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// checkPayload compares a forecast, and returns 1 if the data reach it.
func (h harness) checkPayload(t *testing.T, r recorded, kind, units, lang string, whole bool) int {
	t.Helper()
	h.Pipeline.Now = func() time.Time { return r.now }
	client, err := openweather.New(openweather.Config{Key: "k", BaseURL: h.Weather.URL(), AllowEmulated: true, PerMinute: 6000})
	if err != nil {
		t.Fatal(err)
	}
	h.Pipeline.Weather = client
	h.Weather.ResetCalls()
	h.Weather.SetAnswer("/data/2.5/forecast", r.body)
	h.Weather.SetAnswer("/geo/1.0/reverse", []byte(fmt.Sprintf(`[{"name":%q,"country":%q}]`, r.name, r.country)))
	asked := Request{City: fmt.Sprintf("%.4f,%.4f", r.lat, r.lon), Type: kind, Units: units, Hours: 48, Lang: lang}
	v, err := h.variant(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	about := fmt.Sprint(r.name, " at ", r.now.In(r.clock(t)).Format("Mon 15:04"), ", ", kind, " in ", units, " ", lang)
	want, missing := r.expected(t, kind)
	o, err := h.outlook(t.Context(), v)
	if errors.Is(err, ErrTooFar) && len(want) == 0 {
		return 0
	}
	if err != nil {
		t.Errorf("%s: %v", about, err)
		return 0
	}
	if got := len(o.missing); got != missing || len(o.days) != len(want) {
		t.Errorf("%s: %d days and %d missing, want %d and %d", about, len(o.days), got, len(want), missing)
		return 0
	}
	r.checkHours(t, about, o)
	plain := strings.Join(o.template(ownWords(lang)), " ")
	if why := refusedFor(o, plain); why != "" && lang != "de" {
		t.Errorf("%s: the plain text %q: %s", about, plain, why)
	}
	text, _ := o.fill(plain)
	prefix := ""
	for i, day := range want {
		if len(want)+missing > 1 {
			prefix = day.name + "_"
		}
		r.checkDay(t, about, o, o.days[i], day, prefix)
		for _, spell := range day.spells() {
			for _, at := range []string{spell.from, spell.to} {
				if own := translated(lang) && lang != "de"; own && !strings.Contains(text, at) {
					t.Errorf("%s: %q does not tell of %+v", about, text, spell)
				}
			}
		}
	}
	if n := len(sentencesOf(text)); n > 6+missing && lang != "de" {
		t.Errorf("%s: %d sentences, want 6 at most: %q", about, n, text)
	}
	if whole {
		asked.Audio = true
		h.checkSpoken(t, about, asked)
	}
	return 1
}

// checkSpoken makes a forecast with its audio: each fact is in the text, and each number is spoken.
func (h harness) checkSpoken(t *testing.T, about string, asked Request) {
	t.Helper()
	h.Gemini.ResetCalls()
	res, err := h.Run(t.Context(), asked, nil)
	if err != nil {
		t.Errorf("%s: %v", about, err)
		return
	}
	for _, f := range res.Facts {
		if !strings.Contains(res.Text, f.Value) {
			t.Errorf("%s: %q lacks %+v", about, res.Text, f)
		}
	}
	spoken := ""
	for _, call := range h.Gemini.Calls() {
		if call.Kind == emulated.KindSpeak {
			spoken += strings.Join(call.Texts, " ")
		}
	}
	for _, n := range regexp.MustCompile(`-?\d+(?::\d\d)?`).FindAllString(res.Text, -1) {
		if !strings.Contains(spoken, n) {
			t.Errorf("%s: %q is spoken as %q, without %s", about, res.Text, spoken, n)
		}
	}
}

// A wantedDay is a day as the test calculates it: its steps, by the clock of zone.
type wantedDay struct {
	name  string
	whole bool
	steps []map[string]any
	zone  *time.Location
}

// expected returns the days of a type, from the steps by their dates, and how many are out of reach.
func (r recorded) expected(t *testing.T, kind string) (days []wantedDay, missing int) {
	t.Helper()
	zone := r.clock(t)
	var body struct{ List []map[string]any }
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	steps := slices.DeleteFunc(body.List, func(s map[string]any) bool { dt, ok := value(s, "dt"); return !ok || dt == 0 })
	last := timeOf(steps[len(steps)-1])
	local := r.now.In(zone)
	dateOf := func(after int) string { return local.AddDate(0, 0, after).Format(time.DateOnly) }
	// of returns the steps of a date before until that are not over, and how many it has in all.
	of := func(date string, until time.Time) (all []map[string]any, whole bool) {
		for _, s := range steps {
			if at := timeOf(s); at.In(zone).Format(time.DateOnly) == date && at.Add(3*time.Hour).After(r.now) && at.Before(until) {
				all = append(all, s)
			}
		}
		begins := 0
		midnight, _ := time.ParseInLocation(time.DateOnly, date, zone)
		for at := midnight.Truncate(3 * time.Hour).Add(-3 * time.Hour); at.Before(midnight.Add(27 * time.Hour)); at = at.Add(3 * time.Hour) {
			if at.In(zone).Format(time.DateOnly) == date {
				begins++
			}
		}
		return all, begins == len(all)
	}
	never := r.now.AddDate(1, 0, 0)
	add := func(name string, after int, until time.Time) {
		all, whole := of(dateOf(after), until)
		midnight, _ := time.ParseInLocation(time.DateOnly, dateOf(after), zone)
		switch {
		case len(all) > 0:
			days = append(days, wantedDay{name, whole, all, zone})
		case midnight.After(last):
			missing++
		}
	}
	weekday := func(after int) string { return strings.ToLower(local.AddDate(0, 0, after).Weekday().String()) }
	night := func() {
		var all []map[string]any
		for _, s := range steps {
			morning, _ := time.ParseInLocation("2006-01-02 15", dateOf(1)+" 06", zone)
			if at := timeOf(s); at.Add(3*time.Hour).After(r.now) && at.Before(morning) {
				all = append(all, s)
			}
		}
		days = append(days, wantedDay{"tonight", false, all, zone})
	}
	today, whole := of(dateOf(0), never)
	nearlyOver := len(today) < 2 && !whole
	switch {
	case kind == Hours:
		end := r.now.Add(48*time.Hour + 1)
		for after := range 4 {
			name := weekday(after)
			if after < 2 {
				name = []string{Today, Tomorrow}[after]
			}
			if midnight, _ := time.ParseInLocation(time.DateOnly, dateOf(after), zone); midnight.Before(end) {
				add(name, after, end)
			}
		}
		return days, missing
	case kind == Tomorrow:
		add(kind, 1, never)
	case kind == Today && nearlyOver:
		night()
		add(Tomorrow, 1, never)
	case kind == Today:
		add(kind, 0, never)
	case kind == Weekend:
		saturday := (6 - int(local.Weekday()) + 7) % 7
		switch {
		case local.Weekday() == time.Sunday && len(today) > 1:
			add("sunday", 0, never)
			return days, missing
		case local.Weekday() == time.Sunday:
			night()
		}
		add("saturday", saturday, never)
		add("sunday", saturday+1, never)
	default:
		for after := range 7 {
			if weekday(after) == kind {
				add(kind, after, never)
			}
		}
	}
	return days, missing
}

func timeOf(s map[string]any) time.Time {
	dt, _ := value(s, "dt")
	return time.Unix(int64(dt), 0)
}

// A wantedSpell is a spell with its times as they are spoken.
type wantedSpell struct{ kind, from, to string }

// spells returns the spells of a day.
func (d wantedDay) spells() (all []wantedSpell) {
	for i := 0; i < len(d.steps); {
		kind, n := spellOf(d.steps[i]), i
		for i++; i < len(d.steps) && spellOf(d.steps[i]) == kind && timeOf(d.steps[i]).Sub(timeOf(d.steps[i-1])) == 3*time.Hour; i++ {
			continue
		}
		if kind != "" {
			to := timeOf(d.steps[i-1]).Add(3 * time.Hour).In(d.zone).Format("15:04")
			all = append(all, wantedSpell{kind, timeOf(d.steps[n]).In(d.zone).Format("15:04"), strings.Replace(to, "00:00", "24:00", 1)})
		}
	}
	return all
}

// idOf returns the service's condition, 0 for none.
func idOf(s map[string]any) int {
	if weather, _ := s["weather"].([]any); len(weather) > 0 {
		id, _ := value(weather[0].(map[string]any), "id")
		return int(id)
	}
	return 0
}

// spellOf is what is expected in a step, by docs/weather.md.
func spellOf(s map[string]any) string {
	id := idOf(s)
	if id == 771 || id == 781 {
		return "storm"
	}
	if !rains(s) {
		if id/100 == 7 {
			return "fog"
		}
		return ""
	}
	for _, of := range []struct {
		from, to int
		kind     string
	}{{200, 299, "storm"}, {611, 616, "sleet"}, {600, 699, "snow"}, {200, 699, "rain"}} {
		if id >= of.from && id <= of.to {
			return of.kind
		}
	}
	rain, _ := value(s, "rain", "3h")
	if snow, _ := value(s, "snow", "3h"); snow > rain {
		return "snow"
	}
	return "rain"
}

// toldCode is the condition that is told of a step: where rain is called and not expected, its clouds.
func toldCode(s map[string]any) int {
	id := idOf(s)
	if id < 200 || id >= 700 || rains(s) {
		return id
	}
	clouds, ok := value(s, "clouds", "all")
	switch {
	case !ok:
		return 0
	case clouds <= 10:
		return 800
	case clouds <= 25:
		return 801
	case clouds <= 50:
		return 802
	case clouds <= 84:
		return 803
	}
	return 804
}

// mostly is the condition that most of some steps have, of equally frequent classes the mildest.
func mostly(steps []map[string]any, zone *time.Location) int {
	classes := [][]int{{800}, {801, 802}, {803, 804}, span(700, 799), span(300, 399), span(500, 599), span(600, 699), span(200, 299)}
	var codes []int
	for _, byDay := range []bool{true, false} {
		for _, s := range steps {
			hour := timeOf(s).In(zone).Hour()
			day := hour >= 6 && hour < 18
			if sys, _ := s["sys"].(map[string]any); sys["pod"] != nil {
				day = sys["pod"] == "d"
			}
			if code := toldCode(s); code != 0 && (day || !byDay) {
				codes = append(codes, code)
			}
		}
		if len(codes) > 0 {
			break
		}
	}
	best, most := 0, 0
	for _, class := range classes {
		count := map[int]int{}
		n := 0
		for _, code := range codes {
			if slices.Contains(class, code) {
				n++
				count[code]++
			}
		}
		if n <= most {
			continue
		}
		most, best = n, 0
		for _, code := range class {
			if count[code] > count[best] {
				best = code
			}
		}
	}
	return best
}

func span(from, to int) (all []int) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

// in converts a value of the data: temperatures to °F or K, speeds to mph.
func in(units, what string, v float64) float64 {
	switch {
	case what == "temp" && units == openweather.Imperial:
		v = v*1.8 + 32
	case what == "temp" && units == openweather.Standard:
		v += 273.15
	case what == "speed" && units == openweather.Imperial:
		v *= 2.2369362921
	}
	return math.Round(v*100) / 100
}

// checkDay compares a day, its parts and its spells, in JSON and as facts.
func (r recorded) checkDay(t *testing.T, about string, o *outlook, got Day, want wantedDay, prefix string) {
	t.Helper()
	r.checkStretch(t, about, o, got.Stretch, want, want.name, prefix)
	if got.Whole != want.whole || got.Date != timeOf(want.steps[0]).In(want.zone).Format(time.DateOnly) {
		t.Errorf("%s: %s is of %s and whole %v, want %v", about, got.Name, got.Date, got.Whole, want.whole)
	}
	var spells []wantedSpell
	for _, s := range got.Spells {
		spells = append(spells, wantedSpell{s.Kind, s.From.UTC().In(want.zone).Format("15:04"), strings.Replace(s.To.UTC().In(want.zone).Format("15:04"), "00:00", "24:00", 1)})
	}
	if !slices.Equal(spells, want.spells()) {
		t.Errorf("%s: spells %v, want %v", about, spells, want.spells())
	}
	for _, kind := range []string{"rain", "sleet", "snow", "storm", "fog"} {
		var times []string
		for _, s := range want.spells() {
			if s.kind == kind {
				times = append(times, s.from, s.to)
			}
		}
		if told := regexp.MustCompile(`\d\d:\d\d`).FindAllString(o.value(prefix+kind+"_times"), -1); !slices.Equal(told, times) {
			t.Errorf("%s: %s %s_times is %q, want %q", about, want.name, kind, told, times)
		}
	}
	var parts [][]map[string]any
	var names []string
	for _, s := range want.steps {
		name := []string{"night", "morning", "afternoon", "evening"}[timeOf(s).In(want.zone).Hour()/6]
		if len(names) == 0 || names[len(names)-1] != name {
			names, parts = append(names, name), append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], s)
	}
	if len(parts) != len(got.Parts) {
		t.Errorf("%s: %d parts, want %q", about, len(got.Parts), names)
		return
	}
	for i, steps := range parts {
		slots := prefix + names[i] + "_"
		if len(o.days) > 3 {
			slots = "none"
		}
		r.checkStretch(t, about, o, got.Parts[i], wantedDay{steps: steps, zone: want.zone}, names[i], slots)
	}
}

// checkStretch compares the values of a day or a part; prefix begins its slots, none for no slots.
func (r recorded) checkStretch(t *testing.T, about string, o *outlook, got Stretch, want wantedDay, name, prefix string) {
	t.Helper()
	most := func(sign float64, what string, paths ...[]string) (float64, bool) {
		best, ok := math.Inf(-1), false
		for _, s := range want.steps {
			for _, path := range paths {
				if v, is := value(s, path...); is {
					best, ok = max(best, sign*v), true
					break
				}
			}
		}
		return in(o.units, what, sign*best), ok
	}
	data, err := json.Marshal(got)
	var told map[string]any
	if err != nil || json.Unmarshal(data, &told) != nil {
		t.Fatal(err)
	}
	temp, speed := map[string]string{"metric": "°C", "imperial": "°F", "standard": " K"}[o.units], map[string]string{"metric": " m/s", "imperial": " mph", "standard": " m/s"}[o.units]
	for _, v := range []struct {
		field, what, unit string
		sign              float64
		paths             [][]string
	}{
		{"high", "temp", temp, 1, [][]string{{"main", "temp_max"}, {"main", "temp"}}}, {"low", "temp", temp, -1, [][]string{{"main", "temp_min"}, {"main", "temp"}}},
		{"wind", "speed", speed, 1, [][]string{{"wind", "speed"}}}, {"gust", "speed", speed, 1, [][]string{{"wind", "gust"}}}, {"probability", "", "%", 1, [][]string{{"pop"}}},
	} {
		want, ok := most(v.sign, v.what, v.paths...)
		fields, slot := told, v.field
		if v.field == "probability" {
			fields, slot = told["rain"].(map[string]any), "rain_chance"
		}
		if got, is := fields[v.field].(float64); is != ok || ok && math.Abs(got-want) > 0.011 {
			t.Errorf("%s: %s of %s is %v, want %v, %v", about, v.field, name, fields[v.field], want, ok)
		}
		if v.field == "probability" {
			want *= 100
		}
		wanted := ""
		if ok {
			wanted = strconv.Itoa(int(math.Round(want))) + v.unit
		}
		if got := o.value(prefix + slot); got != wanted && prefix != "none" {
			t.Errorf("%s: {%s%s} is %q, want %q", about, prefix, slot, got, wanted)
		}
	}
	worst, sum, amount := "", 0.0, false
	for _, s := range want.steps {
		for _, of := range []string{"rain", "snow"} {
			if mm, ok := value(s, of, "3h"); ok {
				sum, amount = sum+mm, true
			}
		}
		if kind := spellOf(s); rains(s) && (worst == "" || strings.Index("storm snow sleet rain", kind) < strings.Index("storm snow sleet rain", worst)) {
			worst = kind
		}
	}
	if mm := got.Rain.AmountMM; got.Rain.Expected != (worst != "") || got.Rain.Kind != worst || amount != (mm != nil) || amount && *mm != math.Round(sum*100)/100 {
		t.Errorf("%s: rain of %s is %+v, want %q and %v mm", about, name, got.Rain, worst, sum)
	}
	words := conditions()[baseOf(o.lang)][mostly(want.steps, want.zone)]
	if got.Name != name || got.Conditions != words || prefix != "none" && o.value(prefix+"conditions") != words {
		t.Errorf("%s: %s has %q and {%sconditions} %q, want %q", about, got.Name, got.Conditions, prefix, o.value(prefix+"conditions"), words)
	}
	if !got.Rain.Expected && slices.Contains([]int{2, 3, 5, 6}, mostly(want.steps, want.zone)/100) {
		t.Errorf("%s: %s has %q, and no rain is expected", about, got.Name, got.Conditions)
	}
	first, last := timeOf(want.steps[0]), timeOf(want.steps[len(want.steps)-1]).Add(3*time.Hour)
	if !got.From.Equal(first) || !got.To.Equal(last) || got.From.Format("15:04") != first.In(want.zone).Format("15:04") {
		t.Errorf("%s: %s is from %s to %s, want %s to %s", about, name, got.From, got.To, first.In(want.zone), last.In(want.zone))
	}
}

// checkHours compares the hours of the chart with the steps by their times.
func (r recorded) checkHours(t *testing.T, about string, o *outlook) {
	t.Helper()
	var body struct{ List []map[string]any }
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	for _, hour := range o.hourly() {
		i := slices.IndexFunc(body.List, func(s map[string]any) bool { return timeOf(s).Equal(hour.Time) })
		if i < 0 {
			t.Errorf("%s: an hour at %s, which is no step", about, hour.Time)
			continue
		}
		temp, hasTemp := value(body.List[i], "main", "temp")
		pop, hasPop := value(body.List[i], "pop")
		if hasTemp != (hour.Temp != nil) || hasTemp && math.Abs(*hour.Temp-in(o.units, "temp", temp)) > 0.011 || hasPop != (hour.Pop != nil) || hasPop && *hour.Pop != pop || hour.Kind != spellOf(body.List[i]) {
			t.Errorf("%s: at %s the chart has %+v, want %v and %v", about, hour.Time, hour, temp, pop)
		}
	}
}

// rains is the table of docs/weather.md once more, read from the answer.
func rains(s map[string]any) bool {
	pop, hasPop := value(s, "pop")
	rain, hasRain := value(s, "rain", "3h")
	snow, hasSnow := value(s, "snow", "3h")
	mm, hasMM := rain+snow, hasRain || hasSnow
	wetSky := idOf(s) >= 200 && idOf(s) < 700
	switch {
	case hasPop && hasMM:
		return pop >= .5 && mm >= .1 || pop >= .3 && mm >= 1
	case hasPop:
		return pop >= .5 && wetSky
	case hasMM:
		return mm >= .1
	}
	return wetSky
}

// realPayloads returns the answers of the service in the folder that is set, as it gave
// them to GET /data/2.5/forecast with metric units, each a file NAME.json.
func realPayloads(t *testing.T) (all []recorded) {
	t.Helper()
	folder := os.Getenv("WHATIS_WEATHER_PAYLOADS")
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if folder == "" || err != nil {
		t.Log("WHATIS_WEATHER_PAYLOADS names no folder: only our own payloads are calculated")
		return nil
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			List []struct{ Dt int64 }
			City struct {
				Country string
				Coord   struct{ Lat, Lon float64 }
			}
		}
		if err := json.Unmarshal(body, &a); err != nil || len(a.List) == 0 {
			t.Logf("%s is no forecast: skipped", file)
			continue
		}
		now := time.Unix(a.List[0].Dt, 0).Add(-time.Hour).UTC()
		zone := zones[a.City.Country]
		if a.City.Country == "US" {
			zone = []string{"America/Denver", "America/Chicago", "America/New_York"}[int(max(0, min(2, (a.City.Coord.Lon+107)/10)))]
		}
		all = append(all, recorded{filepath.Base(file), a.City.Country, zone, a.City.Coord.Lat, a.City.Coord.Lon, now, body})
	}
	return all
}

// zones are those of the real payloads, by country; those of the United States go by longitude.
var zones = map[string]string{"KR": "Asia/Seoul", "RU": "Europe/Moscow", "FR": "Europe/Paris", "DE": "Europe/Berlin", "GB": "Europe/London", "IT": "Europe/Rome", "CZ": "Europe/Prague"}

// What the current weather lacks is absent, and without a temperature it is an error of the
// service.
func TestCurrentWithHoles(t *testing.T) {
	h := open(t, nil)
	for body, want := range map[string]string{
		`{"dt":1795514400,"main":{"temp":12.4,"feels_like":null,"humidity":81},"weather":[{"id":803,"description":"broken clouds"}],"wind":{},"timezone":0}`: "city conditions temp humidity",
		`{"dt":1795514400,"main":{"temp":-0.4},"weather":null,"sys":{"sunrise":1795500000,"sunset":1795530000},"timezone":3600}`:                             "city temp sunrise sunset",
		`{"dt":1795514400,"main":{"feels_like":0},"weather":[{"id":800,"description":"clear sky"}]}`:                                                         "error",
		`{"dt":1795514400,"weather":[{"id":800,"description":"clear sky"}]}`:                                                                                 "error",
		`{"main":{"temp":3}}`: "error",
	} {
		h.Weather.SetAnswer("/data/2.5/weather", []byte(body))
		h.Pipeline.Weather = another(t, h.World, nil).Weather
		now := time.Unix(1795514400, 0).Add(time.Duration(len(body)) * time.Hour)
		h.Pipeline.Now = func() time.Time { return now }
		res, err := h.Run(t.Context(), Request{City: "Oslo", Units: openweather.Metric}, nil)
		var fault *openweather.Fault
		if errors.As(err, &fault) && fault.Kind == openweather.Unreadable && want == "error" {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v, want %s", body, err, want)
			continue
		}
		v, err := h.variant(t.Context(), Request{City: "Oslo", Units: openweather.Metric})
		if err != nil {
			t.Fatal(err)
		}
		o, err := h.outlook(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		var slots []string
		for _, f := range o.facts {
			slots = append(slots, f.Slot)
		}
		if got := strings.Join(slots, " "); got != want || strings.Contains(res.Text, "0°C and feels") || slices.Contains(res.Warnings, WarnTemplate) {
			t.Errorf("%s has %s and %q %q, want %s", body, got, res.Text, res.Warnings, want)
		}
	}
}
