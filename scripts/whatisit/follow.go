package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/whatis/internal/analyze/batch"
)

// A following is the watching of a batch.
type following struct {
	*service
	*console
	status batch.Status
	seen   map[int]bool // items that were told: one may come twice
	lastID string       // where the stream is taken up again
	ended  bool
}

// cuts is how often in a row a stream may be cut, or not be had, with nothing new
// in between: about four minutes.
const cuts = 12

// follow tells of items until the batch has ended. A stream that is cut is taken
// up again where it was; the batch does not notice.
func (f *following) follow(ctx context.Context) error {
	f.begin(f.status.Number, "photos")
	defer f.end()
	for cut := 0; ; {
		told, err := f.stream(ctx)
		switch {
		case f.ended || ctx.Err() != nil:
			return ctx.Err()
		case told:
			cut = 0
		}
		var p *problem
		if errors.As(err, &p) && !p.passing() {
			return err
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

// stream reads one stream to its end, and reports whether it told anything new.
func (f *following) stream(ctx context.Context) (told bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(longestSilence, cancel)
	defer silence.Stop()
	resp, err := f.do(ctx, request{method: http.MethodGet, path: batchPath(f.status.ID) + "/events", accept: "text/event-stream", lastID: f.lastID})
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	for m, err := range messages(resp.Body, func() { silence.Reset(longestSilence) }) {
		if err != nil {
			return told, err
		}
		fresh, err := f.take(m)
		if err != nil {
			return told, err
		}
		told = told || fresh
		if f.ended {
			return true, nil
		}
	}
	return told, nil
}

// take tells of one message, and reports whether it says anything new.
func (f *following) take(m message) (fresh bool, err error) {
	switch m.event {
	case "item":
		fresh, err = f.item(m.data)
	case "progress":
		err = readStatus(m.data, &f.status)
	case "end":
		err = readStatus(m.data, &f.status)
		f.ended = err == nil
	}
	if m.id != "" && err == nil {
		f.lastID = m.id
	}
	return fresh, err
}

func (f *following) item(data string) (fresh bool, err error) {
	var i batch.Item
	if err := json.Unmarshal([]byte(data), &i); err != nil {
		return false, fmt.Errorf("the service's events cannot be read: %w", err)
	}
	if f.seen[i.Index] {
		return false, nil
	}
	f.seen[i.Index] = true
	failed := i.Outcome == batch.ItemFailed
	f.step(fmt.Sprintf("[%d/%d] %s %s", i.Index+1, f.status.Number, i.File, outcome(i)), failed)
	return true, nil
}

// outcome is what an item's line says.
func outcome(i batch.Item) string {
	if i.Reason != "" {
		return i.Outcome + ": " + i.Reason
	}
	return identified(i.Outcome, i.ProductName, i.Brand)
}
