//go:build linux

package main

import (
	"errors"
	"fmt"
)

// A budget is what a case may take. What is 0 is not bounded. Ratios are the most of seven runs
// on quiet machines of two kinds: one reads pixels faster and hashes more slowly than the other.
type budget struct {
	goal      string  // own processor time that is aimed for, in ms or × the bare floor's
	bare      float64 // × the bare floor's processor time
	stored    float64 // the same, × the storing floor's
	firestore float64 // calls
	documents float64 // that Firestore reads
	models    float64 // calls
	allocated float64 // kB
}

// budgets are those of the photos, by the names of workloads.
var budgets = map[string]budget{
	"0.3 MB, image":               {"1.8 ×", 5.3, 2.2, 3, 1, 1, 1000},
	"0.3 MB, local_db":            {"1.7 ×", 5.9, 2.5, 5, 5, 3, 1440},
	"0.3 MB, google_search":       {"1.5 ×", 6.6, 2.2, 6, 8, 4, 1620},
	"1 MP pack with a barcode":    {"15 ms", 17.1, 7.7, 3, 1, 1, 2620},
	"12 MP, upright":              {"10 ms", 1.7, 1.3, 3, 1, 1, 6870},
	"12 MP, with a barcode":       {"150 ms", 19.1, 12.1, 3, 1, 1, 23_700},
	"12 MP, to be turned":         {"150 ms", 12.0, 8.1, 3, 1, 1, 15_800},
	"12 MP, the same bytes again": {"4 ms", 0.8, 0.5, 2, 1, 0, 3350},
	"photos of real packs":        {"–", 6.1, 2.5, 3, 1, 1, 0},
}

// Budgets of all cases together.
const (
	crowdShare = 0.33 // of the bare floor's requests a second, 32 clients at once: the least of six runs
	readyMS    = 75   // a start is compared with nothing
	idleMB     = 45   // of which the program's pages, which Linux maps, are the larger part
)

// noise is how far a ratio may pass what it was. Counts have no noise.
const noise = 1.25

// late reports whether the function took more processor time than noise explains.
func (e entry) late() bool {
	return e.Ours.CPU > noise*e.Budget.bare*e.Bare.CPU || e.Ours.CPU > noise*e.Budget.stored*e.Stored.CPU
}

// slow reports whether it answered fewer requests a second than noise explains.
func (e entry) slow() bool { return e.Ours.PerSecond*noise < crowdShare*e.Bare.PerSecond }

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
		over(name+": kB allocated", c.Ours.AllocatedKB, 1.1*c.Budget.allocated)
		late(name+": processor time, × the bare floor's", c.Ours.CPU/c.Bare.CPU, c.Budget.bare)
		late(name+": processor time, × the storing floor's", c.Ours.CPU/c.Stored.CPU, c.Budget.stored)
		if got, want := c.Stored.Firestore, c.Ours.Firestore; got != want && c.Stored.CPU > 0 {
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
	}
	over("a discovery's slice: writes", f.Discovery.Writes, sliceWrites)
	if c, ok := f.Crowds[heldCrowd.name()]; ok && f.quiet() && c.slow() {
		all = append(all, fmt.Errorf("%s: %s a second beside %s, want a share of %g", heldCrowd.name(), number(c.Ours.PerSecond), number(c.Bare.PerSecond), crowdShare))
	}
	if f.quiet() {
		over("start, ms", f.Ready, readyMS)
	}
	over("idle, MB", f.IdleMB, idleMB)
	return errors.Join(all...)
}
