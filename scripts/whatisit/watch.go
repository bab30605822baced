package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"
)

// cuts is how often in a row a stream may be cut, or fail to open, without a new event:
// about four minutes.
const cuts = 12

// watch reads the event stream at path until its last event. take reports whether an
// event is new, and whether it is the last one. A stream that was cut is resumed after
// its last event; this does not affect the work at the service.
func (s *service) watch(ctx context.Context, path string, take func(message) (fresh, ended bool, err error)) error {
	w := &watching{service: s, path: path, take: take}
	for cut := 0; ; {
		printed, err := w.stream(ctx)
		switch {
		case w.ended || ctx.Err() != nil:
			return ctx.Err()
		case printed:
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
		s.note("the stream was cut (%v); reconnecting in %s", cmp.Or(err, errCut), wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// A watching is a watch with the ID of the last event, from which its stream is resumed.
type watching struct {
	*service
	path   string
	take   func(message) (fresh, ended bool, err error)
	lastID string
	ended  bool
}

// stream reads one stream to its end, and reports whether it had a new event.
func (w *watching) stream(ctx context.Context) (printed bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(longestSilence, cancel)
	defer silence.Stop()
	resp, err := w.do(ctx, request{method: http.MethodGet, path: w.path, accept: "text/event-stream", lastID: w.lastID})
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	for m, err := range messages(resp.Body, func() { silence.Reset(longestSilence) }) {
		if err != nil {
			return printed, err
		}
		fresh, ended, err := w.take(m)
		if err != nil {
			return printed, err
		}
		if m.id != "" {
			w.lastID = m.id
		}
		printed, w.ended = printed || fresh, ended
		if ended {
			return printed, nil
		}
	}
	return printed, nil
}
