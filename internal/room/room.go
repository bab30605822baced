// Package room gives an agent of ADK its place in the house.
//
//	Room{Card, Agent} → Open → a skill, run exactly once, and the agent for ADK's page
//
// A room says what its agent is called, what goes in and what comes out, and how the
// agent is made. What every agent has in common is added here: equal questions share
// one run, an answer is found again, a run that a task has handed on is claimed and
// goes on behind what it has paid for, and answers are listed.
package room

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/digest"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
	"example.com/whatis/internal/lazy"
	"example.com/whatis/internal/public"
	"example.com/whatis/internal/run"
	"example.com/whatis/internal/skill"
	"example.com/whatis/internal/task"
	"example.com/whatis/internal/work"
)

// A Room is an agent whose answer to In is an Out. In and Out are written as JSON.
type Room[In, Out any] struct {
	skill.Card

	// Version names what beside the question decides the answer, such as models and
	// prompts: with another version nothing that was answered is found again.
	Version string

	// Agent makes the agent, once, at its first use. It finds the question in the
	// user's message, as JSON or as Message has it, and by Question. The text of its
	// last event is the answer, as JSON.
	Agent func(ctx context.Context, p Platform) (adk.Agent, error)

	// Message is the message that asks the question; nil is the question as JSON. The
	// message stands in the session, so that bytes of photos must be left out of it.
	Message func(In) string

	// Permanent reports an error that the same question would meet again; nil is none
	// but those that models have.
	Permanent func(error) bool
}

// Platform is what a room stands on.
type Platform struct {
	Gemini func(context.Context) (*gemini.Client, error)
	Runs   func(context.Context) (*work.Store, error) // where runs are recorded

	// GiveUpAfter is the age at which a run that a task handed on is given up.
	GiveUpAfter time.Duration
}

// An Entry is a room as the app lists it.
type Entry struct {
	Skills []skill.Skill
	Agent  func(context.Context) (adk.Agent, error) // for programs that speak to agents by messages; nil has none
}

// An answer is what a run came to, as it is kept.
type answer[Out any] struct {
	Output *Out   `json:"output,omitempty"`
	Error  string `json:"error,omitempty"` // why there is none
	GaveUp bool   `json:"gave_up,omitempty"`
}

// failed is the code of a run that ended for good without an answer.
const failed = "run_failed"

type opened[In, Out any] struct {
	Room[In, Out]
	agent    *lazy.Value[adk.Agent]
	executor *lazy.Value[*run.Executor[answer[Out], *agent.Event]]
}

// Open returns r's entry over p. Nothing is made before it is asked for.
func (r Room[In, Out]) Open(p Platform) Entry {
	o := &opened[In, Out]{Room: r}
	o.agent = lazy.New(func(ctx context.Context) (adk.Agent, error) { return r.Agent(ctx, p) })
	o.executor = lazy.New(func(ctx context.Context) (*run.Executor[answer[Out], *agent.Event], error) {
		records, err := p.Runs(ctx)
		if err != nil {
			return nil, err
		}
		return run.New[answer[Out], *agent.Event](run.Config[answer[Out]]{
			Work: records, GiveUpAfter: p.GiveUpAfter, Describe: describe[Out], Permanent: r.Permanent, Log: o.log,
		})
	})
	s := skill.WithWork(skill.New(r.Card, o.ask), o.work)
	s.Results = o.results
	return Entry{Skills: []skill.Skill{s}, Agent: o.agent.Get}
}

func describe[Out any](a answer[Out]) run.Facts {
	f := run.Facts{GivenUp: a.GaveUp}
	if a.Output == nil {
		f.Error = failed
	}
	return f
}

func (o *opened[In, Out]) log(ctx context.Context, name string, attempt int, _ answer[Out], err error) {
	if err != nil {
		slog.WarnContext(ctx, "run broken off", "run", name, "attempt", attempt, "error", err)
		return
	}
	slog.InfoContext(ctx, "run answered", "run", name, "attempt", attempt)
}

