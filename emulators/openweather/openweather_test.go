package openweather_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"example.com/whatis/emulators/openweather"
)

// noon is a moment whose weather never changes.
var noon = time.Date(2026, 11, 20, 3, 20, 0, 0, time.UTC)

func start(t *testing.T, o openweather.Options) *openweather.Server {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	s, err := openweather.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func get(t *testing.T, s *openweather.Server, path string) (int, string) {
	t.Helper()
	r, err := http.Get(s.URL() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, strings.TrimSpace(string(body))
}

func TestRefusals(t *testing.T) {
	s := start(t, openweather.Options{APIKey: "right", PerMinute: 100})
	tests := []struct {
		path   string
		status int
		want   string
	}{
		{"/data/2.5/weather?q=Seoul", 401, `"cod":401,"message":"Invalid API key.`},
		{"/data/2.5/weather?q=Seoul&appid=wrong", 401, `"cod":401`},
		{"/data/2.5/weather?q=Nowhereville&appid=right", 404, `"cod":"404","message":"city not found"`},
		{"/data/2.5/weather?appid=right", 400, `"cod":"400","message":"Nothing to geocode"`},
		{"/data/2.5/weather?lat=200&lon=1&appid=right", 400, `"message":"wrong latitude"`},
		{"/data/2.5/weather?lat=1&lon=181&appid=right", 400, `"message":"wrong longitude"`},
		{"/data/2.5/weather?lat=NaN&lon=1&appid=right", 400, `"message":"wrong latitude"`},
		{"/geo/1.0/direct?q=&appid=right", 400, `"message":"Nothing to geocode"`},
		{"/geo/1.0/direct?q=Nowhereville&appid=right", 200, `[]`},
		{"/geo/1.0/reverse?lat=0&lon=-140&appid=right", 200, `[]`},
		{"/geo/1.0/zip?zip=00000,US&appid=right", 404, `"cod":"404","message":"not found"`},
		{"/geo/1.0/zip?zip=98101&appid=right", 200, `"name":"Seattle"`},
		{"/data/3.0/onecall?appid=right", 404, ``},
	}
	for _, test := range tests {
		if status, body := get(t, s, test.path); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s = %d %s, want %d with %s", test.path, status, body, test.status, test.want)
		}
	}
}

func TestUnitsAndLanguages(t *testing.T) {
	s := start(t, openweather.Options{})
	temps := map[string]float64{}
	for _, units := range []string{"metric", "imperial", "standard", "nonsense"} {
		_, body := get(t, s, "/data/2.5/weather?q=Seoul&appid=k&units="+units)
		var a struct {
			Cod  any
			Main struct{ Temp float64 }
		}
		if err := json.Unmarshal([]byte(body), &a); err != nil || a.Cod != 200.0 {
			t.Fatalf("%s: cod %v, %v; want the number 200", units, a.Cod, err)
		}
		temps[units] = a.Main.Temp
	}
	c := temps["metric"]
	if d := temps["imperial"] - (c*9/5 + 32); d > 0.02 || d < -0.02 || temps["nonsense"] != temps["standard"] || temps["standard"] < 200 {
		t.Errorf("temperatures %v: want one in three units, kelvin where the unit is unknown", temps)
	}
	said := map[string]bool{}
	for _, lang := range []string{"en", "kr", "vi", "ja", "de", "fr", "es", "xx"} {
		_, body := get(t, s, "/data/2.5/weather?q=Seoul&appid=k&lang="+lang)
		var a struct {
			Weather []struct{ Description string }
		}
		if err := json.Unmarshal([]byte(body), &a); err != nil || len(a.Weather) != 1 {
			t.Fatalf("%s: %v", body, err)
		}
		said[a.Weather[0].Description] = true
	}
	if len(said) != 7 {
		t.Errorf("descriptions %v: want seven languages, the unknown one in English", said)
	}
}

// The weather of a moment is the same in both answers, whatever the clock says.
func TestOneWeather(t *testing.T) {
	clock := noon
	s := start(t, openweather.Options{Now: func() time.Time { return clock }})
	_, body := get(t, s, "/data/2.5/forecast?q=Tokyo&appid=k&units=metric")
	type sky struct {
		Dt      int64
		Main    struct{ Temp, Humidity float64 }
		Weather []struct{ ID int }
	}
	var f struct {
		Cod  any
		Cnt  int
		List []sky
		City struct{ Timezone, Sunrise, Sunset int64 }
	}
	if err := json.Unmarshal([]byte(body), &f); err != nil {
		t.Fatal(err)
	}
	if f.Cod != "200" || f.Cnt != 40 || len(f.List) != 40 || f.City.Timezone != 9*3600 || f.City.Sunrise >= f.City.Sunset {
		t.Errorf("forecast cod %v, %d of %d, city %+v; want the text 200 and 40 of 40 in Tokyo", f.Cod, len(f.List), f.Cnt, f.City)
	}
	for i, want := range f.List {
		if i > 0 && want.Dt != f.List[i-1].Dt+3*3600 {
			t.Errorf("step %d is at %d, want three hours after %d", i, want.Dt, f.List[i-1].Dt)
		}
		clock = time.Unix(want.Dt, 0)
		var now sky
		_, body := get(t, s, "/data/2.5/weather?q=Tokyo&appid=k&units=metric")
		if err := json.Unmarshal([]byte(body), &now); err != nil || now.Main != want.Main || now.Weather[0].ID != want.Weather[0].ID {
			t.Errorf("at %d: %+v, %v; forecast said %+v", want.Dt, now, err, want)
		}
		s.ResetCalls()
	}
}

// The places are many, of five scripts at least, and their weather is of every kind.
func TestPlaces(t *testing.T) {
	scripts := map[string]int{}
	for _, p := range openweather.Places() {
		for _, name := range p.LocalNames {
			for script, table := range map[string]*unicode.RangeTable{"Hangul": unicode.Hangul, "Han": unicode.Han, "Cyrillic": unicode.Cyrillic, "Arabic": unicode.Arabic, "Devanagari": unicode.Devanagari, "Greek": unicode.Greek} {
				if strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(table, r) }) {
					scripts[script]++
				}
			}
		}
	}
	if len(openweather.Places()) < 300 || len(scripts) < 5 {
		t.Errorf("%d places with names in %v: want 300 in five scripts", len(openweather.Places()), scripts)
	}
	s := start(t, openweather.Options{PerMinute: 1000})
	tests := []struct {
		q     string
		want  int
		first string
	}{
		{"서울", 1, "Seoul"}, {"Париж", 1, "Paris"}, {"القاهرة", 1, "Cairo"}, {"東京", 1, "Tokyo"}, {"Hà Nội", 1, "Hanoi"}, {"Da Nang", 1, "Da Nang"},
		{"광주", 2, "Gwangju"}, {"Springfield", 5, "Springfield"}, {"Springfield,IL,US", 1, "Springfield"}, {"london,ca", 1, "London"}, {"Paris", 3, "Paris"},
	}
	for _, test := range tests {
		var found []openweather.Place
		_, body := get(t, s, "/geo/1.0/direct?limit=5&appid=k&q="+url.QueryEscape(test.q))
		if err := json.Unmarshal([]byte(body), &found); err != nil || len(found) != test.want || found[0].Name != test.first {
			t.Errorf("%s: %s, %v; want %d, the first %s", test.q, body, err, test.want, test.first)
		}
	}
	kinds := map[string]int{}
	for _, p := range openweather.Places()[:500] {
		var a struct{ Weather []struct{ Main string } }
		_, body := get(t, s, fmt.Sprintf("/data/2.5/weather?lat=%v&lon=%v&appid=k%v", p.Lat, p.Lon, p.Lat))
		if err := json.Unmarshal([]byte(body), &a); err != nil {
			t.Fatal(err, body)
		}
		kinds[a.Weather[0].Main]++
	}
	for _, kind := range []string{"Clear", "Clouds", "Rain", "Snow", "Thunderstorm", "Drizzle", "Fog"} {
		if kinds[kind] == 0 || kinds[kind] > 350 {
			t.Errorf("the weather of 500 places is %v: want some %s", kinds, kind)
		}
	}
}

