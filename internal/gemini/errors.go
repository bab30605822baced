package gemini

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind classifies an error from the caller's point of view.
type Kind string

const (
	Blocked      Kind = "blocked"      // the service refused the prompt or the answer; Reason says why
	Truncated    Kind = "truncated"    // the answer hit MaxOutputTokens or the model's limit
	Malformed    Kind = "malformed"    // the answer cannot be used, nor could it be repaired
	Quota        Kind = "quota"        // 429 that ends by waiting; PerDay distinguishes a daily quota from a rate limit
	NotInPlan    Kind = "not_in_plan"  // the plan of the key or project has none of the model
	Unpaid       Kind = "unpaid"       // prepaid credits are used up, a spending cap is reached, or billing is off
	NoSearch     Kind = "no_search"    // the plan has no google_search, or none left; the model answers without it
	Gone         Kind = "gone"         // 404, also for the fallback model if there is one
	Invalid      Kind = "invalid"      // 400 and similar: the request is wrong
	BadImage     Kind = "bad_image"    // 400 that names the image: the service cannot read it
	Unauthorized Kind = "unauthorized" // 401, 403, or an unknown key
	Unavailable  Kind = "unavailable"  // 5xx, no connection, time-out, or the caller's context ended
	Budget       Kind = "budget"       // MaxUSDPerDay is reached, or paid work is Paused
	Later        Kind = "later"        // not enough time left: the next delivery of the work has it
	Emulated     Kind = "emulated"     // an emulated model answered and is not allowed
)

// Error is the type of every error of a call.
type Error struct {
	Kind   Kind
	Reason string // the service's own code, such as "SAFETY"; may be ""
	PerDay bool   // for Quota
	// RetryAfter is the wait that the service asks for; for a daily quota the time to the
	// next day in the Pacific time zone, for Budget to the next UTC day, unless it is Paused; 0 means unknown.
	RetryAfter time.Duration
	Model      string
	Err        error

	// For Malformed: whether it is the error of a repair, and whether the answer searched
	// the web.
	repaired, searched bool
	status             int // of HTTP; 0 without a response
	// Of a try at the flex tier: see TierRefused.
	tierRefused bool
	// Part of the answer was already passed on, so the call is not retried.
	begun bool
	// The same call may be answered, and is made once more, whatever the attempts.
	onceMore bool
}

func (e *Error) Error() string { return "gemini: " + e.text(e.Err) }

// foreign is a text of the service or of the network: it may have hosts, project numbers and
// words on billing, and is for the log.
type foreign string

func (f foreign) Error() string { return string(f) }

// Public returns the text for callers (package usererror), without foreign texts.
func (e *Error) Public() string {
	var f foreign
	if errors.As(e.Err, &f) {
		return e.text(nil)
	}
	return e.text(e.Err)
}

func (e *Error) text(cause error) string {
	var b strings.Builder
	if e.Model != "" {
		b.WriteString(e.Model + ": ")
	}
	b.WriteString(string(e.Kind))
	if e.Reason != "" {
		fmt.Fprintf(&b, " (%s)", e.Reason)
	}
	if cause != nil {
		fmt.Fprintf(&b, ": %v", cause)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// AboutContent reports whether the cause is the prompt or the answer, not the form of the
// request or the permissions: the same question would fail again.
func (e *Error) AboutContent() bool {
	return e.Kind == Blocked || e.Kind == Truncated || e.Kind == BadImage
}

// Retryable reports whether the same call may succeed later: at once for Malformed,
// otherwise after RetryAfter or a while.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case Malformed, Quota, Unavailable, Budget, Later:
		return true
	}
	return false
}
