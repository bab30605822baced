package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

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
	ctx, cancel := web.Linger(r.Context(), a.Times.Linger)
	defer cancel()
	for i := range q.photos {
		q.photos[i].Resumed = r.Header.Get(web.LastEventID) != ""
	}
	s := newPhotoStream(web.NewProgress(web.NewStream(w, a.Times), r, len(q.photos)), q)
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
	files []string // nil if the answer is not a list
}

func newPhotoStream(p *web.Progress, q analyzeRequest) photoStream {
	if q.list {
		return photoStream{p, q.files}
	}
	return photoStream{p, nil}
}

// A streamEvent is an event of a photo's agents. File is set only if there are several
// photos.
type streamEvent struct {
	File string `json:"file,omitempty"`
	*agent.Event
}

// single analyses a single photo.
func (a *API) single(ctx context.Context, s photoStream, in *intake.Intake, one intake.Photo) error {
	r, err := a.photo(ctx, in, one, func(e *agent.Event) { s.event(0, e) })
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
	s.Event(i, strconv.FormatInt(e.Time.UnixMicro(), 36), "agent", streamEvent{file, sendable(e)})
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

// result sends the result of photo i. A cached result has no events and is its own run.
func (s photoStream) result(i int, r analyze.Result) {
	if s.files == nil {
		s.Result(i, r.ID, "result", r)
		return
	}
	s.Result(i, r.ID, "result", answer{s.files[i], r})
}
