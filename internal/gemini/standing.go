package gemini

import (
	"sync"
	"time"
)

// standingRefusals are refusals as Unpaid or NotInPlan, by what was asked. Photos that wait are
// delivered again and again: without them each delivery would ask the service once more. It is
// safe for concurrent use.
type standingRefusals struct {
	last time.Duration // each of them
	mu   sync.Mutex
	of   map[asking]standing
}

// asking is what a plan has or has not.
type asking struct {
	model  string
	tier   Tier
	search bool
}

type standing struct {
	until   time.Time
	refusal Error
}

// now returns the refusal that stands, nil if there is none.
func (s *standingRefusals) now(of asking, now time.Time) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.of[of]
	if !ok || !now.Before(one.until) {
		return nil
	}
	e := one.refusal
	return &e
}

// note remembers e if only a person ends it.
func (s *standingRefusals) note(of asking, e *Error, now time.Time) {
	if e == nil || e.Kind != Unpaid && e.Kind != NotInPlan {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[asking]standing{}
	}
	s.of[of] = standing{now.Add(s.last), *e}
}
