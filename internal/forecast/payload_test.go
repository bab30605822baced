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
			"weather": []any{skies[(i/3+n)%len(skies)]}, "wind": map[string]any{"speed": float64(i%11) + .3}, "pop": float64((i*3+n)%11) / 10,
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

// reached returns the steps of a day, by the clock of zone, that are not over.
func (r recorded) reached(t *testing.T, zone *time.Location, day int) (all []map[string]any) {
	t.Helper()
	var body struct{ List []map[string]any }
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	want := r.now.In(zone).AddDate(0, 0, day).Format(time.DateOnly)
	for _, step := range body.List {
		dt, ok := value(step, "dt")
		if at := time.Unix(int64(dt), 0); ok && at.In(zone).Format(time.DateOnly) == want && at.Add(3*time.Hour).After(r.now) {
			all = append(all, step)
		}
	}
	return all
}

// The forecasts of own and real answers of the service say what they hold, and nothing of
// what they lack: the facts by an independent calculation, the hours of the chart, the text
// and what is spoken.
func TestPayloads(t *testing.T) {
	h := open(t, nil)
	all := append(own(t), realPayloads(t)...)
	for n, r := range all {
		for _, kind := range []string{Today, Tomorrow, Weekend, Hours} {
			h.checkPayload(t, r, kind, n%15 == 0)
		}
	}
}

func (h harness) checkPayload(t *testing.T, r recorded, kind string, whole bool) {
	t.Helper()
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		t.Fatal(err)
	}
	h.Pipeline.Now = func() time.Time { return r.now }
	client, err := openweather.New(openweather.Config{Key: "k", BaseURL: h.Weather.URL(), AllowEmulated: true, PerMinute: 6000})
	if err != nil {
		t.Fatal(err)
	}
	h.Pipeline.Weather = client
	h.Weather.ResetCalls()
	h.Weather.SetAnswer("/data/2.5/forecast", r.body)
	h.Weather.SetAnswer("/geo/1.0/reverse", []byte(fmt.Sprintf(`[{"name":%q,"country":%q}]`, r.name, r.country)))
	v, err := h.variant(t.Context(), Request{City: fmt.Sprintf("%.4f,%.4f", r.lat, r.lon), Type: kind, Units: openweather.Metric, Hours: 24})
	if err != nil {
		t.Fatal(err)
	}
	o, err := h.outlook(t.Context(), v)
	if errors.Is(err, ErrTooFar) && kind == Weekend && r.now.In(zone).Weekday() <= time.Monday {
		return
	}
	if err != nil {
		t.Errorf("%s at %s: %s: %v", r.name, r.now, kind, err)
		return
	}
	r.checkHours(t, o, zone)
	for _, sp := range o.spans {
		r.checkSpan(t, o, sp, zone)
	}
	if !whole {
		return
	}
	h.Gemini.ResetCalls()
	res, err := h.Run(t.Context(), Request{City: fmt.Sprintf("%.4f,%.4f", r.lat, r.lon), Type: kind, Units: openweather.Metric, Hours: 24, Audio: true}, nil)
	if err != nil {
		t.Errorf("%s: %s: %v", r.name, kind, err)
		return
	}
	for _, f := range res.Facts {
		if !strings.Contains(res.Text, f.Value) {
			t.Errorf("%s: %s: %q lacks %+v", r.name, kind, res.Text, f)
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
			t.Errorf("%s: %s: %q is spoken as %q, without %s", r.name, kind, res.Text, spoken, n)
		}
	}
}

// checkHours compares the hours of the chart with the steps by their times.
func (r recorded) checkHours(t *testing.T, o *outlook, zone *time.Location) {
	t.Helper()
	var body struct{ List []map[string]any }
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	for _, hour := range o.hours {
		i := slices.IndexFunc(body.List, func(s map[string]any) bool { dt, _ := value(s, "dt"); return int64(dt) == hour.Time.Unix() })
		if i < 0 {
			t.Errorf("%s: an hour at %s, which is no step", r.name, hour.Time)
			continue
		}
		for _, v := range []struct {
			got  *float64
			path []string
		}{{hour.Temp, []string{"main", "temp"}}, {hour.Pop, []string{"pop"}}} {
			if want, ok := value(body.List[i], v.path...); ok != (v.got != nil) || ok && *v.got != want {
				t.Errorf("%s: at %s %v is %v, want %v, %v", r.name, hour.Time, v.path, v.got, want, ok)
			}
		}
		if got, want := hour.Time.Format("Mon 15:04"), hour.Time.UTC().In(zone).Format("Mon 15:04"); got != want {
			t.Errorf("%s: an hour is at %s, want %s", r.name, got, want)
		}
	}
}

