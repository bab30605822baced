package api

import (
	"context"
	"net/http"
	"time"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/web"
)

// batchEvents streams the progress of a batch: each photo that has ended, changes of the
// totals, and the end. Photos that ended before the Last-Event-ID are not sent again,
// except those of its last second.
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
		return nil // a stream that stopped before its end: the client reconnects
	}
	return err
}

// A follower sends the events of one batch.
type follower struct {
	*web.Stream
	poll    time.Duration
	batches *batch.Batches
	status  batch.Status
	since   string       // the cursor after the last item sent
	sent    map[int]bool // indexes of the items that were sent, because the cursor may repeat some
	told    stage
}

// pollsPerStatus is after how many polls the status is read although no photo has ended: a
// cancelled batch shows only there.
const pollsPerStatus = 5

// follow returns when the batch has ended or the client has left. When the batch has ended,
// it reads the items once more: only then is the cursor final, so that a client that
// reconnects with it gets no item twice.
func (f *follower) follow(ctx context.Context) error {
	for look := 0; !f.Broken(); look++ {
		ended := f.status.State.Over()
		n, err := f.items(ctx)
		if err != nil {
			return err
		}
		if n > 0 || look%pollsPerStatus == pollsPerStatus-1 {
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

// progress sends the totals if they have changed.
func (f *follower) progress() {
	if now := (stage{f.status.State, f.status.Ended}); now != f.told {
		f.told = now
		s := f.status
		s.Failures = nil
		f.Send("progress", f.since, s)
	}
}

// A stage is the state and the totals that were sent last.
type stage struct {
	state jobs.State
	ended int
}

// items sends the items that have ended since the last call and returns their number.
func (f *follower) items(ctx context.Context) (n int, err error) {
	items, next, err := f.batches.Items(ctx, f.status.ID, f.since)
	if err != nil {
		return 0, err
	}
	for _, item := range items {
		f.since = item.Place
		if f.sent[item.Index] {
			continue
		}
		f.sent[item.Index] = true
		n++
		f.Send("item", f.since, item)
	}
	f.since = next
	return n, nil
}
