package batch_test

import (
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

// A batch with fresh asks the models of photos that were analysed before, each photo once, however often
// its bytes are there.
func TestFresh(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.upload("uploads", "a.jpg", samples.All()[0].Bytes())
	d.upload("uploads", "copy.jpg", samples.All()[0].Bytes())
	asked := 0
	for _, test := range []struct {
		fresh bool
		calls int
	}{{false, 1}, {false, 0}, {true, 1}} {
		s := d.create(batch.Request{Prefix: "gs://uploads/", Fresh: test.fresh})
		for tasks := d.take(); len(tasks) > 0; tasks = d.take() {
			d.do(tasks...)
		}
		if s = d.status(s.ID); s.State != jobs.Done || s.Fresh != test.fresh {
			t.Errorf("fresh %t: state %s, fresh %t", test.fresh, s.State, s.Fresh)
		}
		all := 0
		for _, call := range d.Gemini.Calls() {
			if call.Method == "generateContent" {
				all++
			}
		}
		if got := all - asked; got != test.calls {
			t.Errorf("fresh %t: %d calls of a model, want %d", test.fresh, got, test.calls)
		}
		asked = all
	}
}
