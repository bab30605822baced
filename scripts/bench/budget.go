//go:build linux

package main

import (
	"errors"
	"fmt"
)

// A budget is what a case may take. What is 0 is not bounded.
type budget struct {
	cpu       float64 // own processor time, ms
	ratio     float64 // of it to the bare handler's
	firestore float64 // calls
}

// String returns the budget of processor time as the table shows it.
func (b budget) String() string {
	switch {
	case b.ratio > 0:
		return fmt.Sprintf("%g × bare", b.ratio)
	case b.cpu > 0:
		return fmt.Sprintf("%g ms", b.cpu)
	}
	return "–"
}

// limit returns how much processor time the budget is beside a bare handler's.
func (b budget) limit(bare float64) float64 {
	if b.ratio > 0 {
		return b.ratio * bare
	}
	return b.cpu
}

// Budgets of all cases together.
const (
	crowdRatio = 0.58 // of the bare handler's requests a second, 32 clients at once
	readyMS    = 25
	idleMB     = 45 // 8 of its own; the rest is what Linux maps of the program, which has libraries for what discoveries read
)

// noise is how far a time may pass its budget on a machine that does other things
// beside. Counts have no noise.
const noise = 3

// The machine that the budgets in milliseconds were set on: the case that the bare
// handler did there, and how long it took for it.
const (
	measuredCase = "0.3 MB, image"
	measuredMS   = 1.5
)

// slack returns how far a time may pass its budget here: noise, or more on a machine that is
// so much slower than that of the budgets.
func (f figures) slack() float64 {
	return max(noise, noise/2.0*f.Cases[measuredCase].Bare.CPU/measuredMS)
}

// hold returns an error for each count that is over its budget and, of a machine that was
// quiet, each time that is so far over it that noise cannot be why.
func (f figures) hold() error {
	var all []error
	over := func(what string, got, most float64) {
		if most > 0 && got > most {
			all = append(all, fmt.Errorf("%s: %s, want %s at most", what, number(got), number(most)))
		}
	}
	late := func(what string, got, most float64) {
		if f.Quiet {
			over(what, got, most)
		}
	}
	for _, name := range f.Order {
		c := f.Cases[name]
		over(name+": Firestore calls", c.Ours.Firestore, c.Budget.firestore)
		late(name+": own CPU ms", c.Ours.CPU, f.slack()*c.Budget.limit(c.Bare.CPU))
	}
	for _, load := range searchLoads {
		one := f.Searches[load.name]
		over(load.name+": Firestore calls", one.Firestore, load.calls)
		over(load.name+": documents read and reads of vectors", one.Documents+one.Vectors, load.reads)
		if load.plain && one.Generated > 0 {
			all = append(all, fmt.Errorf("%s: %s generate calls, want none", load.name, number(one.Generated)))
		}
	}
	if c, ok := f.Crowds["32 clients"]; ok && f.Quiet && c.Ours.PerSecond*noise < crowdRatio*c.Bare.PerSecond {
		all = append(all, fmt.Errorf("32 clients: %s a second beside %s, want a share of %g", number(c.Ours.PerSecond), number(c.Bare.PerSecond), crowdRatio))
	}
	late("start, ms", f.Ready, f.slack()*readyMS)
	over("idle, MB", f.IdleMB, idleMB)
	return errors.Join(all...)
}
