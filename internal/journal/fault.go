package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/gemini"
)

// Events yields the events of a run of ADK's up to its first error, and ends there.
// It belongs around every run that has a journal, for the sake of its tools: ADK
// gives the model what a tool failed with, so that the model apologises, and the
// apology would be the result. A fault that ends the run ([Passing], a panic) comes
// from Events instead of the event that tells of it; and agents that are not done
// by then get it from their model.
func Events(ctx context.Context, events iter.Seq2[*session.Event, error]) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		for event, err := range events {
			if fault := Fault(ctx); fault != nil {
				err = fault
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(event, nil) {
				return
			}
		}
	}
}

// Fault is what has ended the run of ctx, nil if nothing has.
func Fault(ctx context.Context) error {
	if r := Of(ctx).run; r != nil {
		return r.err()
	}
	return nil
}

// Passing returns err as the fault of a tool that another run may be spared, such
// as a service that is down. It ends the run, and is not kept. Errors that report
// Retryable, as those of gemini do, need not be marked. Any other error of a tool is
// the model's to deal with, such as an argument that is none.
func Passing(err error) error {
	if err == nil {
		return nil
	}
	return passing{err}
}

type passing struct{ error }

func (p passing) Unwrap() error   { return p.error }
func (p passing) Retryable() bool { return true }

// A failure is the journal's own, and no model's to deal with.
type failure struct {
	key string
	err error
}

func (f failure) Error() string { return fmt.Sprintf("journal: %s: %v", f.key, f.err) }
func (f failure) Unwrap() error { return f.err }

// A panicked is the error of a tool that panicked.
type panicked struct{ tool, value string }

func (p panicked) Error() string {
	return fmt.Sprintf("journal: the tool %s panicked: %s", p.tool, p.value)
}

// endsRun reports that err, a tool's, is not for the model to deal with.
func endsRun(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.As(err, new(failure)) || errors.As(err, new(panicked)) {
		return true
	}
	var retryable interface{ Retryable() bool }
	if errors.As(err, &retryable) && retryable.Retryable() {
		return true
	}
	var e *gemini.Error
	return errors.As(err, &e) && !e.AboutContent()
}