func TestQuotaAndFaults(t *testing.T) {
	s := start(t, openweather.Options{PerMinute: 3})
	statuses := func(n int) (all []int) {
		for range n {
			status, _ := get(t, s, "/data/2.5/weather?q=Seoul&appid=k")
			all = append(all, status)
		}
		return all
	}
	if got := fmt.Sprint(statuses(4)); got != "[200 200 200 429]" {
		t.Errorf("statuses %s, want the fourth refused", got)
	}
	s.ResetCalls()
	r, err := http.Post(s.URL()+"/_emulator/faults", "application/json", strings.NewReader(`[{"type":"internal","times":1},{"type":"broken","path":"/data/2.5/weather","times":1},{"type":"slow","delay":"1ms"}]`))
	if err != nil || r.StatusCode != http.StatusNoContent {
		t.Fatalf("faults: %v, %v", r, err)
	}
	r.Body.Close()
	if got := fmt.Sprint(statuses(3)); got != "[500 200 200]" {
		t.Errorf("statuses %s, want the faults in their order", got)
	}
	if r, err = http.Post(s.URL()+"/_emulator/faults", "application/json", strings.NewReader(`[{"type":"fire"}]`)); err != nil || r.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown fault: %v, %v; want 400", r, err)
	}
	r.Body.Close()
	if calls := s.Calls(); len(calls) != 3 || calls[0].Query.Has("appid") || calls[0].Status != 500 {
		t.Errorf("calls %+v, want three without the key", calls)
	}
}
