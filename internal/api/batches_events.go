package api

import (
	"context"
	"net/http"
	"time"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/web"
)

// batchEvents streams what becomes of a batch: each photo that has ended, how far
// all is when that changes, and the end. What ended before the Last-Event-ID is not
// sent again, save a second of it.
func (a *API) batchEvents(w http.ResponseWriter, r *http.Request) error {
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	status, err := b.Get(r.Context(), id)
	if err != nil {
		return err
	}
	f := follower{Stream: web.NewStream(w, a.Times), poll: a.Times.Poll, batches: b, status: status, since: r.Header.Get(web.LastEventID), sent: map[int]bool{}}
	defer f.KeepAlive()()
	err = f.follow(r.Context())
	if f.Begun() {
		return nil // a stream without an end was cut: the client comes again
	}
	return err
}

// A follower follows one batch.
type follower struct {
	*web.Stream
	poll    time.Duration
	batches *batch.Batches
	status  batch.Status
	since   string       // the place behind what was sent
	sent    map[int]bool // of items, as some come twice
	told    stage
}

// quiet is after how many looks without anything new the status is asked for again:
// that a batch is cancelled, no photo tells.
const quiet = 5

// follow returns when the batch has ended, or nobody listens any more. Once a batch
// is known to have ended its items are looked at once more: only then is the place
// behind them final, so that a client that comes back with it gets none twice.
func (f *follower) follow(ctx context.Context) error {
	for look := 0; !f.Broken(); look++ {
		ended := f.status.State.Over()
		n, err := f.items(ctx)
		if err != nil {
			return err
		}
		if n > 0 || look%quiet == quiet-1 {
			if f.status, err = f.batches.Get(ctx, f.status.ID); err != nil {
				return err
			}
		}
		f.progress()
		switch {
		case n == 0 && ended:
			f.Send("end", f.since, f.status)
			return nil
		case f.status.State.Over():
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(f.poll):
		}
	}
	return nil
}

// progress sends how far the batch is, if that is news.
func (f *follower) progress() {
	if now := (stage{f.status.State, f.status.Ended}); now != f.told {
		f.told = now
		s := f.status
		s.Failures = nil
		f.Send("progress", f.since, s)
	}
}

// A stage is how far a batch is.
type stage struct {
	state jobs.State
	ended int
}

// items sends what has ended since and is new, and says how many that were.
func (f *follower) items(ctx context.Context) (n int, err error) {
	items, next, err := f.batches.Items(ctx, f.status.ID, f.since)
	if err != nil {
		return 0, err
	}
	for i, item := range items {
		if f.sent[item.Index] {
			continue
		}
		f.sent[item.Index] = true
		n++
		if i == len(items)-1 {
			f.since = next
		}
		f.Send("item", f.since, item)
	}
	f.since = next
	return n, nil
}
