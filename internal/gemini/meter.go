package gemini

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"
)

// saveWithin limits how long a cost is saved. Saving continues after the caller left,
// because the money is spent.
const saveWithin = 5 * time.Second

// nearLimit is the part of a limit above which a line is logged, once a day;
// terraform/alerts.tf sends an alert for it.
const nearLimit = 0.8

// Paused is the Reason of a Budget error during a pause.
const Paused = "paused"

// pausedFor is after how long paid work is tried again during a pause, which nobody knows the end of.
const pausedFor = 10 * time.Minute

// meter limits the cost of calls per UTC day. The function spend stores the sum and is
// called before and after each paid call; meter remembers the highest sum of a day, for
// when spend fails.
type meter struct {
	limit float64
	spend func(ctx context.Context, usd float64) (today float64, err error)

	mu   sync.Mutex
	day  time.Time // the day of sum
	sum  float64
	owed float64 // spent but not saved yet
}

// check refuses a call if the sum of the day of now has reached the limit, or is unknown.
func (m *meter) check(ctx context.Context, model string, now time.Time) *Error {
	if m.limit == 0 {
		return nil
	}
	sum, err := m.save(ctx, 0, now)
	if err != nil {
		var known bool
		if sum, known = m.known(now); !known {
			return &Error{Kind: Unavailable, Reason: "budget", Model: model, Err: fmt.Errorf("today's sum cannot be read: %w", err)}
		}
	}
	switch {
	case sum < m.limit:
		return nil
	case math.IsInf(sum, 1):
		return &Error{Kind: Budget, Reason: Paused, Model: model, RetryAfter: pausedFor, Err: errors.New("paid work is paused, until an owner resumes it (whatisit resume, or DELETE /spend/pause)")}
	}
	return &Error{Kind: Budget, Model: model, RetryAfter: dayOf(now).AddDate(0, 0, 1).Sub(now), Err: fmt.Errorf(
		"USD %.2f of the USD %.2f a day are spent; the day ends at 00:00 UTC; raise MAX_USD_PER_DAY to go on before", sum, m.limit)}
}

func (m *meter) known(now time.Time) (sum float64, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sum + m.owed, m.day.Equal(dayOf(now))
}

// save adds usd, and what is owed, to the day's sum.
func (m *meter) save(ctx context.Context, usd float64, now time.Time) (today float64, err error) {
	m.mu.Lock()
	usd += m.owed
	m.owed = 0
	m.mu.Unlock()

	today, err = m.spend(ctx, usd)

	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.owed += usd
		return 0, err
	}
	if !m.day.Equal(dayOf(now)) {
		m.day, m.sum = dayOf(now), 0
	}
	if math.IsInf(today, 1) {
		return today, nil // no sum to remember: the pause may end
	}
	if near := nearLimit * m.limit; m.sum < near && today >= near {
		slog.WarnContext(ctx, "spend is near its limit", "usd", today, "limit", m.limit)
	}
	m.sum = max(m.sum, today)
	return m.sum, nil
}

func dayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// book records an answer's cost, and charges it to the day and to the context's account.
func (c *Client) book(ctx context.Context, entry Ledger) {
	if c.config.Record != nil && entry.USD > 0 {
		for model := range entry.Models { // one, as an entry is of one answer
			c.config.Record(c.agent, model, entry.USD)
		}
	}
	if c.meter.limit > 0 && entry.USD > 0 {
		saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWithin)
		defer cancel()
		if _, err := c.meter.save(saving, entry.USD, time.Now()); err != nil {
			slog.WarnContext(ctx, "gemini: save the day's cost", "usd", entry.USD, "error", err)
			entry.Warnings = append(entry.Warnings, WarnNotSummed)
		}
	}
	accountOf(ctx).charge(entry)
	note(ctx, entry)
}
