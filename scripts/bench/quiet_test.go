//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"
)

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

// Ratios are held where it is quiet, and counts everywhere.
func TestRatiosAreHeldWhereItIsQuiet(t *testing.T) {
	e := entry{Ours: figure{CPU: 10, Firestore: 4}, Bare: figure{CPU: 5}, Stored: figure{CPU: 5, Firestore: 4}, Budget: budget{bare: 2, stored: 2, firestore: 4}}
	held := func(e entry, others float64) error {
		return figures{Others: [2]float64{others}, Order: []string{"x"}, Cases: map[string]entry{"x": e}}.hold()
	}
	if err := held(e, 0); err != nil {
		t.Errorf("what is within its budget: %v", err)
	}
	for _, change := range []func(*entry){
		func(e *entry) { e.Bare.CPU /= 1.3 },
		func(e *entry) { e.Stored.CPU /= 1.3 },
	} {
		late := e
		if change(&late); held(late, 0) == nil || !late.late() {
			t.Errorf("%+v passes on a quiet machine", late)
		}
		if err := held(late, 0.5); err != nil {
			t.Errorf("a ratio is held on a busy machine: %v", err)
		}
	}
	for _, change := range []func(*entry){
		func(e *entry) { e.Ours.Firestore, e.Stored.Firestore = 5, 5 },
		func(e *entry) { e.Stored.Firestore = 3 },
		func(e *entry) { e.Ours.AllocatedKB, e.Budget.allocated = 130, 100 },
		func(e *entry) { e.Ours.ModelCalls, e.Budget.models = 2, 1 },
		func(e *entry) { e.Ours.Documents, e.Budget.documents = 2, 1 },
	} {
		more := e
		if change(&more); held(more, 0.5) == nil {
			t.Errorf("%+v passes on a busy machine", more)
		}
	}
}

// What is over its budget is measured again, twice at most, and only where budgets are held.
func TestAgain(t *testing.T) {
	for _, test := range []struct {
		hold bool
		over int // of the first measurements
		want int
	}{{true, 0, 1}, {true, 1, 2}, {true, 5, 3}, {false, 5, 1}} {
		n := 0
		_, err := options{hold: test.hold}.again(func(entry) bool { return n <= test.over }, func() (entry, error) { n++; return entry{}, nil })
		if n != test.want || err != nil {
			t.Errorf("%+v: measured %d times, %v", test, n, err)
		}
	}
}

// Only what stands between the lines is replaced, and a document without them is left alone.
func TestWriteTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.md")
	for _, test := range []struct{ text, want string }{
		{"a\n\n" + tablesBegin + "old\n" + tablesEnd + "\nb\n", "a\n\n" + tablesBegin + "new\n" + tablesEnd + "\nb\n"},
		{"a\n", "a\n"},
		{"a\n" + tablesBegin, "a\n" + tablesBegin},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := writeTables(file, []byte("new\n"))
		if got, _ := os.ReadFile(file); string(got) != test.want || (err != nil) != (test.text == test.want) {
			t.Errorf("%q becomes %q, %v; want %q", test.text, got, err, test.want)
		}
	}
}
