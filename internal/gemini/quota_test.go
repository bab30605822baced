package gemini

import (
	"strings"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

func TestQuotaReset(t *testing.T) {
	tests := []struct{ now, want string }{
		{"2026-11-21T12:00:00Z", "2026-11-22T08:00:00Z"}, // winter, UTC−8
		{"2026-11-22T07:59:59Z", "2026-11-22T08:00:00Z"},
		{"2026-11-22T08:00:00Z", "2026-11-23T08:00:00Z"},
		{"2026-07-01T12:00:00Z", "2026-07-02T07:00:00Z"}, // summer, UTC−7
		{"2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"}, // the day of 23 hours
		{"2026-11-01T08:00:00Z", "2026-11-02T08:00:00Z"}, // the day of 25 hours
		{"2026-12-31T23:00:00Z", "2027-01-01T08:00:00Z"},
	}
	for _, tt := range tests {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := quotaReset(now).UTC().Format(time.RFC3339); got != tt.want {
			t.Errorf("quotaReset(%s) = %s, want %s", tt.now, got, tt.want)
		}
	}
}

// RetryInfo's 27 s are ignored.
func TestDailyQuotaSaysWhenItReturns(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.DailyQuota})
	_, err := c.Generate(t.Context(), question(judge))
	e := failure(t, "Generate", err)
	want := time.Until(quotaReset(time.Now()))
	if e.Kind != Quota || !e.PerDay || e.RetryAfter-want > time.Minute || want-e.RetryAfter > time.Minute {
		t.Errorf("Generate = %v after %v, want a daily quota that returns in %v", e, e.RetryAfter, want)
	}
	for _, said := range []string{"GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaReset(time.Now()).UTC().Format("2006-01-02 15:04 UTC")} {
		if !strings.Contains(e.Error(), said) {
			t.Errorf("Generate = %v, want it to name %s", e, said)
		}
	}
}
