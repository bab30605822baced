package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/schollz/progressbar/v3"

	"example.com/whatis/internal/discover"
)

// A seeking is the watching of a discovery.
type seeking struct {
	*service
	*console
	status discover.Status
	quiet  bool
	told   time.Time // of the last decision that was
	seen   int       // slices
	ended  bool
}

// follow tells of decisions until the discovery has ended. A stream that is cut is taken
// up again; the discovery does not notice.
func (f *seeking) follow(ctx context.Context) error {
	f.turn()
	defer f.end()
	f.tell()
	for cut := 0; ; {
		before := f.status.Slice
		err := f.stream(ctx)
		if f.ended || ctx.Err() != nil {
			return ctx.Err()
		}
		var p *problem
		if errors.As(err, &p) && !p.passing() {
			return err
		}
		if f.status.Slice > before {
			cut = 0
		}
		if cut++; cut == cuts {
			return cmp.Or(err, errCut)
		}
		wait := min(time.Second<<(cut-1), 30*time.Second)
		f.note("the stream was cut (%v); taken up again in %s", cmp.Or(err, errCut), wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// stream reads one stream to its end.
func (f *seeking) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(longestSilence, cancel)
	defer silence.Stop()
	resp, err := f.do(ctx, request{method: http.MethodGet, path: discoveryPath(f.status.ID), accept: "text/event-stream"})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for m, err := range messages(resp.Body, func() { silence.Reset(longestSilence) }) {
		if err != nil {
			return err
		}
		if m.event != "progress" && m.event != "end" {
			continue
		}
		var next discover.Status
		if err := json.Unmarshal([]byte(m.data), &next); err != nil {
			return fmt.Errorf("the service's events cannot be read: %w", err)
		}
		f.status, f.ended = next, m.event == "end"
		f.tell()
		if f.ended {
			return nil
		}
	}
	return nil
}

// tell tells the decisions that are new, and how far the discovery is. The service shows
// the last few: what happened before them since is told by dots.
func (f *seeking) tell() {
	if all := f.status.Decisions; len(all) > 0 && !f.quiet && f.status.Slice > f.seen+1 && all[0].Time.After(f.told) {
		f.say("…")
	}
	f.seen = f.status.Slice
	for _, d := range f.status.Decisions {
		if d.Time.After(f.told) {
			f.told = d.Time
			if !f.quiet {
				f.say("[%d] %s %s: %s", d.Iteration, d.Agent, d.Action, d.Reason)
			}
		}
	}
	f.at(fmt.Sprintf("%s, $%.4f", discover.Outcome{Status: f.status}.Message(), f.status.CostUSD))
}

// turn shows a line of progress from now on, if people watch a terminal.
func (c *console) turn() {
	c.show(-1, progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(true))
}

// at says in that line how far something is.
func (c *console) at(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		c.bar.Describe(printable(line))
	}
}
