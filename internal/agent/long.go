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

// Runs are the runs of a long skill. The output is that so far; if Out has a method
// Message() string, that gives the progress in a line. Errors are the agent's own.
type Runs[In, Out any] interface {
	Start(ctx context.Context, in In) (id string, err error)
	Status(ctx context.Context, id string) (jobs.State, Out, error)
	Cancel(ctx context.Context, id string) error
}

// NewLongSkill returns the skill of the runs that open returns for each call. It panics as
// NewSkill does.
func NewLongSkill[In, Out any](card Card, open func(context.Context) (Runs[In, Out], error), options ...SkillOption) Skill {
	s := described[In, Out](card, options)
	read := reader[In](s.Input)
	s.Long = &Long{
		Start: func(ctx context.Context, input []byte) (Status, error) {
			in, err := read(input)
			if err != nil {
				return Status{}, err
			}
			runs, err := open(ctx)
			if err != nil {
				return Status{}, err
			}
			id, err := runs.Start(ctx, in)
			return Status{ID: id, State: jobs.Working}, err
		},
		Status: func(ctx context.Context, id string) (Status, error) {
			runs, err := open(ctx)
			if err != nil {
				return Status{}, err
			}
			return statusOf(ctx, card.ID, runs, id)
		},
		Cancel: func(ctx context.Context, id string) (Status, error) {
			runs, err := open(ctx)
			if err == nil {
				err = runs.Cancel(ctx, id)
			}
			if err != nil {
				return Status{}, err
			}
			return statusOf(ctx, card.ID, runs, id)
		},
	}
	return s
}

// statusOf returns the status of a run of a skill.
func statusOf[In, Out any](ctx context.Context, skill string, runs Runs[In, Out], id string) (Status, error) {
	state, out, err := runs.Status(ctx, id)
	if err != nil {
		return Status{}, err
	}
	data, err := encoded(skill, out)
	s := Status{ID: id, State: state.Summary(), Output: data}
	if m, ok := any(out).(interface{ Message() string }); ok {
		s.Message = m.Message()
	}
	return s, err
}
