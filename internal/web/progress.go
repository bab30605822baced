package web

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// LastEventID is the header in which a client that lost its stream names the last
// event that it saw.
const LastEventID = "Last-Event-ID"

// A Progress is how much of each run has been sent on a stream. It is what event IDs
// say: for each run its name and the number of its last event, as in
// "d1k2-3.d1k7-12". A client that comes back with the last ID it saw gets the rest,
// provided that the same run has the same name and the same events.
type Progress struct {
	*Stream

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

// MaxEventID bounds what is read of a Last-Event-ID.
const MaxEventID = 4096

// NewProgress returns the progress of so many runs on s, behind what r says that its
// client has seen.
func NewProgress(s *Stream, r *http.Request, runs int) *Progress {
	p := &Progress{Stream: s, at: make([]place, runs), seen: make([]place, runs)}
	last := r.Header.Get(LastEventID)
	parts := strings.Split(last[:min(len(last), MaxEventID)], ".")
	for i := range min(len(parts), runs) {
		run, n, _ := strings.Cut(parts[i], "-")
		p.seen[i].run = run
		p.seen[i].n, _ = strconv.Atoi(n) // 0 has seen nothing
	}
	return p
}

// Event sends the next event of run i, unless its client has seen it. The name of the
// run counts at its first event.
func (p *Progress) Event(i int, run, event string, data any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step(i, run)
	if p.at[i].run == p.seen[i].run && p.at[i].n <= p.seen[i].n {
		return
	}
	p.Send(event, p.vector(), data)
}

// Result sends what came of run i, whether or not its client has seen it.
func (p *Progress) Result(i int, run, event string, data any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step(i, run)
	p.Send(event, p.vector(), data)
}

// End sends the last event, and before it problem, if there is one.
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

// ID is the ID of the last event.
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