// ask answers somebody who waits.
func (o *opened[In, Out]) ask(ctx context.Context, in In, emit func(skill.Event)) (out Out, err error) {
	x, err := o.executor.Get(ctx)
	if err != nil {
		return out, err
	}
	j, err := o.job(in, gemini.CallerAttempts)
	if err != nil {
		return out, err
	}
	j.Resumed = skill.Resumed(ctx)
	a, err := x.Ask(ctx, j, func(e *agent.Event) { emit(skill.Event{Time: e.Time, Data: e}) })
	if err != nil {
		return out, err
	}
	if a.Output == nil {
		return out, public.New("room", a.Error)
	}
	return *a.Output, nil
}

// work does a run that a task has handed on.
func (o *opened[In, Out]) work(ctx context.Context, id string, in In, m task.Meta) error {
	x, err := o.executor.Get(ctx)
	if err != nil {
		return err
	}
	j, err := o.job(in, gemini.EventAttempts)
	if err != nil {
		return err
	}
	j.Item.ID, j.Published = id, m.Published
	_, err = x.Deliver(ctx, j)
	return err
}

// job is the work of answering in.
func (o *opened[In, Out]) job(in In, attempts int) (*run.Job[answer[Out], *agent.Event], error) {
	question, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("room: %s: %w", o.ID, err)
	}
	key := digest.Of(o.ID, o.Version, string(question))
	return &run.Job[answer[Out], *agent.Event]{
		Item: work.Item{ID: key, Kind: o.ID}, Name: o.ID + "/" + key, CacheKey: key,
		Open: func(context.Context, *run.Job[answer[Out], *agent.Event]) error { return nil },
		FromCache: func(_ context.Context, earlier answer[Out], _ time.Duration) (answer[Out], error) {
			return earlier, nil
		},
		Do: func(ctx context.Context, watch func(*agent.Event)) (answer[Out], error) {
			ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: attempts})
			return o.run(ctx, in, question, watch)
		},
		Failed: func(_ context.Context, _ answer[Out], err error, _ time.Duration) answer[Out] {
			var given *run.GivenUp
			return answer[Out]{Error: public.Text(err), GaveUp: errors.As(err, &given)}
		},
	}, nil
}

type questionKey struct{}

// Question is the question that the run of ctx answers.
func Question[In any](ctx context.Context) (in In, ok bool) {
	in, ok = ctx.Value(questionKey{}).(In)
	return in, ok
}

// run asks the agent and reads its answer.
func (o *opened[In, Out]) run(ctx context.Context, in In, question []byte, watch func(*agent.Event)) (answer[Out], error) {
	a, err := o.agent.Get(ctx)
	if err != nil {
		return answer[Out]{}, err
	}
	message := string(question)
	if o.Message != nil {
		message = o.Message(in)
	}
	ctx = context.WithValue(ctx, questionKey{}, in)
	var last string
	for e, err := range journal.Events(ctx, agent.Send(ctx, a, genai.NewContentFromText(message, genai.RoleUser))) {
		if err != nil {
			return answer[Out]{}, err
		}
		if watch != nil {
			agent.Translate(e, watch)
		}
		if text := agent.Text(e); text != "" {
			last = text
		}
	}
	var out Out
	if err := json.Unmarshal([]byte(last), &out); err != nil {
		return answer[Out]{}, fmt.Errorf("room: %s: the agent's answer %.100q: %w", o.ID, last, err)
	}
	return answer[Out]{Output: &out}, nil
}

// results lists what was answered.
func (o *opened[In, Out]) results(ctx context.Context, after string, limit int) ([]skill.Answered, string, error) {
	x, err := o.executor.Get(ctx)
	if err != nil {
		return nil, "", err
	}
	found, next, err := x.List(ctx, work.Filter{Kind: o.ID, After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	list := []skill.Answered{}
	for _, l := range found {
		one := skill.Answered{ID: l.ID, Finished: l.Finished, Error: l.Public.Error}
		if l.Public.Output != nil {
			if one.Output, err = json.Marshal(l.Public.Output); err != nil {
				return nil, "", fmt.Errorf("room: %s: %w", o.ID, err)
			}
		}
		list = append(list, one)
	}
	return list, next, nil
}
