package batch_test

import (
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

// Cancelled in the middle: ended photos stay, running ones end, ones that have not
// begun are cancelled without a call, and the summary has them all.
func TestCancel(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(6)
	id, looks := d.handedOut(6)
	d.do(looks[:2]...)
	begun, going := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(going) })
	defer time.AfterFunc(time.Minute, release).Stop() // unexpected calls wait for it
	d.Gemini.ResetScript()
	d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: readable(), Match: func(*emulated.Request) bool {
		close(begun)
		<-going
		return true
	}})
	var running sync.WaitGroup
	running.Go(func() { d.do(looks[2]) })
	<-begun
	s, err := d.Cancel(t.Context(), id)
	if err != nil || s.State != jobs.Cancelling {
		t.Errorf("Cancel = %+v, %v; want it cancelling", s, err)
	}
	if err := d.Task(t.Context(), looks[2]); err == nil {
		t.Error("Task of a photo under way = nil, want it to be delivered again")
	}
	calls := len(d.Gemini.Calls())
	d.do(looks[3:]...)
	if n := len(d.Gemini.Calls()) - calls; n != 0 {
		t.Errorf("%d calls for photos that were cancelled, want none", n)
	}
	d.wantState(id, jobs.Cancelling, map[string]int{batch.FromImage: 2, batch.ItemCancelled: 3})
	release()
	running.Wait()
	s = d.wantState(id, jobs.Cancelled, map[string]int{batch.FromImage: 3, batch.ItemCancelled: 3})
	if lines, _, _ := d.summary(s.ResultURI); len(lines) != 6 || lines[5].Result.Error != "cancelled" {
		t.Errorf("the summary is %+v, want six lines, the last cancelled", lines)
	}
	for range 2 {
		if again, err := d.Cancel(t.Context(), id); err != nil || again.State != jobs.Cancelled {
			t.Errorf("Cancel of what has ended = %+v, %v; want it as it is", again, err)
		}
	}
}

// A batch that is cancelled before its photos are handed out ends as well.
func TestCancelAtOnce(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(4)
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	if _, err := d.Cancel(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		d.do(d.take()...)
	}
	d.wantState(s.ID, jobs.Cancelled, map[string]int{batch.ItemCancelled: 4})
	if n := len(d.Gemini.Calls()); n != 0 {
		t.Errorf("%d calls, want none", n)
	}
}
