package jobs

import (
	"time"

	"cloud.google.com/go/firestore"
)

// A Reason says why a claim is released, which decides whether the attempt counts
// and the work ages. A claim gives work up after too many attempts or at too great an age.
//
// The age runs from the end of the first attempt that did not merely wait, by
// Firestore's clock, and stands still from each Waiting to the next claim.
type Reason int

// The reasons.
const (
	Counted Reason = iota // the work itself may be at fault: the attempt counts
	Outage                // what it needs is down: the attempt is refunded, and the work ages
	Waiting               // no free capacity, quota or budget, or the instance stops: refunded, and it does not age
)

// releaseFields returns the fields that tell the next claim why this one was released.
func (c *Claim) releaseFields(why Reason) fields {
	set := fields{"attempts": c.Attempt, "waiting": why == Waiting}
	if why != Counted {
		set["attempts"] = c.Attempt - 1
	}
	if why != Waiting && !c.tried {
		set["tried_at"] = firestore.ServerTimestamp
	}
	return set
}

// resumeAge returns the fields that let the age of work run on at its next claim,
// without the time that it waited.
func (f *found) resumeAge() fields {
	set := fields{"waiting": false}
	if f.Waiting && !f.TriedAt.IsZero() {
		f.TriedAt = f.TriedAt.Add(f.read.Sub(f.updated))
		set["tried_at"] = f.TriedAt
	}
	return set
}

// age returns how old the work was when it was read.
func (f found) age() time.Duration {
	if f.TriedAt.IsZero() {
		return 0
	}
	return max(0, f.read.Sub(f.TriedAt))
}
