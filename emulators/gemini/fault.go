package gemini

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// FaultType is the type of a fault.
type FaultType string

const (
	// Latency delays the answer by Delay. It adds to the other faults.
	Latency FaultType = "latency"
	// RateLimited answers 429 with a google.rpc.RetryInfo of Delay.
	RateLimited FaultType = "rate_limited"
	// DailyQuota answers 429 with a google.rpc.QuotaFailure whose quotaId is
	// per day. Like the service's it has a RetryInfo too, of Delay or 27 s,
	// which a client must not trust.
	DailyQuota FaultType = "daily_quota"
	// NotInPlan answers 429 with a limit of 0, Unpaid 429 as without prepaid credits. NoSearch
	// answers 429 to requests with google_search, and only to them, as to a free key.
	NotInPlan FaultType = "not_in_plan"
	Unpaid    FaultType = "unpaid"
	NoSearch  FaultType = "no_search"
	// SchemaRefused answers a bare 400 to requests with a schema, and only to them.
	SchemaRefused FaultType = "schema_refused"
	// BadRequest answers the same bare 400, as to a picture or file that is corrupt.
	BadRequest FaultType = "bad_request"
	// Internal answers 500, Unavailable 503.
	Internal    FaultType = "internal"
	Unavailable FaultType = "unavailable"
	// TimeOut answers nothing until the client leaves.
	TimeOut FaultType = "time_out"
	// Cut closes the connection in the middle of the body.
	Cut FaultType = "cut"
	// Truncated ends the text half-way with finishReason MAX_TOKENS.
	Truncated FaultType = "truncated"
	// Malformed answers text that is not JSON.
	Malformed FaultType = "malformed"
	// WrongTypes answers JSON whose values have other types than asked for.
	WrongTypes FaultType = "wrong_types"
	// BlockedPrompt answers no candidates and a promptFeedback, BlockedAnswer
	// a candidate without content and with a finishReason, both for Reason or SAFETY.
	BlockedPrompt FaultType = "blocked_prompt"
	BlockedAnswer FaultType = "blocked_answer"
	// Ended answers everything, and ends with the finishReason Reason.
	Ended FaultType = "ended"
	// Cancelled answers 499: the service has cancelled the call.
	Cancelled FaultType = "cancelled"
	// Gone answers 404: the model is shut down.
	Gone FaultType = "gone"
	// Forbidden answers 403: a permission is missing, or billing is off.
	Forbidden FaultType = "forbidden"
)

var faultTypes = []FaultType{Latency, RateLimited, DailyQuota, NotInPlan, Unpaid, NoSearch, SchemaRefused, BadRequest, Internal, Unavailable, TimeOut,
	Cut, Truncated, Malformed, WrongTypes, BlockedPrompt, BlockedAnswer, Ended, Cancelled, Gone, Forbidden}

// Fault is an injected error of some calls.
type Fault struct {
	Type FaultType `json:"type"`
	// Kind and Model restrict the fault to some calls; "" is every call of a
	// model, embeddings included.
	Kind  Kind   `json:"kind,omitempty"`
	Model string `json:"model,omitempty"`
	// Tier restricts the fault to calls of a tier, such as flex; "" is every tier.
	Tier string `json:"tier,omitempty"`
	// Reason is the reason of BlockedPrompt, BlockedAnswer and Ended: any, as the
	// service's lists of them are open.
	Reason string `json:"reason,omitempty"`
	// Delay is the wait of Latency and the delay in RetryInfo. In JSON it is a string
	// such as "3s".
	Delay time.Duration `json:"-"`
	// Times is how many calls meet the fault before it is used up; 0 is all.
	Times int `json:"times,omitempty"`
	// Probability is the chance that a call meets the fault; 0 means 1. The
	// draws follow from Seed alone.
	Probability float64 `json:"probability,omitempty"`
	Seed        uint64  `json:"seed,omitempty"`
	// PerSecond is how many calls of each second do not meet the fault, such as those
	// within a quota; 0 is none.
	PerSecond int `json:"per_second,omitempty"`
}

// SetFaults replaces the active faults; without arguments there are none. A call meets
// the first fault that applies to it and every Latency that does. Such a call does not
// use the script: the answer that is cut, truncated or malformed is a responder's.
func (s *Server) SetFaults(faults ...Fault) {
	armed := make([]*armedFault, len(faults))
	for i, f := range faults {
		armed[i] = &armedFault{Fault: f, draw: rand.New(rand.NewPCG(f.Seed, 0))}
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.armed = armed
}

type armedFault struct {
	Fault
	draw   *rand.Rand
	met    int
	second time.Time // the one that calls are spared in
	spared int       // in it
}

type faultList struct {
	mu    sync.Mutex
	armed []*armedFault
}

// meet returns the faults of r: the delay to wait, and a fault other than Latency or
// nil.
func (l *faultList) meet(r *Request) (time.Duration, *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var delay time.Duration
	var fault *Fault
	for _, f := range l.armed {
		switch {
		case f.Type != Latency && fault != nil, !f.hits(r):
		case f.Type == Latency:
			delay += f.Delay
		default:
			fault = &f.Fault
		}
	}
	return delay, fault
}

// hits decides at random whether the fault hits r, and counts a hit.
func (f *armedFault) hits(r *Request) bool {
	switch {
	case f.Kind != "" && !r.Is(f.Kind),
		f.Type == SchemaRefused && !r.Schema,
		f.Type == NoSearch && !r.Search,
		f.Model != "" && f.Model != r.Model,
		f.Tier != "" && f.Tier != r.Tier,
		f.Times > 0 && f.met >= f.Times,
		f.Probability > 0 && f.draw.Float64() >= f.Probability,
		f.spares(time.Now()):
		return false
	}
	f.met++
	return true
}

// spares reports whether a call at that time is one of the PerSecond calls of its second
// that do not meet the fault, and counts it.
func (f *armedFault) spares(now time.Time) bool {
	if second := now.Truncate(time.Second); !second.Equal(f.second) {
		f.second, f.spared = second, 0
	}
	f.spared++
	return f.spared <= f.PerSecond
}

type plainFault Fault

// MarshalJSON adds the delay as a string.
func (f Fault) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		plainFault
		Delay string `json:"delay"`
	}{plainFault(f), f.Delay.String()})
}

// UnmarshalJSON refuses an unknown type and a delay time.ParseDuration does
// not know.
func (f *Fault) UnmarshalJSON(b []byte) error {
	in := struct {
		plainFault
		Delay string `json:"delay"`
	}{Delay: "0s"}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	delay, err := time.ParseDuration(in.Delay)
	if err != nil {
		return fmt.Errorf("delay: %w", err)
	}
	if !slices.Contains(faultTypes, in.Type) {
		return fmt.Errorf("type: unknown fault %q", in.Type)
	}
	*f = Fault(in.plainFault)
	f.Delay = delay
	return nil
}
