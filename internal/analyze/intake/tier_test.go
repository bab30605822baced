package intake_test

import (
	"math"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// paidRead returns a clear reading by a real model, of a million tokens in and none out:
// USD 0.30 at the standard tier.
func paidRead() emulated.Answer {
	a := read(0.95, "")
	a.Kind, a.ModelVersion = answers.KindImage, "gemini-3.5-flash-lite"
	a.Usage = &emulated.Usage{PromptTokens: 1_000_000, TotalTokens: 1_000_000}
	return a
}

// atFlex sets the flex tier for deliveries.
func atFlex(s *setup) { s.intake.Tier, s.gemini.FlexTimeout = gemini.Flex, 500*time.Millisecond }

// Uploads and photos of a batch use the configured or chosen tier, at its price; requests
// over HTTP use the standard tier.
func TestTierOfDeliveries(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atFlex)
	for _, test := range []struct {
		name  string
		tier  gemini.Tier
		batch string
		usd   float64
		flex  int
	}{
		{"upload.jpg", "", "", 0.15, 1},
		{"batch.jpg", "", "b", 0.15, 1},
		{"standard.jpg", gemini.Standard, "b", 0.30, 0},
	} {
		d.Gemini.Script(paidRead())
		o := d.upload(test.name, shade(t, uint8(len(test.name))), nil)
		o.Tier, o.Batch = test.tier, test.batch
		outcome, err := d.Item(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		r, err := jobs.Decode[analyze.Result](outcome.Result)
		if err != nil || math.Abs(r.CostUSD-test.usd) > 1e-9 || r.ModelCalls.Flex != test.flex {
			t.Errorf("%s cost USD %v with %d flex calls, want %v with %d", test.name, r.CostUSD, r.ModelCalls.Flex, test.usd, test.flex)
		}
	}
	d.Gemini.Script(paidRead())
	if r := d.ask(intake.Photo{Data: shade(t, 99)}); math.Abs(r.CostUSD-0.30) > 1e-9 || r.ModelCalls.Flex != 0 {
		t.Errorf("over HTTP: USD %v with %d flex calls, want 0.30 with none", r.CostUSD, r.ModelCalls.Flex)
	}
}

// A refused tier costs no attempt, and the next delivery does not try it again.
func TestRefusedTierOfAnUpload(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulated.FaultType{emulated.RateLimited, emulated.Unavailable, emulated.TimeOut} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			d := newHarness(t, atFlex)
			d.Gemini.SetFaults(emulated.Fault{Type: fault, Tier: "flex"}, emulated.Fault{Type: emulated.Unavailable, Times: 1})
			o := d.upload("tea.jpg", picture(t), nil)
			d.refused(o) // flex, then an outage of the standard tier
			if record := d.records()["tea.jpg"]; record.Attempts != 0 || len(record.Kept) == 0 {
				t.Errorf("after a refused tier and an outage: %d attempts, checkpoints %v; want none counted and the refusal kept", record.Attempts, record.Kept)
			}
			d.Gemini.ResetCalls()
			d.Gemini.Script(paidRead())
			d.deliver(o)
			for _, call := range d.Gemini.Calls() {
				if call.Tier != "" {
					t.Errorf("delivered again, the model was asked at %q, want the standard tier", call.Tier)
				}
			}
			if r, _ := d.result("tea.jpg"); math.Abs(r.CostUSD-0.30) > 1e-9 {
				t.Errorf("the photo cost USD %v, want 0.30", r.CostUSD)
			}
		})
	}
}

// An invalid configuration is refused by New.
func TestTierThatNobodyHas(t *testing.T) {
	d := newHarness(t)
	if _, err := intake.New(intake.Config{
		Pipeline: d.Pipeline, Objects: d.Objects, Work: d.Work, Memory: d.Memory, DB: d.db, Results: "results", Defaults: d.Defaults, Tier: "cheap",
	}); err == nil {
		t.Error("New with the tier cheap = nil, want an error")
	}
}
