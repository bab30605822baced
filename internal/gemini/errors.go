package gemini

import (
	"fmt"
	"strings"
	"time"
)

// Kind is what went wrong, from the caller's point of view.
type Kind string

const (
	Blocked      Kind = "blocked"      // the service refused the prompt or the answer; Reason says why
	Truncated    Kind = "truncated"    // the answer hit MaxOutputTokens or the model's limit
	Malformed    Kind = "malformed"    // an answer came and cannot be used, nor its repair
	Quota        Kind = "quota"        // 429; PerDay tells a daily quota from a rate
	Gone         Kind = "gone"         // 404, for the fallback model too where there is one
	Invalid      Kind = "invalid"      // 400 and its kin: the request is wrong
	BadImage     Kind = "bad_image"    // 400 that names the image: these bytes are refused
	Unauthorized Kind = "unauthorized" // 401, 403, or a key the service does not know
	Unavailable  Kind = "unavailable"  // 5xx, no connection, time-out, or the caller's context ended
	Budget       Kind = "budget"       // MaxUSDPerDay is reached
	Later        Kind = "later"        // there is not the time for it: the next delivery of the work has it
	Emulated     Kind = "emulated"     // an emulated model answered and is not allowed
)

// Error is every error of a call.
type Error struct {
	Kind   Kind
	Reason string // the service's own word for it, such as "SAFETY"; may be ""
	PerDay bool   // of Quota
	// RetryAfter is the wait the service asks for, the time to the next day of
	// the Pacific coast for a daily quota, to the next UTC day for Budget; 0 is
	// unknown.
	RetryAfter time.Duration
	Model      string
	Err        error

	// Of Malformed: it is what a repair came to; the answer searched the web.
	repaired, searched bool
	status             int // of HTTP; 0 without an answer
	// Of a try at the flex tier: see TierRefused.
	tierRefused bool
	// A part of the answer was handed on before, so that it is not asked for again.
	begun bool
}

func (e *Error) Error() string { return "gemini: " + e.Public() }

// Public is Error for whoever asked (package public).
func (e *Error) Public() string {
	var b strings.Builder
	if e.Model != "" {
		b.WriteString(e.Model + ": ")
	}
	b.WriteString(string(e.Kind))
	if e.Reason != "" {
		fmt.Fprintf(&b, " (%s)", e.Reason)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// AboutContent reports an error that lies in what the model was asked or what it said,
// not in how this program asks, nor in what it may use: the same question would meet
// it again.
func (e *Error) AboutContent() bool {
	return e.Kind == Blocked || e.Kind == Truncated || e.Kind == BadImage
}

// Retryable reports that the same call, unchanged, may well succeed later: at
// once for Malformed, after RetryAfter or a while for the others.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case Malformed, Quota, Unavailable, Budget, Later:
		return true
	}
	return false
}
