package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"example.com/whatis/internal/task"
)

// Long is a skill that takes longer than anybody waits for. Its functions answer at
// once.
type Long struct {
	Start  func(ctx context.Context, input []byte) (Status, error)
	Status func(ctx context.Context, id string) (Status, error)
	Cancel func(ctx context.Context, id string) (Status, error)
}

// State is where a run stands.
type State string

// The states.
const (
	Working  State = "working"
	Done     State = "done"
	Failed   State = "failed"
	Canceled State = "canceled"
)

// A Status is what is known of a run.
type Status struct {
	ID     string          `json:"id"`
	State  State           `json:"state"`
	Output json.RawMessage `json:"output,omitempty"` // as far as there is any

	Message string `json:"message,omitempty"` // how far it is, in a line
}

// A Job is what a room does for a skill that takes long. Its Status has the output as
// far as there is any; one with a method Message() string says in a line how far the run
// is. Errors are the room's own.
type Job[In, Out any] struct {
	Start  func(ctx context.Context, in In) (id string, err error)
	Status func(ctx context.Context, id string) (State, Out, error)
	Cancel func(ctx context.Context, id string) error

	// Work is set where Hand is used: it does the run that was handed on. An error
	// asks for another delivery.
	Work func(ctx context.Context, id string, in In, m task.Meta) error
}

// NewLong returns the skill of j. It panics where New does.
func NewLong[In, Out any](card Card, j Job[In, Out], options ...Option) Skill {
	s := described[In, Out](card, options)
	read := reader[In](s.Input)
	status := func(ctx context.Context, id string) (Status, error) {
		state, out, err := j.Status(ctx, id)
		if err != nil {
			return Status{}, err
		}
		data, err := encoded(card.ID, out)
		s := Status{ID: id, State: state, Output: data}
		if told, ok := any(out).(interface{ Message() string }); ok {
			s.Message = told.Message()
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
			return Status{ID: id, State: Working}, err
		},
		Cancel: func(ctx context.Context, id string) (Status, error) {
			if err := j.Cancel(ctx, id); err != nil {
				return Status{}, err
			}
			return status(ctx, id)
		},
	}
	if j.Work != nil {
		s.Work = worker(read, j.Work)
	}
	return s
}

// WithWork is s, whose runs that tasks hand on are done by work. An error asks for
// another delivery.
func WithWork[In any](s Skill, work func(ctx context.Context, id string, in In, m task.Meta) error) Skill {
	s.Work = worker(reader[In](s.Input), work)
	return s
}

// worker is work for input that has not been read.
func worker[In any](read func([]byte) (In, error), work func(context.Context, string, In, task.Meta) error) func(context.Context, string, []byte, task.Meta) error {
	return func(ctx context.Context, id string, input []byte, m task.Meta) error {
		in, err := read(input)
		if err != nil {
			return err
		}
		return work(ctx, id, in, m)
	}
}

// run is the kind of the task that does a run.
const run = "run"

// A handed is the payload of such a task.
type handed struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
}

// NewID is a new ID for a run.
func NewID() string { return uuid.NewString() }

// Hand hands on the run of that ID, to the skill's Work at another instance.
func Hand[In any](ctx context.Context, p *task.Publisher, skill, id string, in In) error {
	input, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("skill: the input of %s: %w", skill, err)
	}
	return p.PublishLong(ctx, task.Task{Agent: skill, Kind: run, Payload: handed{id, input}})
}

// Handle has d do the runs that are handed on.
func Handle(d *task.Dispatcher, all ...Skill) {
	for _, s := range all {
		if s.Work == nil {
			continue
		}
		task.Handle(d, s.ID, run, func(ctx context.Context, h handed, m task.Meta) error {
			err := s.Work(ctx, h.ID, h.Input, m)
			if errors.Is(err, ErrInput) { // it was checked before it was handed on, by another version
				slog.ErrorContext(ctx, "run dropped", "skill", s.ID, "id", h.ID, "error", err)
				return nil
			}
			return err
		})
	}
}
