package page_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/whatis/internal/api"
	"example.com/whatis/internal/spend"
)

// The foot of the page says what today has cost, once it is asked, and why if it cannot.
func TestSpend(t *testing.T) {
	t.Parallel()
	var broken error
	var paused *spend.Pause
	asked := 0
	w := serve(t, false, func(_ *whatis, _ *testing.T, c *api.Config) {
		c.Spend = func(context.Context) (spend.Day, error) {
			asked++
			return spend.Day{Day: "2026-11-25", USD: 1.25, Limit: 20, Paused: paused, Agents: []spend.Share{{Name: "analyze", USD: 1}, {Name: "search", USD: 0.25}}, Models: []spend.Share{{Name: "gemini-3.6-flash", USD: 1.25}}}, broken
		}
		c.Pause = func(_ context.Context, _ string, on bool) error {
			if paused = nil; on {
				paused = &spend.Pause{At: time.Now()}
			}
			return nil
		}
	})
	b := open(t, w.url)
	b.shows("#spend summary", "What the models cost today")
	if asked != 0 {
		t.Errorf("the costs were asked for %d times before anybody looked", asked)
	}
	b.click("#spend summary")
	b.shows("#spend-body", "$1.25 of $20.00. The day ends at midnight UTC.", "analyze", "$1.00", "search", "$0.25", "gemini-3.6-flash")
	b.click("#spend-body button")
	b.shows("#spend-body", "Paid work has been paused since just now.", "Let paid work go on")
	b.fits("the costs of today")
	b.click("#spend-body button")
	b.shows("#spend-body button", "Pause paid work")
	b.click("#spend summary")
	b.allow("500 (Internal Server Error)")
	broken = errors.New("no database")
	b.click("#spend summary")
	b.shows("#spend-body [role=alert]", "internal")
}
