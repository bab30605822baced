package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/schollz/progressbar/v3"

	"example.com/whatis/internal/discover"
)

// A seeking follows a discovery.
type seeking struct {
	*service
	*console
	status  discover.Status
	quiet   bool
	printed time.Time // of the last decision that was printed
	seen    int       // slices
}

// follow prints decisions until the discovery has ended.
func (f *seeking) follow(ctx context.Context) error {
	f.turn()
	defer f.end()
	f.tell()
	return f.watch(ctx, discoveryPath(f.status.ID), f.take)
}

// take reads the progress from a message, and reports whether there is any and whether
// the discovery has ended.
func (f *seeking) take(m message) (fresh, ended bool, err error) {
	if m.event != "progress" && m.event != "end" {
		return false, false, nil
	}
	var next discover.Status
	if err := json.Unmarshal([]byte(m.data), &next); err != nil {
		return false, false, fmt.Errorf("the service's events cannot be read: %w", err)
	}
	fresh = next.Slice > f.status.Slice
	f.status = next
	f.tell()
	return fresh, m.event == "end", nil
}

// tell prints new decisions and the progress. The service sends only the last few
// decisions: dots stand for earlier ones that were missed.
func (f *seeking) tell() {
	if all := f.status.Decisions; len(all) > 0 && !f.quiet && f.status.Slice > f.seen+1 && all[0].Time.After(f.printed) {
		f.say("…")
	}
	f.seen = f.status.Slice
	for _, d := range f.status.Decisions {
		if d.Time.After(f.printed) {
			f.printed = d.Time
			if !f.quiet {
				f.say("[%d] %s %s: %s", d.Iteration, d.Agent, d.Action, d.Reason)
			}
		}
	}
	line := fmt.Sprintf("%s, $%.4f", discover.Outcome{Status: f.status}.Message(), f.status.CostUSD)
	if e := f.status.Estimate; e != nil {
		line += fmt.Sprintf(" (likely in all: $%.2f, %d calls, %.0f min)", e.USD, e.Calls, math.Ceil(e.Minutes))
	}
	f.at(line)
}

// turn starts a progress line on a terminal.
func (c *console) turn() {
	c.show(-1, progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(true))
}

// at shows text in the progress line.
func (c *console) at(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		c.bar.Describe(printable(line))
	}
}
