package fetch

import (
	"context"
	"sync"
	"time"
)

// hosts are those asked lately. Each is asked by one at a time.
type hosts struct {
	most int

	mu    sync.Mutex
	known map[string]*host
}

// A host has one turn, which whoever asks it holds: it guards all below it.
type host struct {
	here int       // who has the turn or waits for it; guarded by hosts.mu
	left time.Time // when the last one left; guarded by hosts.mu

	turn  chan struct{}
	next  time.Time         // before this it is not asked for a page
	rules map[string]*rules // by origin
}

func newHosts(most int) *hosts { return &hosts{most: most, known: map[string]*host{}} }

// enter waits for the turn at a host, which ends with leave.
func (a *hosts) enter(ctx context.Context, name string) (*host, error) {
	a.mu.Lock()
	h := a.known[name]
	if h == nil {
		a.forget()
		h = &host{turn: make(chan struct{}, 1), rules: map[string]*rules{}}
		a.known[name] = h
	}
	h.here++
	a.mu.Unlock()
	select {
	case h.turn <- struct{}{}:
		return h, nil
	case <-ctx.Done():
		a.away(h)
		return nil, context.Cause(ctx)
	}
}

func (a *hosts) leave(h *host) {
	<-h.turn
	a.away(h)
}

func (a *hosts) away(h *host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h.here--
	h.left = time.Now()
}

// forget makes room for one host more: it drops the one that was left longest ago. A
// host with somebody at it stays, so there may be more than most for a while.
func (a *hosts) forget() {
	if len(a.known) < a.most {
		return
	}
	var oldest string
	for name, h := range a.known {
		if h.here == 0 && (oldest == "" || h.left.Before(a.known[oldest].left)) {
			oldest = name
		}
	}
	delete(a.known, oldest)
}

// pause waits until the host may be asked again.
func (h *host) pause(ctx context.Context) error {
	timer := time.NewTimer(time.Until(h.next))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
