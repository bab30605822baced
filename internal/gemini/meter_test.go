package gemini

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"
)

// The log reports once a day that the limit is near, before it is reached.
func TestNearLimit(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	m := &meter{limit: 10}
	day := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		today float64
		now   time.Time
		lines int
	}{
		{7.9, day, 0}, {8, day, 1}, {9, day, 1}, {11, day, 1}, {0.1, day.AddDate(0, 0, 1), 1}, {8.5, day.AddDate(0, 0, 1), 2},
	} {
		m.spend = func(context.Context, float64) (float64, error) { return step.today, nil }
		if _, err := m.save(t.Context(), 0, step.now); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), `msg="spend is near its limit"`); n != step.lines {
			t.Errorf("at USD %v of 10 on %v the log says %d times that the limit is near, want %d", step.today, step.now, n, step.lines)
		}
	}
}

// During a pause paid calls are refused with a wait of their own, what is spent is no sum to go
// on with, and when it has ended the day's sum holds again.
func TestPausedCalls(t *testing.T) {
	m := &meter{limit: 10}
	day := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		today  float64
		reason string
		wait   time.Duration
	}{
		{7, "", 0}, {math.Inf(1), Paused, pausedFor}, {7.5, "", 0}, {10, "", 12 * time.Hour},
	} {
		m.spend = func(context.Context, float64) (float64, error) { return step.today, nil }
		var reason string
		var wait time.Duration
		if err := m.check(t.Context(), "flash", day); err != nil {
			reason, wait = err.Reason, err.RetryAfter
		}
		if reason != step.reason || wait != step.wait {
			t.Errorf("with USD %v spent a call is refused for %q, until %v later; want %q and %v", step.today, reason, wait, step.reason, step.wait)
		}
	}
}
