package agent

import (
	"context"
	"encoding/json"

	"example.com/whatis/internal/jobs"
)

// Long has the functions of a skill that takes too long for one request. They return at
// once.
type Long struct {
	Start  func(ctx context.Context, input []byte) (Status, error)
	Status func(ctx context.Context, id string) (Status, error)
	Cancel func(ctx context.Context, id string) (Status, error)
}

// A Status is the status of a run.
type Status struct {
	ID     string          `json:"id"`
	State  jobs.State      `json:"state"`            // Working, Done, Canceled or Failed
	Output json.RawMessage `json:"output,omitempty"` // so far

	Message string `json:"message,omitempty"` // the progress in a line
}

// A Job implements a long skill. Its Status returns the output so far; if Out has a
// method Message() string, that gives the progress in a line. Errors are the agent's own.
type Job[In, Out any] struct {
	Start  func(ctx context.Context, in In) (id string, err error)
	Status func(ctx context.Context, id string) (jobs.State, Out, error)
	Cancel func(ctx context.Context, id string) error
}

// NewLongSkill returns the skill of j. It panics as NewSkill does.
func NewLongSkill[In, Out any](card Card, j Job[In, Out], options ...SkillOption) Skill {
	s := described[In, Out](card, options)
	read := reader[In](s.Input)
	status := func(ctx context.Context, id string) (Status, error) {
		state, out, err := j.Status(ctx, id)
		if err != nil {
			return Status{}, err
		}
		data, err := encoded(card.ID, out)
		s := Status{ID: id, State: state.Summary(), Output: data}
		if m, ok := any(out).(interface{ Message() string }); ok {
			s.Message = m.Message()
		}
		return s, err
	}
	s.Long = &Long{
		Status: status,
		Start: func(ctx context.Context, input []byte) (Status, error) {
			in, err := read(input)
			if err != nil {
				return Status{}, err
			}
			id, err := j.Start(ctx, in)
			return Status{ID: id, State: jobs.Working}, err
		},
		Cancel: func(ctx context.Context, id string) (Status, error) {
			if err := j.Cancel(ctx, id); err != nil {
				return Status{}, err
			}
			return status(ctx, id)
		},
	}
	return s
}
