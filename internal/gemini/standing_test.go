package gemini

import (
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

// What only a person ends is asked once in five minutes, for that model and tool alone; what ends
// by waiting is asked anew.
func TestStandingRefusals(t *testing.T) {
	for fault, stands := range map[emulator.FaultType]bool{emulator.Unpaid: true, emulator.NotInPlan: true, emulator.Forbidden: false, emulator.DailyQuota: false, emulator.Unavailable: false} {
		c, s := start(t, Config{})
		s.SetFaults(emulator.Fault{Type: fault, Model: judge})
		var kinds []Kind
		for range 20 {
			_, err := c.Generate(t.Context(), question(judge))
			kinds = append(kinds, failure(t, "Generate", err).Kind)
		}
		if calls := len(s.Calls()); (calls == 1) != stands || kinds[0] != kinds[19] {
			t.Errorf("%s: 20 calls, of which the service saw %d, were refused as %v to %v; want one seen: %v", fault, calls, kinds[0], kinds[19], stands)
		}
		if _, err := c.Generate(t.Context(), question(lite)); err != nil {
			t.Errorf("%s: another model: %v", fault, err)
		}
		s.SetFaults()
		what := asking{model: judge, tier: Standard}
		if e := c.standing.now(what, time.Now().Add(5*time.Minute)); e != nil {
			t.Errorf("%s: after five minutes %v stands", fault, e)
		}
	}
}