// checkSpan calculates the facts of a day from its steps.
func (r recorded) checkSpan(t *testing.T, o *outlook, sp span, zone *time.Location) {
	t.Helper()
	day := map[string]int{Today: 0, Tomorrow: 1}
	for n := range 7 {
		if name := strings.ToLower(r.now.In(zone).AddDate(0, 0, n).Weekday().String()); name == "saturday" || name == "sunday" {
			day[name] = n
		}
	}
	n, ok := day[sp.name]
	if !ok { // hours and nights
		return
	}
	steps := r.reached(t, zone, n)
	high, low, wind, pop := math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	rain := "" // from
	for _, s := range steps {
		for _, extreme := range []string{"temp", "temp_max", "temp_min"} {
			if v, ok := value(s, "main", extreme); ok {
				high, low = max(high, v), min(low, v)
			}
		}
		if v, ok := value(s, "wind", "speed"); ok {
			wind = max(wind, v)
		}
		if v, ok := value(s, "pop"); ok {
			pop = max(pop, 100*v)
		}
		if dt, _ := value(s, "dt"); rain == "" && rains(s) {
			rain = time.Unix(int64(dt), 0).In(zone).Format("15:04")
		}
	}
	want := map[string]string{"high": withUnit(high, "°C"), "low": withUnit(low, "°C"), "wind": withUnit(wind, " m/s"), "rain_chance": withUnit(pop, "%"), "rain_from": rain, "from": "", "to": ""}
	if len(steps) < 8 {
		first, _ := value(steps[0], "dt")
		last, _ := value(steps[len(steps)-1], "dt")
		want["from"], want["to"] = time.Unix(int64(first), 0).In(zone).Format("15:04"), time.Unix(int64(last)+10800, 0).In(zone).Format("15:04")
	}
	for slot, v := range want {
		got := ""
		if i := slices.IndexFunc(o.facts, func(f Fact) bool { return f.Slot == sp.prefix+slot }); i >= 0 {
			got = o.facts[i].Value
		}
		if got != v && !(len(steps) == 7 && sp.of == 7) {
			t.Errorf("%s at %s: %s of %s is %q, want %q", r.name, r.now.In(zone).Format("Mon 15:04"), slot, sp.name, got, v)
		}
	}
}

// rains is the table of docs/weather.md once more, read from the answer.
func rains(s map[string]any) bool {
	pop, hasPop := value(s, "pop")
	rain, hasRain := value(s, "rain", "3h")
	snow, hasSnow := value(s, "snow", "3h")
	mm, hasMM := rain+snow, hasRain || hasSnow
	weather, _ := s["weather"].([]any)
	id := 0.0
	if len(weather) > 0 {
		id, _ = value(weather[0].(map[string]any), "id")
	}
	wetSky := id >= 200 && id < 700
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

func withUnit(v float64, unit string) string {
	if math.IsInf(v, 0) {
		return ""
	}
	return strconv.Itoa(int(math.Round(v))) + unit
}

// realPayloads returns the answers of the service in the folder that is set, as it gave
// them to GET /data/2.5/forecast with metric units, each a file NAME.json.
func realPayloads(t *testing.T) (all []recorded) {
	t.Helper()
	folder := os.Getenv("WHATIS_WEATHER_PAYLOADS")
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if folder == "" || err != nil {
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
		zone := zoneOfRecord(t, body, now)
		all = append(all, recorded{filepath.Base(file), a.City.Country, zone, a.City.Coord.Lat, a.City.Coord.Lon, now, body})
	}
	return all
}

// zoneOfRecord returns a zone of the offset that an answer says, for whole hours.
func zoneOfRecord(t *testing.T, body []byte, _ time.Time) string {
	t.Helper()
	var a struct{ City struct{ Timezone int } }
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("Etc/GMT%+d", -a.City.Timezone/3600)
}

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
