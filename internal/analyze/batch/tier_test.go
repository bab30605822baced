package batch_test

import (
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

// The photos of a batch use its tier, whatever is configured, and its status shows
// the tier.
func TestTier(t *testing.T) {
	for _, test := range []struct{ tier, says, asked string }{
		{"", "standard", ""},
		{"standard", "standard", ""},
		{"flex", "flex", "flex"},
	} {
		d := newHarness(t)
		d.manual()
		d.upload("uploads", "a.jpg", samples.All()[0].Bytes())
		s := d.create(batch.Request{Prefix: "gs://uploads/", Tier: test.tier})
		if s.Tier != test.says {
			t.Errorf("tier %q: the status says %q, want %q", test.tier, s.Tier, test.says)
		}
		for tasks := d.take(); len(tasks) > 0; tasks = d.take() {
			d.do(tasks...)
		}
		if s = d.status(s.ID); s.State != jobs.Done || s.Tier != test.says {
			t.Errorf("tier %q: state %s, tier %q; want done, %q", test.tier, s.State, s.Tier, test.says)
		}
		calls := 0
		for _, call := range d.Gemini.Calls() {
			if call.Method != "generateContent" {
				continue
			}
			calls++
			if call.Tier != test.asked {
				t.Errorf("tier %q: %s was asked at %q, want %q", test.tier, call.Model, call.Tier, test.asked)
			}
		}
		if calls == 0 {
			t.Errorf("tier %q: no model was asked", test.tier)
		}
	}
}
