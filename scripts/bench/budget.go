//go:build linux

package main

import (
	"errors"
	"fmt"
)

// A budget is what a case may take. What is 0 is not bounded.
type budget struct {
	goal      float64 // own processor time that is aimed for, × the bare floor's
	bare      float64 // what it was, × the bare floor's, when it was measured last
	stored    float64 // and × the storing floor's
	firestore float64 // calls
	documents float64 // that Firestore reads
	models    float64 // calls
	allocated float64 // kB
}

// budgets are those of the photos, by the names of workloads.
var budgets = map[string]budget{}

// Budgets of all cases together.
const (
	crowdShare = 0.5 // of the bare floor's requests a second, 32 clients at once
	readyShare = 6.0 // × the bare floor's start
	idleMB     = 45  // of which the program's pages, which Linux maps, are the larger part
)

// noise is how far a ratio may pass what it was. Counts have no noise.
const noise = 1.25

// hold returns an error for each count that is over its budget and, of a machine that was
// quiet, each ratio that is so far over what it was that noise cannot be why.
func (f figures) hold() error {
	var all []error
	over := func(what string, got, most float64) {
		if most > 0 && got > most {
			all = append(all, fmt.Errorf("%s: %s, want %s at most", what, number(got), number(most)))
		}
	}
	late := func(what string, got, was float64) {
		if f.quiet() {
			over(what, got, noise*was)
		}
	}
	for _, name := range f.Order {
		c := f.Cases[name]
		over(name+": Firestore calls", c.Ours.Firestore, c.Budget.firestore)
		over(name+": documents read", c.Ours.Documents, c.Budget.documents)
		over(name+": calls of models", c.Ours.ModelCalls, c.Budget.models)
		over(name+": kB allocated", c.Ours.AllocatedKB, noise*c.Budget.allocated)
		late(name+": processor time, × the bare floor's", c.Ours.CPU/c.Bare.CPU, c.Budget.bare)
		late(name+": processor time, × the storing floor's", c.Ours.CPU/c.Stored.CPU, c.Budget.stored)
		if got, want := c.Stored.Firestore, c.Ours.Firestore; got != want {
			all = append(all, fmt.Errorf("%s: the storing floor makes %s calls of Firestore, and the function %s: they do not compare", name, number(got), number(want)))
		}
	}
	for _, load := range searchLoads {
		one := f.Searches[load.name]
		over(load.name+": Firestore calls", one.Firestore, load.calls)
		over(load.name+": documents read and reads of vectors", one.Documents+one.Vectors, load.reads)
		if load.plain && one.Generated > 0 {
			all = append(all, fmt.Errorf("%s: %s generate calls, want none", load.name, number(one.Generated)))
		}
	}
	for _, load := range requestLoads {
		one := f.Requests[load.name]
		over(load.name+": Firestore calls", one.Firestore, load.calls)
		over(load.name+": calls of models", one.ModelCalls, load.models)
	}
	if f.Discovery.Slices > 0 {
		over("a discovery's slice: writes", f.Discovery.Writes, sliceWrites)
	}
	if c, ok := f.Crowds[crowds[2].name()]; ok && f.quiet() && c.Ours.PerSecond*noise < crowdShare*c.Bare.PerSecond {
		all = append(all, fmt.Errorf("%s: %s a second beside %s, want a share of %g", crowds[2].name(), number(c.Ours.PerSecond), number(c.Bare.PerSecond), crowdShare))
	}
	late("start, × the bare floor's", f.Ready/max(1, f.FloorReady), readyShare)
	over("idle, MB", f.IdleMB, idleMB)
	return errors.Join(all...)
}
