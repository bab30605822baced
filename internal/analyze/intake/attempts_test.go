package intake_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// failFor delivers o n times; each fails and counts as an attempt: its model does not
// exist.
func (d *harness) failFor(o intake.Delivery, times int) {
	d.t.Helper()
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Gone})
	for range times {
		_ = d.refused(o)
	}
	d.Gemini.SetFaults()
}

// The fifth delivery of a photo that failed four times says so, and costs nothing.
func TestAttempts(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), nil)
	other := d.upload("b.jpg", picture(t), nil)
	d.failFor(o, 4)
	d.wantWork(o.Name, jobs.Open, 4)
	d.deliver(o)
	d.wantCalls(4)
	d.wantFailed(o, "4 attempts came to nothing, the last because of this: emulated-image: gone")
	if got, _ := d.result(o.Name); !slices.Contains(got.Warnings, intake.WarnGivenUp) {
		t.Errorf("warnings %q, want %s", got.Warnings, intake.WarnGivenUp)
	}
	d.deliver(other)
	if got, _ := d.result(other.Name); got.Error != "" || got.Cached {
		t.Errorf("the other photo's result = %+v, want an analysis of its own: failures are not recalled", got)
	}
}

// Errors that are not the photo's cost it no attempt, however often.
func TestBlameless(t *testing.T) {
	t.Parallel()
	quick := func(s *setup) { s.gemini.CallTimeout = 2 * time.Second } // a busy machine answers within that
	small := func(s *setup) {
		s.intake.Memory = admission.New(admission.Config{Requests: 1000, Work: 100 << 20, Queue: 0, Patience: 0})
	}
	tests := []struct {
		name    string
		setup   func(*setup)
		trouble func(*harness) (end func())
		want    func(error) bool
	}{
		{"rate", func(*setup) {}, faulty(emulated.RateLimited), ofKind(gemini.Quota)},
		{"daily quota", func(*setup) {}, faulty(emulated.DailyQuota), ofKind(gemini.Quota)},
		{"model down", func(*setup) {}, faulty(emulated.Unavailable), ofKind(gemini.Unavailable)},
		{"model broken", func(*setup) {}, faulty(emulated.Internal), ofKind(gemini.Unavailable)},
		{"connection cut", func(*setup) {}, faulty(emulated.Cut), ofKind(gemini.Unavailable)},
		{"no answer", quick, faulty(emulated.TimeOut), ofKind(gemini.Unavailable)},
		{"no right", func(*setup) {}, faulty(emulated.Forbidden), ofKind(gemini.Unauthorized)},
		{"memory", small, fullHouse, func(err error) bool { var busy *admission.Busy; return errors.As(err, &busy) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, test.setup)
			o := d.upload("a.jpg", picture(t), nil)
			end := test.trouble(d)
			for range 6 {
				if err := d.refused(o); !test.want(err) {
					t.Errorf("Object = %v, want that trouble", err)
				}
			}
			d.wantWork(o.Name, jobs.Open, 0)
			end()
			d.deliver(o)
			d.wantWork(o.Name, jobs.Done, 1)
			if got, _ := d.result(o.Name); got.Error != "" {
				t.Errorf("result = %+v, want an identification", got)
			}
		})
	}
}

func faulty(f emulated.FaultType) func(*harness) func() {
	return func(d *harness) func() {
		d.Gemini.SetFaults(emulated.Fault{Type: f, Delay: 10 * time.Second})
		return func() { d.Gemini.SetFaults() }
	}
}

func ofKind(k gemini.Kind) func(error) bool {
	return func(err error) bool {
		var e *gemini.Error
		return errors.As(err, &e) && e.Kind == k
	}
}

func fullHouse(d *harness) func() {
	leave, err := d.Memory.Acquire(d.t.Context(), 1000)
	if err != nil {
		d.t.Fatal(err)
	}
	return leave
}

// A replay repeats failed work, once, and nothing else.
func TestReplay(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	good, nothing, failed := d.upload("good.jpg", picture(t), nil), d.upload("nothing.jpg", shade(t, 90), nil), d.upload("failed.jpg", picture(t), map[string]string{"country": "US"})
	d.deliver(good)
	d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{NotProduct: true, Description: "풍경", KnownProduct: analyze.Unsure}})
	d.deliver(nothing)
	d.failFor(failed, 4)
	d.deliver(failed)
	d.wantFailed(failed, "4 attempts")
	for _, o := range []intake.Delivery{good, nothing, failed} {
		before := d.records()[o.Name]
		o.Replay, o.Published = true, time.Now()
		d.deliver(o)
		if again := !d.records()[o.Name].Finished.Equal(before.Finished); again != (o.Name == failed.Name) {
			t.Errorf("the replay of %s did the work again: %v", o.Name, again)
		}
	}
	if r := d.records()[failed.Name]; r.State != jobs.Done || r.Error != "" || r.Attempts != 1 {
		t.Errorf("record after the replay = %+v, want success at the first attempt", r)
	}
	if got, _ := d.result(failed.Name); got.Error != "" {
		t.Errorf("result after the replay = %+v, want an identification", got)
	}
}
