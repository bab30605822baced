package spend_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/spend"
)

// Every cost is seen by agent and by model, over all instances, and each is logged once.
func TestToday(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	w := emulate.Start(t, emulate.Firestore)
	db := opened(t, w)
	today := time.Now().UTC().Format(time.DateOnly)
	client, err := db(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Another instance of today, and one of another day.
	for id, old := range map[string]map[string]any{
		today + "-old":   {"day": today, "usd": 2, "parts": map[string]any{"discover lite": 2}},
		"2026-01-01-old": {"day": "2026-01-01", "usd": 100, "parts": map[string]any{"analyze lite": 100}},
	} {
		if _, err := client.Collection("spend").Doc(id).Set(t.Context(), old); err != nil {
			t.Fatal(err)
		}
	}
	first, second := spend.NewMeter(db, spend.Options{Every: time.Millisecond}), spend.NewMeter(db, spend.Options{})
	for range 2 { // the second time a part grows that was written and logged
		end := first.Begin()
		first.Record("analyze", "lite", 0.5)
		first.Record("analyze", "gemini-3.6-flash", 0.25)
		first.Record("", "lite", 0.125)
		if _, err := first.Add(t.Context(), 0.875); err != nil {
			t.Fatal(err)
		}
		end()
	}
	if err := first.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	second.Record("search", "lite", 4)
	got, err := second.Today(t.Context())
	want := spend.Day{Day: today, USD: 7.75, Agents: []spend.Share{{Name: "search", USD: 4}, {Name: "discover", USD: 2}, {Name: "analyze", USD: 1.5}, {Name: "other", USD: 0.25}},
		Models: []spend.Share{{Name: "lite", USD: 7.25}, {Name: "gemini-3.6-flash", USD: 0.5}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Today =\n%+v, %v, want\n%+v", got, err, want)
	}
	logged := map[string]float64{}
	for line := range strings.Lines(log.String()) {
		var l struct {
			Msg, Agent, Model string
			Cost              float64 `json:"cost_usd"`
		}
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Msg == "models cost" {
			logged[l.Agent+" "+l.Model] += l.Cost
		}
	}
	if want := map[string]float64{"analyze lite": 1, "analyze gemini-3.6-flash": 0.5, "other lite": 0.25}; !reflect.DeepEqual(logged, want) {
		t.Errorf("the log has %v of the first instance, want %v", logged, want)
	}
	// What the second recorded and did not add, as without a limit, only it knows.
	if sum, err := spend.NewMeter(db, spend.Options{}).Add(t.Context(), 0); err != nil || sum != 3.75 {
		t.Errorf("another instance's Add = %v, %v; want the 3.75 that are written", sum, err)
	}
}

// Today is read once for many who ask, and what was recorded is written once.
func TestTodayIsReadOnce(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	m := spend.NewMeter(opened(t, w), spend.Options{})
	for range 100 {
		if _, err := m.Today(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Firestore.Calls()["RunQuery"]; n != 1 {
		t.Errorf("%d queries for a hundred questions, want 1", n)
	}
	record := func(then func(float64)) {
		for _, usd := range []float64{0.1, 0.2, 0.3, 0.7} { // whose sum depends on the order
			m.Record("analyze", time.Duration(usd*1e9).String(), usd)
			then(usd)
		}
		for range 3 {
			m.Begin()()
		}
	}
	record(func(float64) {})
	if n := w.Firestore.Calls()["Commit"]; n != 0 {
		t.Errorf("%d writes without a limit, want none: a request would wait for each", n)
	}
	record(func(usd float64) {
		if _, err := m.Add(t.Context(), usd); err != nil {
			t.Fatal(err)
		}
	})
	if n := w.Firestore.Calls()["Commit"]; n != 1 {
		t.Errorf("%d writes of what was recorded once, want 1", n)
	}
}
