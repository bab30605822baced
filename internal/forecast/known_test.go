package forecast

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	emulatedweather "example.com/whatis/emulators/openweather"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/usererror"
)

// A place has one forecast, whether it is asked for by its name or by its coordinates, in
// whichever instance and order; other coordinates of the same tenth of a degree keep the
// name that the service gives them.
func TestOnePlaceOneForecast(t *testing.T) {
	for _, test := range []struct {
		about string
		asked []string // one after the other, each in a new instance
		want  []string // the names
		made  int      // forecasts
	}{
		{"a city whose district the service names", []string{"16.0544,108.2022", "Da Nang", "16.0544,108.2022", "16.05, 108.20", "Đà Nẵng", "16.0601,108.2101", "16.1,108.2"},
			[]string{"Hải Châu", "Da Nang", "Da Nang", "Da Nang", "Da Nang", "Hải Châu", "Hải Châu"}, 2},
		{"two cities of two countries in one tenth of a degree", []string{"Brazzaville", "Kinshasa", "-4.2667,15.2833", "-4.3,15.3", "-4.27,15.28", "-4.31,15.31"},
			[]string{"Brazzaville", "Kinshasa", "Brazzaville", "Kinshasa", "Brazzaville", "Kinshasa"}, 2},
		{"coordinates that round to another tenth when they are shortened", []string{"Can Tho", "10.05,105.75", "10.0452,105.7469"},
			[]string{"Can Tho", "Can Tho", "Can Tho"}, 1},
		{"a place that the service names by coordinates too", []string{"-33.8612,151.2094", "Sydney", "-33.87,151.22"},
			[]string{"Sydney", "Sydney", "Sydney"}, 1},
	} {
		h, made := open(t, nil), 0
		for i, text := range test.asked {
			res, err := another(t, h.World, nil).Run(t.Context(), Request{City: text, Units: "metric"}, nil)
			if err != nil || res.Place.Name != test.want[i] {
				t.Errorf("%s: %s = %+v, %v; want %s", test.about, text, res.Place, err, test.want[i])
			}
			if !res.Cached {
				made++
			}
		}
		if made != test.made {
			t.Errorf("%s: %d forecasts were made, want %d", test.about, made, test.made)
		}
	}
}

