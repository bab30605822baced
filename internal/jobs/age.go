package jobs

import (
	"time"

	"cloud.google.com/go/firestore"
)

// A Reason says why work is given back, and so what that costs it. Work is given
// up by whoever claims it, after too many attempts or at too great an age.
//
// The age runs from the end of the first attempt that did not merely wait, by
// Firestore's clock, and stands still from each Waiting to the next claim.
type Reason int

// The reasons.
const (
	Counted Reason = iota // the work itself may be at fault: the attempt counts
	Outage                // what it needs is down: the attempt is refunded, and the work ages
	Waiting               // there was no room, quota or money for it, or the instance stops: refunded, and it does not age
)

// releaseFields are the fields that tell the next claim what this one was given back for.
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

// resumeAge lets the age of work that is claimed again run on, without the time that
// it waited.
func (f *found) resumeAge() fields {
	set := fields{"waiting": false}
	if f.Waiting && !f.TriedAt.IsZero() {
		f.TriedAt = f.TriedAt.Add(f.read.Sub(f.updated))
		set["tried_at"] = f.TriedAt
	}
	return set
}

// age is how old work is at the time it was read.
func (f found) age() time.Duration {
	if f.TriedAt.IsZero() {
		return 0
	}
	return max(0, f.read.Sub(f.TriedAt))
}
