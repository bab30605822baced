package agent

import (
	"context"
	"iter"
	"time"

	"example.com/whatis/internal/trace"
)

// Sequence is an agent that runs others in order over one session and stops at
// the first error.
func Sequence(name string, agents ...Agent) Agent {
	return sequence{name: name, agents: agents}
}

type sequence struct {
	name   string
	agents []Agent
}

func (q sequence) Name() string { return q.name }

func (q sequence) Run(ctx context.Context, s *Session) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		ctx, end := trace.Start(ctx, q.name)
		var failed error
		defer func() { end(failed) }()
		if !yield(q.event(Started), nil) {
			return
		}
		for _, a := range q.agents {
			for e, err := range a.Run(ctx, s) {
				failed = err
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
		yield(q.event(Finished), nil)
	}
}

func (q sequence) event(k Kind) *Event {
	return &Event{Author: q.name, Kind: k, Time: time.Now()}
}
