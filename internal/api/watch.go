package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
)

// streamed answers q with the events of its agents and its results. The error is of
// a request that failed before there was anything to see.
//
// A client that loses its connection may come back: its work goes on for a while,
// and when the same request names the last event that it saw, it gets the rest.
func (a *API) streamed(w http.ResponseWriter, r *http.Request, in *intake.Intake, q question) error {
	ctx, cancel := lingering(r.Context(), a.Times.Linger)
	defer cancel()
	last := r.Header.Get("Last-Event-ID")
	for i := range q.photos {
		q.photos[i].Resumed = last != ""
	}
	s := newStream(w, a.Times)
	stop := s.keep()
	p := newProgress(s, q, last)
	var err error
	if len(q.photos) == 1 {
		err = p.single(ctx, in, q.photos[0])
	} else {
		each(ctx, in, q, p.event, p.result)
	}
	stop()
	switch {
	case err != nil && !s.open():
		return err
	case err != nil:
		s.send("problem", p.id(), problemOf(err))
	}
	s.send("end", p.id(), struct{}{})
	return nil
}

// lingering is ctx, which ends only a while after its client has left. When its time
// is up it ends at once.
func lingering(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel()
			return
		}
		timer := time.AfterFunc(d, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// A progress is how much of each photo's run has been sent. It is what event IDs
// say: for each photo the run and the number of its last event, as in
// "d1k2-3.d1k7-12". A run is named by the time of its first event, which all who
// share it see.
type progress struct {
	s     *stream
	files []string // nil of one photo

	mu   sync.Mutex
	at   []place
	seen []place // by the client, before it lost its connection
}

// A place is an event of a run.
type place struct {
	run string
	n   int
}

func (p place) String() string { return p.run + "-" + strconv.Itoa(p.n) }

// longestID bounds what is read of a Last-Event-ID.
const longestID = 4096

func newProgress(s *stream, q question, last string) *progress {
	p := &progress{s: s, at: make([]place, len(q.photos)), seen: make([]place, len(q.photos))}
	if len(q.photos) > 1 {
		p.files = q.files
	}
	parts := strings.Split(last[:min(len(last), longestID)], ".")
	for i := range min(len(parts), len(p.seen)) {
		run, n, _ := strings.Cut(parts[i], "-")
		p.seen[i].run = run
		p.seen[i].n, _ = strconv.Atoi(n) // 0 has seen nothing
	}
	return p
}

// A happening is an event of a photo's agents; File only if there are several.
type happening struct {
	File string `json:"file,omitempty"`
	*agent.Event
}

// single analyses the one photo there is.
func (p *progress) single(ctx context.Context, in *intake.Intake, one intake.Photo) error {
	r, err := in.Photo(ctx, one, func(e *agent.Event) { p.event(0, e) })
	if err == nil {
		p.result(0, r)
	}
	return err
}

// event sends an event of photo i, unless its client has seen it.
func (p *progress) event(i int, e *agent.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[i].n++; p.at[i].n == 1 {
		p.at[i].run = strconv.FormatInt(e.Time.UnixMicro(), 36)
	}
	if p.at[i].run == p.seen[i].run && p.at[i].n <= p.seen[i].n {
		return
	}
	p.s.send("agent", p.vector(), happening{p.file(i), sendable(e)})
}

// sendable is e, without its data if those have no JSON.
func sendable(e *agent.Event) *agent.Event {
	if _, err := json.Marshal(e.Data); err == nil {
		return e
	}
	plain := *e
	plain.Data = nil
	return &plain
}

// result sends the result of photo i.
func (p *progress) result(i int, r analyze.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[i].n++; p.at[i].n == 1 {
		p.at[i].run = r.ID // recalled
	}
	if p.files == nil {
		p.s.send("result", p.vector(), r)
		return
	}
	p.s.send("result", p.vector(), answer{p.files[i], r})
}

func (p *progress) file(i int) string {
	if p.files == nil {
		return ""
	}
	return p.files[i]
}

// id is the ID of the last event.
func (p *progress) id() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.vector()
}

func (p *progress) vector() string {
	parts := make([]string, len(p.at))
	for i, at := range p.at {
		if at.n > 0 {
			parts[i] = at.String()
		}
	}
	return strings.Join(parts, ".")
}
