package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"
)

// cuts is how often in a row a stream may be cut, or not be had, with nothing new
// in between: about four minutes.
const cuts = 12

// watch takes the events of path until one is the last. take reports whether an event
// says anything new, and whether it is the last one. A stream that is cut is taken up
// again where it was; the work at the service does not notice.
func (s *service) watch(ctx context.Context, path string, take func(message) (fresh, ended bool, err error)) error {
	w := &watching{service: s, path: path, take: take}
	for cut := 0; ; {
		told, err := w.stream(ctx)
		switch {
		case w.ended || ctx.Err() != nil:
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
		s.note("the stream was cut (%v); taken up again in %s", cmp.Or(err, errCut), wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// A watching is a watch, and where its stream is taken up again.
type watching struct {
	*service
	path   string
	take   func(message) (fresh, ended bool, err error)
	lastID string
	ended  bool
}

// stream reads one stream to its end, and reports whether it told anything new.
func (w *watching) stream(ctx context.Context) (told bool, err error) {
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
			return told, err
		}
		fresh, ended, err := w.take(m)
		if err != nil {
			return told, err
		}
		if m.id != "" {
			w.lastID = m.id
		}
		told, w.ended = told || fresh, ended
		if ended {
			return told, nil
		}
	}
	return told, nil
}
