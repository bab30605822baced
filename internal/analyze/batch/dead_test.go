package batch_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/batch"
)

// Photos whose deliveries are used up continue as dead letters, and are given up at
// their fifth attempt like any others.
func TestDeadLetters(t *testing.T) {
	d := newHarness(t)
	d.pushed(eventarc.Route{MaxDeliveries: 2})
	d.photos(3)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Gone, Kind: answers.KindImage})
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	d.quiet()
	s = d.wantState(s.ID, jobs.Done, map[string]int{batch.ItemFailed: 3})
	if len(s.Failures) != 3 || !strings.Contains(s.Failures[0].Reason, "4 attempts came to nothing") {
		t.Errorf("failures %+v, want three after 4 attempts", s.Failures)
	}
	if lines, _, _ := d.summary(s.ResultURI); len(lines) != 3 || lines[0].Result.Error != "analysis_failed" {
		t.Errorf("the summary is %+v, want three failures", lines)
	}
}

// A dead letter is one more delivery. Of a first task it is the last: if it fails
// the batch does.
func TestDeadTasks(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(2)
	failed := d.create(batch.Request{Prefix: "gs://uploads/"})
	expand := d.take()[0]
	dead := expand
	dead.Dead = true
	d.Storage.Fail(1, http.StatusForbidden)
	d.do(dead, expand)
	if s := d.status(failed.ID); s.State != jobs.Failed || !strings.Contains(s.Reason, "Create the batch again") || s.Finished.IsZero() || len(d.take()) != 0 {
		t.Errorf("the status is %+v, want failed and what to do", s)
	}
	runs := d.create(batch.Request{Prefix: "gs://uploads/"})
	expand = d.take()[0]
	dead = expand
	dead.Dead = true
	d.do(dead) // hands out like any other delivery
	hand := d.take()[0]
	hand.Dead = true
	d.do(dead, hand)
	looks := d.take()
	d.do(looks...)
	d.wantState(runs.ID, jobs.Done, map[string]int{batch.FromImage: 2})
	if all, _, err := d.List(t.Context(), "", 10); err != nil || len(all) != 2 || all[0].ID != runs.ID || all[0].Ended != 2 || all[1].State != jobs.Failed {
		t.Errorf("List = %+v, %v; want the newest first", all, err)
	}
}

// Without its manifest a batch fails at once, with the reason.
func TestManifestIsGone(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(1)
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	if err := d.objects.Bucket("results").Object("batches/" + s.ID + "/manifest.json").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.do(d.take()...)
	if s := d.status(s.ID); s.State != jobs.Failed || !strings.Contains(s.Reason, "manifest") {
		t.Errorf("the status is %+v, want failed for want of the manifest", s)
	}
}

// Photos that were deleted or replaced are failures of their own.
func TestPhotoIsGone(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(3)
	id, looks := d.handedOut(3)
	if err := d.objects.Bucket("uploads").Object("p000.jpg").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.upload("uploads", "p001.jpg", shade(t, 77))
	d.do(looks...)
	s := d.wantState(id, jobs.Done, map[string]int{batch.ItemFailed: 2, batch.FromImage: 1})
	want := "[{gs://uploads/p000.jpg deleted, replaced or forgotten since the batch began} {gs://uploads/p001.jpg deleted, replaced or forgotten since the batch began}]"
	if got := fmt.Sprint(s.Failures); got != want {
		t.Errorf("failures %s, want %s", got, want)
	}
}

func TestNoBatch(t *testing.T) {
	d := newHarness(t)
	for _, id := range []string{"", "missing", "a/b", "..", strings.Repeat("x", 2000), "\xff"} {
		_, get := d.Get(t.Context(), id)
		_, cancel := d.Cancel(t.Context(), id)
		_, _, items := d.Items(t.Context(), id, "")
		for name, err := range map[string]error{"Get": get, "Cancel": cancel, "Items": items, "WriteResult": d.WriteResult(t.Context(), id, false, &strings.Builder{})} {
			if !errors.Is(err, batch.ErrNotFound) {
				t.Errorf("%s(%.20q) = %v, want ErrNotFound", name, id, err)
			}
		}
	}
}

// Invalid tasks, or ones without a batch, are acknowledged: a retry would not help.
func TestNoTask(t *testing.T) {
	d := newHarness(t)
	d.manual()
	for _, data := range []string{"", "{", "null", "[]", `{"task":"dance"}`,
		`{"agent":"analyze","kind":"analyze","payload":{"batch":"b"}}`, `{"agent":"analyze","kind":"expand","payload":{}}`, `{"agent":"analyze","kind":"fan_out","payload":7}`} {
		d.do(queue.Delivery{Data: []byte(data)})
	}
	if n := len(d.take()); n != 0 {
		t.Errorf("%d tasks were published", n)
	}
}
