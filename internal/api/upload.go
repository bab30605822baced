package api

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// A body that comes in holds the room of its whole request. It may take its time
// as long as nobody waits for that room; otherwise it gives the room up when it
// falls behind a slow mobile network.
const (
	grace     = 3 * time.Second
	pace      = 128 << 10 // bytes a second, after the grace
	paceCheck = 250 * time.Millisecond
)

// An upload is a request's body as it comes in.
type upload struct {
	io.ReadCloser
	begin time.Time
	got   atomic.Int64
	cut   atomic.Bool
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	u.got.Add(int64(n))
	return n, err
}

// slow reports that the body falls behind the pace.
func (u *upload) slow(now time.Time) bool {
	due := (now.Sub(u.begin) - grace).Seconds() * pace
	return due > 0 && float64(u.got.Load()) < due
}

// receive reads the photos of a request. The error is a *admission.Busy when the body
// was cut because others needed the room.
func (a *API) receive(w http.ResponseWriter, r *http.Request) (question, error) {
	u := &upload{ReadCloser: r.Body, begin: time.Now()}
	r.Body = u
	read := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		a.watch(u, http.NewResponseController(w), read)
	}()
	q, err := readQuestion(w, r)
	close(read)
	<-watched
	if u.cut.Load() {
		return q, a.Memory.Busy()
	}
	return q, err
}

// watch cuts u if it is slow while others wait, until it is read.
func (a *API) watch(u *upload, conn *http.ResponseController, read <-chan struct{}) {
	tick := time.NewTicker(paceCheck)
	defer tick.Stop()
	for {
		select {
		case <-read:
			return
		case now := <-tick.C:
			if a.Memory.Waiting() && u.slow(now) {
				u.cut.Store(true)
				_ = conn.SetReadDeadline(time.Unix(1, 0))
				return
			}
		}
	}
}
