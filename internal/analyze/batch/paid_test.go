package batch_test

import (
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

// A photo with a paid step that waits for a quota when its batch is cancelled goes on
// to its result, and pays only for the rest. One that only waits is cancelled.
func TestCancelKeepsWhatIsPaid(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(2)
	id, looks := d.handedOut(2)
	doubtful := readable()
	doubtful.KnownProduct = analyze.No // a suspicion: it does not go on without the second look
	d.Gemini.ResetScript()
	d.Gemini.Script(
		emulated.Answer{Kind: answers.KindImage, JSON: doubtful},
		emulated.Answer{Kind: answers.KindJudge, JSON: analyze.Judgement{Confirmed: true, ProductName: "보리차", Brand: "햇살마루"}},
	)
	for i, step := range []emulated.Kind{answers.KindJudge, answers.KindImage} {
		d.Gemini.SetFaults(emulated.Fault{Type: emulated.DailyQuota, Kind: step})
		if err := d.Task(t.Context(), looks[i]); err == nil {
			t.Fatalf("Task without a quota for %s = nil, want it to be delivered again", step)
		}
	}
	d.Gemini.SetFaults()
	if _, err := d.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	before := len(d.Gemini.Calls())
	d.do(looks...)
	for _, c := range d.Gemini.Calls()[before:] {
		if c.Kind == answers.KindImage {
			t.Error("the photo is read again, which was paid for")
		}
	}
	d.wantState(id, jobs.Cancelled, map[string]int{batch.FromImage: 1, batch.ItemCancelled: 1})
}

// The first task of a batch with an unreadable manifest is delivered until it is a
// dead letter, and then once more: the batch fails and says what to do. A late task
// changes nothing.
func TestExpandIsGivenUp(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(2)
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	expand := d.take()[0]
	d.upload("results", "batches/"+s.ID+"/manifest.json", []byte("[{")) // truncated
	d.pushed(eventarc.Route{MaxDeliveries: 2})
	if _, err := d.PubSub.Publish(tasksTopic, expand.Data, nil); err != nil {
		t.Fatal(err)
	}
	d.quiet()
	s = d.wantState(s.ID, jobs.Failed, nil)
	if !strings.Contains(s.Reason, "Create the batch again") || s.Finished.IsZero() || d.Events.Stats().DeadLettered != 1 {
		t.Errorf("the batch says %q at %v after %+v, want it ended by one dead letter, and what to do", s.Reason, s.Finished, d.Events.Stats())
	}
	if n := len(d.Gemini.Calls()); n != 0 {
		t.Errorf("%d calls for a batch that was never handed out, want none", n)
	}
	if err := d.Task(t.Context(), expand); err != nil || d.status(s.ID).State != jobs.Failed {
		t.Errorf("the same task later = %v, and the batch is %s; want it acknowledged and failed", err, d.status(s.ID).State)
	}
}

// A batch goes on when somebody has paid, or changed the plan: its photos are asked of the model
// once a delivery, lose no attempt, and are not failed. A plan without search delays none.
func TestBatchWithoutAPlan(t *testing.T) {
	for _, fault := range []emulated.FaultType{emulated.NotInPlan, emulated.Unpaid, emulated.NoSearch} {
		t.Run(string(fault), func(t *testing.T) {
			d := newHarness(t)
			d.manual()
			d.photos(2)
			id, looks := d.handedOut(2)
			d.Gemini.SetFaults(emulated.Fault{Type: fault})
			if fault != emulated.NoSearch {
				for i, look := range looks {
					if err := d.Task(t.Context(), look); err == nil || !strings.Contains(err.Error(), "https://ai.studio/projects") {
						t.Fatalf("Task = %v, want it delivered again, and the page that ends it", err)
					}
					if n := len(d.Gemini.Calls()); n != i+1 {
						t.Errorf("%d calls after %d deliveries, want one each", n, i+1)
					}
				}
				d.Gemini.SetFaults()
			}
			d.do(looks...)
			d.do(d.take()...)
			if s := d.status(id); s.State != jobs.Done || s.Counts["analysis_failed"] != 0 {
				t.Errorf("the batch is %s with %v, want it done without a failure", s.State, s.Counts)
			}
		})
	}
}
