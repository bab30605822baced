package intake_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
)

// What a person must end is asked of the model once a delivery, costs no attempt, and ends as
// analysis_failed, with the cause: whoever pays meanwhile has the photo's result without more.
func TestUploadWithoutAPlan(t *testing.T) {
	t.Parallel()
	for fault, cause := range map[emulated.FaultType]string{emulated.NotInPlan: "not_in_plan", emulated.Unpaid: "unpaid"} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, func(s *setup) { s.intake.GiveUpAfter, s.gemini.AskAgain = 300*time.Millisecond, 1 })
			d.Gemini.SetFaults(emulated.Fault{Type: fault})
			o := d.upload("a.jpg", picture(t), nil)
			for i := range 2 {
				if err := d.refused(o); !strings.Contains(err.Error(), "https://ai.studio/projects") {
					t.Errorf("delivery %d = %v, want the page that ends it", i+1, err)
				}
				d.wantCalls(i + 1)
				d.wantWork("a.jpg", jobs.Open, 0)
			}
			time.Sleep(400 * time.Millisecond)
			d.deliver(o)
			d.wantCalls(2)
			r, ok := d.result("a.jpg")
			if !ok || r.Error != "analysis_failed" || !strings.Contains(r.Message, cause) || strings.Contains(r.Message, "http") {
				t.Errorf("the result says %q, %q; want analysis_failed because of %s, without the service's own words", r.Error, r.Message, cause)
			}
			d.Gemini.SetFaults()
			paid := d.upload("b.jpg", shade(t, 9), nil)
			d.Gemini.SetFaults(emulated.Fault{Type: fault, Times: 1})
			d.refused(paid)
			d.deliver(paid)
			if r, ok := d.result("b.jpg"); !ok || r.Error == "analysis_failed" {
				t.Errorf("paid meanwhile: %+v, want a result", r)
			}
		})
	}
}

// A photo that only google_search could tell ends at once where the plan has none, and is
// looked at again by whoever asks after that.
func TestUploadWithoutSearch(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.Gemini.Script(unclear()...)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.NoSearch})
	d.deliver(d.upload("a.jpg", picture(t), nil))
	if r, ok := d.result("a.jpg"); !ok || r.Decision.Row != 6 || !slices.Contains(r.Warnings, "search_refused") {
		t.Fatalf("the result is %+v, want row 6 with search_refused", r)
	}
	d.Gemini.SetFaults()
	d.Gemini.ResetScript()
	d.Gemini.Script(unclear()...)
	if r := d.ask(intake.Photo{Data: picture(t)}); r.Cached || r.Decision.Row != 5 {
		t.Errorf("asked again with a plan that has it: cached %v, row %d; want the web's answer", r.Cached, r.Decision.Row)
	}
}

// Until somebody may have paid, deliveries of all photos ask the model once.
func TestRefusalStands(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Unpaid})
	first, second := d.upload("a.jpg", picture(t), nil), d.upload("b.jpg", shade(t, 9), nil)
	for range 3 {
		for _, photo := range []intake.Delivery{first, second} {
			if err := d.refused(photo); !strings.Contains(err.Error(), "https://ai.studio/projects") {
				t.Errorf("%v, want the page that ends it", err)
			}
		}
	}
	d.wantCalls(1)
}
