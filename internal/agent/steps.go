package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// A Step is an agent that is code. It works on a state of the type S, which it shares
// with the other steps of a run: it does Do, or else its Steps, one after the other. A
// tree of them is written once, and may be run by any number of goroutines.
//
//	agent.Step[state]{Name: "answerer", Steps: []agent.Step[state]{
//		{Name: "reader", Do: read, Key: "reading", Output: func(s *state) any { return s.reading }},
//		{Name: "writer", Do: write},
//	}}
type Step[S any] struct {
	Name        string
	Description string
	Do          func(ctx context.Context, s *S) error
	Steps       []Step[S]

	// Output is what the step's last event shows of the state, and must survive JSON; nil
	// shows nothing. The rest of the state, such as photos, is in no event.
	Output func(*S) any
	Key    string // of the output in the state of ADK's session; "" is none
}

// Run does the step on s, and passes its events to watch, which may be nil. Each step
// begins with an event of the kind Started and ends with Finished, or with an error that
// names it. Run stops at the first error; a panic becomes an error, unless it is watch's.
func (a *Step[S]) Run(ctx context.Context, s *S, watch func(*Event)) error {
	return a.run(ctx, s, &outlet{closed: watch == nil, yield: func(e *session.Event) bool { Translate(e, watch); return true }})
}

func (a *Step[S]) run(ctx context.Context, s *S, out *outlet) (err error) {
	r, ctx := begin(ctx, a.Name, out)
	defer r.end(&err)
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.Do != nil {
		err = a.Do(ctx, s)
	}
	for i := range a.Steps {
		if err = a.Steps[i].run(ctx, s, out); err != nil {
			return err
		}
	}
	if err == nil && a.Output != nil && !out.closed {
		r.output, r.key = a.Output(s), a.Key
	}
	return err
}

// Agent returns the step as an ADK agent that is run by messages, as ADK's own page does.
// begin converts a message to the state to work on and its context; the last event is
// the JSON of result's value.
func (a *Step[S]) Agent(begin func(context.Context, *genai.Content) (context.Context, *S, error), result func(*S) any) (adk.Agent, error) {
	return a.agent(func(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) {
			inner, s, err := begin(ctx, ctx.UserContent())
			if err != nil {
				yield(nil, err)
				return
			}
			out := outletOf(ctx, yield)
			if err := a.run(inner, s, out); err != nil || out.closed {
				if !out.closed {
					yield(nil, err)
				}
				return
			}
			data, err := json.MarshalIndent(result(s), "", "  ")
			e := session.NewEvent(ctx, ctx.InvocationID())
			e.Author, e.Content = a.Name, genai.NewContentFromText(string(data), genai.RoleModel)
			yield(e, err)
		}
	})
}

var errNotAsked = errors.New("it is a step of another agent: ask that one")

// agent returns the step as an ADK agent that calls run, with its steps as subagents.
func (a *Step[S]) agent(run func(adk.InvocationContext) iter.Seq2[*session.Event, error]) (adk.Agent, error) {
	c := adk.Config{Name: a.Name, Description: a.Description, Run: run}
	for i := range a.Steps {
		below, err := a.Steps[i].agent(func(adk.InvocationContext) iter.Seq2[*session.Event, error] {
			return func(yield func(*session.Event, error) bool) { yield(nil, errNotAsked) }
		})
		if err != nil {
			return nil, err
		}
		c.SubAgents = append(c.SubAgents, below)
	}
	made, err := adk.New(c)
	if err != nil {
		return nil, fmt.Errorf("agent: %s: %w", a.Name, err)
	}
	return made, nil
}
