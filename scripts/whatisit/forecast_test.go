package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/internal/forecast"
)

// The command prints the text for people and all that is known for programs, and
// writes the sound.
func TestForecast(t *testing.T) {
	wav := filepath.Join(t.TempDir(), "seoul.wav")
	tests := []struct {
		name                   string
		args                   []string
		place, units, lang, is string
	}{
		{"a city", []string{"Seattle"}, "Seattle", "imperial", "en", "Right now in Seattle"},
		{"in another script, spoken", []string{"서울", "--lang", "ko", "--type", "tomorrow", "--audio", wav}, "Seoul", "metric", "ko", "서울"},
		{"the hours ahead, by coordinates", []string{"--type", "hours", "--hours", "6", "--units", "standard", "59.91,10.75"}, "Oslo", "standard", "en", " K"},
	}
	for _, test := range tests {
		c := prepared(t, nil, append([]string{"forecast", "--emulated"}, test.args...)...)
		code := c.here()
		var got forecast.Result
		if err := json.Unmarshal(c.stdout.Bytes(), &got); err != nil || code != exitFine {
			t.Errorf("%s: exit code %d, %v\n%s\n%s", test.name, code, err, &c.stdout, &c.stderr)
			continue
		}
		if got.Place.Name != test.place || got.Units != test.units || got.Lang != test.lang || !strings.Contains(got.Text, test.is) || len(got.Facts) == 0 {
			t.Errorf("%s: %+v, want %s in %s and %s, with %q", test.name, got, test.place, test.units, test.lang, test.is)
		}
		if !strings.Contains(c.stderr.String(), got.Text) || !strings.Contains(c.stderr.String(), "emulated_weather") {
			t.Errorf("%s tells\n%s\nwant %q and its warnings", test.name, &c.stderr, got.Text)
		}
	}
	sound, err := os.ReadFile(wav)
	if err != nil || len(sound) < 48_000 || string(sound[:4]) != "RIFF" || string(sound[8:12]) != "WAVE" {
		t.Errorf("--audio: %d bytes, %v; want a WAV of more than a second", len(sound), err)
	}
}

// What makes no sense is told before anything is asked, or by the service, which names
// the places that may be meant.
func TestForecastRefused(t *testing.T) {
	tests := []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"--emulated", "Springfield"}, exitFailed, []string{"which one is meant?", "Springfield, Illinois, US", "Springfield, Missouri, US"}},
		{[]string{"--emulated", "Nowhereville"}, exitFailed, []string{"no such place"}},
		{[]string{"--emulated"}, exitUsage, []string{"<city>"}},
		{[]string{"Seattle"}, exitUsage, []string{"no service is named"}},
		{[]string{"--emulated", "Seattle", "--units", "feet"}, exitUsage, []string{"--units"}},
		{[]string{"--emulated", "Seattle", "--type", "yesterday"}, exitFailed, []string{"type \"yesterday\": want current"}},
		{[]string{"--emulated", "Seattle", "--hours", "many"}, exitUsage, []string{"--hours"}},
		{[]string{"--emulated", "200,10"}, exitFailed, []string{"names no place"}},
	}
	for _, test := range tests {
		c := prepared(t, nil, append([]string{"forecast"}, test.args...)...)
		code := c.here()
		if code != test.code || c.stdout.Len() > 0 {
			t.Errorf("forecast %q: exit code %d, %s; want %d and no answer", test.args, code, &c.stdout, test.code)
		}
		for _, want := range test.says {
			if !strings.Contains(c.stderr.String(), want) {
				t.Errorf("forecast %q tells %s, want %q in it", test.args, &c.stderr, want)
			}
		}
	}
}
