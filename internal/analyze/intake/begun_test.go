package intake_test

import (
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
)

func TestBegun(t *testing.T) {
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), nil)
	o.Batch = "b"
	want := func(when string, want bool) {
		t.Helper()
		if got, err := d.Begun(t.Context(), o); err != nil || got != want {
			t.Errorf("%s: Begun = %v, %v; want %v", when, got, err, want)
		}
	}
	try := func(fault emulated.FaultType, at emulated.Kind) {
		t.Helper()
		d.Gemini.SetFaults(emulated.Fault{Type: fault, Kind: at})
		if _, err := d.Item(t.Context(), o); err == nil {
			t.Errorf("Item while the model answers %s = nil, want an error", fault)
		}
		d.Gemini.SetFaults()
	}
	want("nobody tried", false)
	try(emulated.DailyQuota, "")
	want("there was no quota", false)
	try(emulated.Internal, "")
	want("the model was down", false)
	try(emulated.Gone, "")
	want("an attempt failed", true)
	d.stock()
	d.Gemini.Script(unclear()...)
	o.Batch = "paid"
	try(emulated.DailyQuota, answers.KindJudge)
	want("a step was paid", true)
	if _, err := d.Item(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want("it is done", true)
	o.Batch = "another"
	want("another batch", false)
}
