package web

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// LastEventID is the header in which a client that lost its connection names the last event
// it received.
const LastEventID = "Last-Event-ID"

// A Progress records how many events of each run were sent on a stream. The event IDs
// encode it: for each run its name and the number of its last event, as in
// "d1k2-3.d1k7-12". A client that returns with the last ID it received gets the remaining
// events, provided that the same run has the same name and the same events.
type Progress struct {
	*Stream

	mu   sync.Mutex
	at   []place
	seen []place // what the client received before it lost its connection
}

// A place is the position of an event in a run.
type place struct {
	run string
	n   int
}

func (p place) String() string { return p.run + "-" + strconv.Itoa(p.n) }

// MaxEventID is the longest Last-Event-ID that is read, in bytes.
const MaxEventID = 4096

// NewProgress returns the progress of the given number of runs on s. It starts after the
// Last-Event-ID of r.
func NewProgress(s *Stream, r *http.Request, runs int) *Progress {
	p := &Progress{Stream: s, at: make([]place, runs), seen: make([]place, runs)}
	last := r.Header.Get(LastEventID)
	parts := strings.Split(last[:min(len(last), MaxEventID)], ".")
	for i := range min(len(parts), runs) {
		run, n, _ := strings.Cut(parts[i], "-")
		p.seen[i].run = run
		p.seen[i].n, _ = strconv.Atoi(n) // 0 if it is no number: nothing was received
	}
	return p
}

// Seen returns the name of run i of which the client received events before it lost its
// connection, "" if it received none.
func (p *Progress) Seen(i int) string { return p.seen[i].run }

// Event sends the next event of run i unless the client already received it. The name of a
// run is set by its first event.
func (p *Progress) Event(i int, run, event string, data any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step(i, run)
	if p.at[i].run == p.seen[i].run && p.at[i].n <= p.seen[i].n {
		return
	}
	p.Send(event, p.vector(), data)
}

// Result sends the result of run i, even if the client already received it.
func (p *Progress) Result(i int, run, event string, data any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step(i, run)
	p.Send(event, p.vector(), data)
}

// End sends the problem, if there is one, and then the last event.
func (p *Progress) End(problem *Problem) {
	if problem != nil {
		p.Send("problem", p.ID(), *problem)
	}
	p.Send("end", p.ID(), struct{}{})
}

func (p *Progress) step(i int, run string) {
	if p.at[i].n++; p.at[i].n == 1 {
		p.at[i].run = run
	}
}

// ID returns the ID of the last event.
func (p *Progress) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.vector()
}

func (p *Progress) vector() string {
	parts := make([]string, len(p.at))
	for i, at := range p.at {
		if at.n > 0 {
			parts[i] = at.String()
		}
	}
	return strings.Join(parts, ".")
}
