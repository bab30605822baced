package replay

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// PlayOptions configure a Player.
type PlayOptions struct {
	Addr string           // to listen on; "" means a free port on 127.0.0.1
	Dir  string           // with a recording
	Log  func(why string) // called for each request that was not recorded; may be nil
}

// A Player answers requests from a recording. Its methods may be called concurrently.
type Player struct {
	server
	o   PlayOptions
	all []Exchange

	mu     sync.Mutex
	byKey  map[string][]Exchange // exchanges not yet used; the last one stays
	misses int
}

// Play listens and answers until Close. A request that was recorded several times gets its
// answers in order, then always the last one.
func Play(o PlayOptions) (*Player, error) {
	if _, err := ReadRecording(o.Dir); err != nil {
		return nil, err
	}
	all, err := read(o.Dir)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("replay: %s holds no exchange: nothing was recorded there", o.Dir)
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	p := &Player{o: o, all: all, byKey: map[string][]Exchange{}}
	for _, e := range all {
		key := e.Request.key()
		p.byKey[key] = append(p.byKey[key], e)
	}
	return p, p.serve(o.Addr, http.HandlerFunc(p.answer))
}

// Misses returns the number of requests that were not in the recording.
func (p *Player) Misses() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.misses
}

func (p *Player) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", fmt.Sprintf("replay: the request cannot be read: %v", err))
		return
	}
	asked := requestOf(r, body, scrubber(r))
	e, ok := p.take(asked.key())
	if !ok {
		why := asked.miss(p.all)
		p.o.Log(why)
		refuse(w, http.StatusBadRequest, "FAILED_PRECONDITION", why)
		return
	}
	if e.Answer.Type != "" {
		w.Header().Set("Content-Type", e.Answer.Type)
	}
	if e.Answer.RetryAfter != "" {
		w.Header().Set("Retry-After", e.Answer.RetryAfter)
	}
	w.WriteHeader(e.Answer.Status)
	_, _ = w.Write(e.Answer.Body.bytes())
}

// take returns the next answer to the request with that key.
func (p *Player) take(key string) (Exchange, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.byKey[key]
	if len(left) == 0 {
		p.misses++
		return Exchange{}, false
	}
	if len(left) > 1 {
		p.byKey[key] = left[1:]
	}
	return left[0], true
}