// Coordinates of a known place need no call, not even while the service is away, and of a
// caller's own no more than a tenth of a degree reaches the bucket.
func TestCoordinatesOfKnownPlaces(t *testing.T) {
	h := open(t, nil)
	c := talk(t, h)
	if _, err := c.Say(t.Context(), Message{Text: "How is the weather in Da Nang?"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context(), Request{City: "37.5512,126.9744"}, nil); err != nil {
		t.Fatal(err)
	}
	for o, err := range blob.New(h.objects).List(t.Context(), "results", "") {
		if err != nil || strings.Contains(o.Name, "37.5512") {
			t.Errorf("the bucket has %s, %v", o.Name, err)
		}
	}
	if placeFile("37.5512,126.9744") != placeFile("37.6,127.0") || placeFile("37.6,127.0") == placeFile("37.6,127.1") {
		t.Error("the file of coordinates is not that of their tenth of a degree")
	}
	h.Weather.SetFaults(emulatedweather.Fault{Type: emulatedweather.Internal})
	h.reset()
	p := another(t, h.World, nil)
	res, err := p.Run(t.Context(), Request{City: "16.0544,108.2022"}, nil)
	if err != nil || res.Place.Name != "Da Nang" || !res.Cached || res.Place.In("ko") != "다낭" {
		t.Errorf("by its coordinates, while the service is away = %+v, %v; want the conversation's forecast", res, err)
	}
	if n := len(h.Weather.Calls()); n != 0 {
		t.Errorf("it cost %d calls, want none", n)
	}
	p.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if res, err := p.Run(t.Context(), Request{City: "37.5599,126.9601"}, nil); err != nil || res.Place.Name != "Jung-gu" {
		t.Errorf("a tenth of a degree, while the service is away = %+v, %v; want what it was called before", res.Place, err)
	}
	if res, err := p.Run(t.Context(), Request{City: "16.0601,108.2101"}, nil); err == nil {
		t.Errorf("other coordinates next to Da Nang, while the service is away = %+v; want the fault", res.Place)
	}
}

// Where people are is in no list of others: forecasts of coordinates are listed to those alone who
// asked for them, those of places with a name to everybody.
func TestListsShowNoCoordinatesOfOthers(t *testing.T) {
	caller := ""
	h := open(t, func(c *Config) { c.Owner = func(context.Context) string { return caller } })
	const point = "-12.34,-139.87" // at sea
	for _, ask := range []struct{ caller, city string }{{"minh", point}, {"", "Oslo"}, {"kim", "Lima"}} {
		caller = ask.caller
		if _, err := h.Run(t.Context(), Request{City: ask.city}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		caller string
		listed int
	}{{"minh", 3}, {"kim", 2}, {"", 2}} {
		caller = test.caller
		stats, err := h.Stats(t.Context())
		history, _, herr := h.History(t.Context(), point, "", 20)
		if err != nil || herr != nil || len(stats.CachedCities) != test.listed || (len(history) > 0) != (test.caller == "minh") {
			t.Errorf("%q is listed %q and %d forecasts of the coordinates, %v, %v; want %d places", test.caller, stats.CachedCities, len(history), err, herr, test.listed)
		}
		for _, city := range stats.CachedCities {
			if test.caller != "minh" && openweather.IsPoint(city) {
				t.Errorf("%q is listed %s", test.caller, city)
			}
		}
		if named, _, err := h.History(t.Context(), "Oslo", "", 20); err != nil || len(named) != 1 {
			t.Errorf("%q is listed %d forecasts of Oslo, %v; want one", test.caller, len(named), err)
		}
	}
}

// Who asks in other units, or in another language, hears the same weather, for one call.
func TestOnePayload(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
	h.at(t, func() time.Time { return now })
	var celsius []float64
	for _, r := range []Request{{Units: "metric"}, {Units: "imperial"}, {Units: "standard"}, {Units: "metric", Lang: "ko"}, {Units: "metric", Lang: "ru"}} {
		h.Gemini.ResetCalls()
		r.City, r.Type, r.Hours = "Seoul", Hours, 24
		res, err := h.Run(t.Context(), r, nil)
		if err != nil || res.Hours[0].Temp == nil {
			t.Fatalf("%+v = %+v, %v", r, res, err)
		}
		v := *res.Hours[0].Temp
		switch r.Units {
		case "imperial":
			v = (v - 32) / 1.8
		case "standard":
			v -= 273.15
		}
		celsius = append(celsius, v)
		english := r.Lang == "ru" && res.Days[0].Conditions != "" && !translated("ru")
		if translated(r.Lang) && r.Lang != "" && strings.ContainsAny(res.Days[0].Conditions, "abcdefghijklmnopqrstuvwxyz") || r.Lang == "ru" && !english {
			t.Errorf("%s: the conditions are %q", r.Lang, res.Days[0].Conditions)
		}
	}
	for _, v := range celsius {
		if math.Abs(v-celsius[0]) > 0.01 {
			t.Errorf("temperatures of one minute are %v °C, want one", celsius)
		}
	}
	if upstream, _, _ := h.paid(); upstream != 1 {
		t.Errorf("%d calls of the weather, want one", upstream)
	}
}

// A place without a name is called by its coordinates as people say them.
func TestPlaceWithoutName(t *testing.T) {
	h := open(t, nil)
	for lang, want := range map[string]string{"en": "in the place at 90.0° S, 0.0° E it is", "ko": "90.0° S, 0.0° E 지점의", "vi": "ở nơi có tọa độ 90.0° S, 0.0° E", "fr": "90.0° S, 0.0° E"} {
		res, err := h.Run(t.Context(), Request{City: "-90,0", Lang: lang}, nil)
		if err != nil || !strings.Contains(res.Text, want) || strings.Contains(res.Text, "-90.0") {
			t.Errorf("%s: %q, %v; want %q", lang, res.Text, err, want)
		}
	}
}

// What lies beyond the five days is said to, with how far they reach; a day that is over is refused.
func TestBeyondReach(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) // a Wednesday
	h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
	h.at(t, func() time.Time { return now })
	for kind, want := range map[string]string{"sunday": "", "2026-11-29": "", "일요일": "", "2026-12-02": "until Monday, 30 November 2026", "tuesday": "until Monday, 30 November 2026", "2026-11-24": "is over"} {
		res, err := h.Run(t.Context(), Request{City: "London", Type: kind}, nil)
		if want == "" && (err != nil || res.Days[0].Date != "2026-11-29" || res.Days[0].Name != "sunday") || want != "" && (err == nil || !strings.Contains(usererror.Text(err), want)) {
			t.Errorf("%s = %+v, %v; want Sunday, or an error with %q", kind, res.Days, err, want)
		}
	}
}
