package intake_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// A photo whose model is down is given up at its age, without another call, says
// so, and has what it should have had once it is replayed.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), nil)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable})
	for range 6 {
		if err := d.refused(o); !ofKind(gemini.Unavailable)(err) {
			t.Errorf("Object = %v, want %s", err, gemini.Unavailable)
		}
	}
	d.wantWork(o.Name, jobs.Open, 0)
	d.Run.GiveUpAfter = time.Millisecond // younger than the first attempt is by now
	before := d.calls()
	d.deliver(o)
	d.wantCalls(before)
	d.wantFailed(o, "every attempt of 1ms failed")
	if got, _ := d.result(o.Name); !slices.Contains(got.Warnings, intake.WarnGivenUp) {
		t.Errorf("warnings %q, want %s", got.Warnings, intake.WarnGivenUp)
	}
	d.Gemini.SetFaults()
	o.Replay, o.Published = true, time.Now()
	d.deliver(o)
	if got, _ := d.result(o.Name); got.Error != "" {
		t.Errorf("result after the replay = %+v, want an identification", got)
	}
}

// What waits for a quota does not age, before an outage or behind it.
func TestWaitingDoesNotAge(t *testing.T) {
	t.Parallel()
	const pause = time.Second
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), nil)
	quota := emulated.Fault{Type: emulated.DailyQuota}
	var waited time.Duration
	begin := time.Now()
	for _, fault := range []emulated.Fault{quota, {Type: emulated.Unavailable}, quota, quota} {
		d.Gemini.SetFaults(fault)
		_ = d.refused(o)
		if fault == quota {
			time.Sleep(pause)
			waited += pause
		}
	}
	d.Run.GiveUpAfter = time.Since(begin) - waited/2 // more than it did not wait, less than all
	d.Gemini.SetFaults()
	d.deliver(o)
	if got, _ := d.result(o.Name); got.Error != "" {
		t.Errorf("result = %+v, want an identification: three of four times it only waited", got)
	}
}

// A message may be days old before it finds a model.
func TestOldMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), nil)
	o.Published = time.Now().Add(-6 * 24 * time.Hour)
	d.deliver(o)
	if got, _ := d.result(o.Name); got.Error != "" {
		t.Errorf("result = %+v, want an identification", got)
	}
}

// Storage and Firestore that are down or closed cost no attempt either.
func TestOutageOfAStore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	o := d.upload("a.jpg", picture(t), nil)
	for range 6 {
		d.Storage.Fail(1, http.StatusForbidden)
		_ = d.refused(o)
	}
	d.wantWork(o.Name, jobs.Open, 0)
	d.Gemini.Script(unclear()...)
	d.stock()
	for range 6 {
		d.Firestore.Fail(firestore.Fault{Method: "RunQuery", Code: codes.PermissionDenied, Times: 2}) // the result cache, and the catalogue
		_ = d.refused(o)
		d.Firestore.ClearFaults()
	}
	d.wantWork(o.Name, jobs.Open, 0)
	d.deliver(o)
	if got, _ := d.result(o.Name); got.Error != "" {
		t.Errorf("result = %+v, want an identification", got)
	}
}
