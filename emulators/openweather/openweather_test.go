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
