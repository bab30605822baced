package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/web"
)

// streamed answers q with the events and the results of its agents. It returns an error
// only if the request failed before the first event.
//
// A client that loses its connection may return: the work continues for a while, and a
// client that repeats the request with the last event ID it received gets the remaining
// events.
func (a *API) streamed(w http.ResponseWriter, r *http.Request, in *intake.Intake, q analyzeRequest) error {
	ctx, cancel := web.Linger(agent.WithEarly(r.Context()), a.Times.Linger)
	defer cancel()
	s := newPhotoStream(web.NewProgress(web.NewStream(w, a.Times), r, len(q.photos)), q)
	for i, begun := range s.resumed {
		q.photos[i].Resumed = begun
	}
	stop := s.KeepAlive()
	var err error
	if !q.list {
		err = a.single(ctx, s, in, q.photos[0])
	} else {
		a.each(ctx, in, q, s.event, s.result)
	}
	stop()
	if err == nil {
		s.End(nil)
		return nil
	}
	if !s.Begun() {
		return err
	}
	why := a.Problem(err)
	s.End(&why)
	return nil
}

// A photoStream is the event stream of one or more photos. A run is named after the time of
// its first event, which is the same for all clients that share the run.
type photoStream struct {
	*web.Progress
	files   []string    // nil if the answer is not a list
	resumed []time.Time // when the runs began of which the client has seen events, by photo
}

func newPhotoStream(p *web.Progress, q analyzeRequest) photoStream {
	s := photoStream{Progress: p, resumed: resumed(p, len(q.photos))}
	if q.list {
		s.files = q.files
	}
	return s
}

// A streamEvent is an event of a photo's agents. File is set only if there are several
// photos.
type streamEvent struct {
	File string `json:"file,omitempty"`
	*agent.Event
}

// single analyses a single photo.
func (a *API) single(ctx context.Context, s photoStream, in *intake.Intake, one intake.Photo) error {
	r, err := in.Photo(ctx, one, func(e *agent.Event) { s.event(0, e) })
	if err == nil {
		s.result(0, r)
	}
	return err
}

// event sends an event of photo i.
func (s photoStream) event(i int, e *agent.Event) {
	file := ""
	if s.files != nil {
		file = s.files[i]
	}
	s.Event(i, runName(e.Time), "agent", streamEvent{file, sendable(e)})
}

// sendable returns e, without its data if they cannot be encoded as JSON.
func sendable(e *agent.Event) *agent.Event {
	if _, err := json.Marshal(e.Data); err == nil {
		return e
	}
	plain := *e
	plain.Data = nil
	return &plain
}

// result sends the result of photo i. A cached result has no events: it is its own run, or the
// one that the client has seen events of.
func (s photoStream) result(i int, r analyze.Result) {
	run := r.ID
	if !s.resumed[i].IsZero() {
		run = runName(s.resumed[i])
	}
	if s.files == nil {
		s.Result(i, run, "result", r)
		return
	}
	s.Result(i, run, "result", answer{s.files[i], r})
}

// runName names a run after the time of its first event, which all who share it see.
func runName(first time.Time) string { return strconv.FormatInt(first.UnixMicro(), 36) }

// resumed returns when the runs of p began of which the client has seen events. Those of which
// it has seen none were asked for with the others, and have the earliest of their times: zero
// if there is none.
func resumed(p *web.Progress, runs int) []time.Time {
	begun := make([]time.Time, runs)
	var first time.Time
	for i := range begun {
		micros, err := strconv.ParseInt(p.Seen(i), 36, 64)
		if err != nil {
			continue
		}
		begun[i] = time.UnixMicro(micros)
		if first.IsZero() || begun[i].Before(first) {
			first = begun[i]
		}
	}
	for i := range begun {
		if begun[i].IsZero() {
			begun[i] = first
		}
	}
	return begun
}
