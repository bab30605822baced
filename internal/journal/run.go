package journal

import (
	"context"
	"fmt"
	"sync"
)

// A run is what a journal knows of the run that carries it.
type run struct {
	mu    sync.Mutex
	taken map[string]bool // keys of steps
	fault error           // that ends the run
}

// nextKey returns the key of the next round of a step, and what gives it back after a
// round that came to nothing.
func (r *run) nextKey(step string) (key string, release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for round := 1; key == "" || r.taken[key]; round++ {
		key = fmt.Sprintf("%s#%d", step, round)
	}
	r.taken[key] = true
	return key, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.taken, key)
	}
}

func (r *run) err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fault
}

// A call is the call of a tool that is being made. Agents that run for it have it
// in their context.
type call struct {
	key   string
	outer *call // that this one is made for, nil if there is none
	fault error // met by it, or by anything it calls; the run's lock guards it
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// setFault notes what ends the run. The first fault counts.
func (r *run) setFault(ctx context.Context, fault error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.fault = fault
	}
	for c := callOf(ctx); c != nil; c = c.outer {
		if c.fault == nil {
			c.fault = fault
		}
	}
}

// faultOf is what a call, or anything it called, has met.
func (r *run) faultOf(c *call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.fault
}

// step is the name of what an agent does on a branch, the same in every run.
func step(ctx context.Context, branch, agent string) string {
	name := agent
	if branch != "" {
		name = branch + ":" + agent
	}
	if c := callOf(ctx); c != nil {
		name = c.key + ">" + name
	}
	return name
}
