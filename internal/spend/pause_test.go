package spend_test

import (
	"math"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/spend"
)

// A pause is known to its own instance at once, to others when they read the sum anew, and to
// instances that start during it; what was spent is added meanwhile, and counts when it has ended.
func TestPause(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	own, other := spend.NewMeter(opened(t, w), spend.Options{}), spend.NewMeter(opened(t, w), spend.Options{Fresh: 1})
	add := func(of string, m *spend.Meter, usd, want float64) {
		t.Helper()
		if got, err := m.Add(t.Context(), usd); err != nil || got != want {
			t.Errorf("%s: Add(%v) = %v, %v; want %v", of, usd, got, err, want)
		}
	}
	paused := func(m *spend.Meter, want string) {
		t.Helper()
		day, err := m.Today(t.Context())
		if err != nil || (day.Paused != nil) != (want != "") || want != "" && (day.Paused.By != want || day.Paused.At.IsZero()) {
			t.Errorf("today is paused: %+v, %v; want by %q", day.Paused, err, want)
		}
	}
	add("own", own, 1, 1)
	add("other", other, 0, 0)
	paused(own, "")
	if err := own.Pause(t.Context(), "kim@example.com", true); err != nil {
		t.Fatal(err)
	}
	add("own, paused", own, 0.5, math.Inf(1))
	add("other, paused", other, 0, math.Inf(1))
	add("new, paused", spend.NewMeter(opened(t, w), spend.Options{}), 0, math.Inf(1))
	paused(own, "kim@example.com")
	if err := own.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := other.Pause(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	add("other, resumed", other, 0, 1.5)
	if err := own.Pause(t.Context(), "", false); err != nil { // of what is not paused
		t.Fatal(err)
	}
	add("own, resumed", own, 0, 1.5)
	paused(own, "")
}
