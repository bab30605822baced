//go:build linux

package main

import "testing"

func TestBusy(t *testing.T) {
	const before = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 …"
	for after, want := range map[string]float64{
		"cpu  100 0 100 1000 0 0 0 0 0 0\n": 0,
		"cpu  150 0 150 900 0 0 0 0 0 0\n":  0.5,
		"cpu  100 0 100 850 50 0 0 0 0 0\n": 0,
		"cpu  200 0 100 800 0 0 0 0 0 0\n":  1,
		before:                              0,
	} {
		if got := busy(before, after); got != want {
			t.Errorf("busy until %q = %g, want %g", after, got, want)
		}
	}
}

// TestTimesAreHeldWhereItIsQuiet: counts are held everywhere.
func TestTimesAreHeldWhereItIsQuiet(t *testing.T) {
	f := figures{Ready: 1000, Order: []string{"x"}, Cases: map[string]pair{"x": {Budget: budget{firestore: 4}}}}
	if f.Quiet = true; f.hold() == nil {
		t.Error("a start of a second passes on a quiet machine")
	}
	if f.Quiet = false; f.hold() != nil {
		t.Errorf("a time is held on a busy machine: %v", f.hold())
	}
	p := f.Cases["x"]
	p.Ours.Firestore = 5
	if f.Cases["x"] = p; f.hold() == nil {
		t.Error("a call too many passes on a busy machine")
	}
}
