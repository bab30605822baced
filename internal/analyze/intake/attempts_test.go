package intake_test

import (
	"math"
	"slices"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
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

// The result of a photo that is given up has the cost of the steps that were paid.
func TestGivenUpAfterPaidSteps(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	script := unclear()
	script[0].ModelVersion, script[0].Usage = paidRead().ModelVersion, paidRead().Usage
	d.Gemini.Script(script...)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Gone, Kind: answers.KindSearch})
	o := d.upload("a.jpg", picture(t), nil)
	for range 10 {
		if err := d.Object(t.Context(), o); err == nil {
			break
		}
	}
	d.wantFailed(o, "4 attempts came to nothing")
	paid := d.paid()
	want := analyze.ModelCalls{Generate: paid[answers.KindImage] + paid[answers.KindJudge], Embed: paid[emulated.KindEmbed]}
	if r, _ := d.result(o.Name); want.Generate == 0 || r.ModelCalls != want || math.Abs(r.CostUSD-0.30) > 1e-9 || r.TokenUsage.Input < 1_000_000 {
		t.Errorf("the result has %+v for USD %v and %d tokens, want %+v for 0.30 and a million", r.ModelCalls, r.CostUSD, r.TokenUsage.Input, want)
	}
}
