package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/fold"
	"example.com/whatis/internal/public"
	"example.com/whatis/internal/run"
	"example.com/whatis/internal/task"
	"example.com/whatis/internal/work"
)

// The tasks of this room.
const (
	taskAgent = "discover"
	sliceKind = "slice"
)

// A sliceTask asks for one slice of a run. The first has the request, so that whoever
// gets it needs nothing else.
type sliceTask struct {
	ID      string    `json:"id"`
	Slice   int       `json:"slice"`
	Request Request   `json:"request"`
	Begun   time.Time `json:"begun"`
}

func (t sliceTask) task() task.Task { return task.Task{Agent: taskAgent, Kind: sliceKind, Payload: t} }

// A Progress is how far a run is behind a slice. It is the result of the slice's work.
type Progress struct {
	Slice     int        `json:"slice"`
	Phase     Phase      `json:"phase"`
	Iteration int        `json:"iteration"`
	Pages     int        `json:"pages"`
	Items     int        `json:"items"`
	Searches  int        `json:"searches"`
	Calls     int        `json:"model_calls"`
	CostUSD   float64    `json:"cost_usd"`
	Action    string     `json:"action,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Decisions []Decision `json:"decisions"` // the last five
	Error     string     `json:"error,omitempty"`
}

// shownDecisions is how many decisions a status has.
const shownDecisions = 5

// progress is how far s is.
func (s *AgentState) progress() Progress {
	p := Progress{
		Slice: s.Slice, Phase: s.Phase, Iteration: s.CurrentIteration, Pages: len(s.Pages) - len(s.pages(pending)), Items: len(s.consolidated()),
		Searches: s.SearchesConductedCount, Calls: s.Spent.Calls.Generate, CostUSD: s.Spent.USD, Action: s.Action, Reason: s.Reason,
		Decisions: append([]Decision{}, s.DecisionLog[max(0, len(s.DecisionLog)-shownDecisions):]...),
	}
	if s.Action == failed {
		p.Error = "discovery_failed"
	}
	return p
}

// Handle has d do the slices of runs.
func Handle(d *task.Dispatcher, open func(context.Context) (*Pipeline, error)) {
	task.Handle(d, taskAgent, sliceKind, func(ctx context.Context, t sliceTask, m task.Meta) error {
		if !knownID.MatchString(t.ID) || t.Slice < 0 {
			slog.WarnContext(ctx, "task dropped", "run", t.ID, "slice", t.Slice)
			return nil
		}
		p, err := open(ctx)
		if err != nil {
			return err
		}
		_, err = p.executor.Deliver(ctx, p.job(t, m))
		return err
	})
}

// job is one slice. Its work record makes it the only one of its number, and what
// follows from it publishes the next.
func (p *Pipeline) job(t sliceTask, m task.Meta) *run.Job[Progress, *agent.Event] {
	name := fmt.Sprintf("%s-%04d", t.ID, t.Slice)
	return &run.Job[Progress, *agent.Event]{
		Item: work.Item{ID: name, Kind: "discover_slice", Subject: t.ID}, Name: "discover/" + name, Published: m.Published,
		Open: func(context.Context, *run.Job[Progress, *agent.Event]) error { return nil },
		Do: func(ctx context.Context, watch func(*agent.Event)) (Progress, error) {
			return p.slice(ctx, t, watch)
		},
		Failed: func(ctx context.Context, _ Progress, err error, _ time.Duration) Progress {
			return p.giveUp(ctx, t, err)
		},
		Follow: func(ctx context.Context, o work.Outcome) error {
			var done Progress
			if err := json.Unmarshal(o.Result, &done); err != nil {
				return fmt.Errorf("discover: the record of %s: %w", name, err)
			}
			return p.follow(ctx, t, done)
		},
	}
}

// slice does the slice that t asks for, and saves the state behind it.
func (p *Pipeline) slice(ctx context.Context, t sliceTask, watch func(*agent.Event)) (Progress, error) {
	s, err := p.load(ctx, t)
	if err != nil {
		return Progress{}, err
	}
	d, err := p.ensure(ctx, t)
	switch {
	case err != nil:
		return Progress{}, err
	case d.State == cancelling:
		s.end(canceled, "somebody has cancelled it")
	case p.EmulatedWeb != nil && s.Phase == planning && !p.emulates(s.Target):
		s.end(elsewhere, "the emulated web has only %s", strings.Join(p.EmulatedWeb, "; "))
	default:
		if err := p.discover(ctx, s, 1, watch); err != nil {
			return Progress{}, err
		}
	}
	return p.save(ctx, s)
}

// emulates reports that the emulated web has a place.
func (p *Pipeline) emulates(t Target) bool {
	return slices.ContainsFunc(p.EmulatedWeb, func(place string) bool {
		return slices.ContainsFunc(t.Names, func(name string) bool { return strings.Contains(fold.String(place), fold.String(name)) })
	})
}

// save writes the state behind a slice, and the results of a run that is over.
func (p *Pipeline) save(ctx context.Context, s *AgentState) (Progress, error) {
	s.Slice++
	if s.Phase == over {
		if err := p.write(ctx, s); err != nil {
			return Progress{}, err
		}
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = p.put(ctx, stateName(s.ID, s.Slice), "application/json", data)
	}
	if err != nil {
		return Progress{}, fmt.Errorf("discover: save %s: %w", s.ID, err)
	}
	return s.progress(), nil
}

func stateName(id string, slice int) string {
	return resultName(id, fmt.Sprintf("state/%04d.json", slice))
}

// load is the state that a slice begins with.
func (p *Pipeline) load(ctx context.Context, t sliceTask) (*AgentState, error) {
	if t.Slice == 0 {
		return p.start(t.ID, t.Request, t.Begun)
	}
	data, _, err := p.Objects.Read(ctx, blob.ObjectRef{Bucket: p.Bucket, Name: stateName(t.ID, t.Slice)}, maxResult)
	if err != nil {
		return nil, fmt.Errorf("discover: the state of %s: %w", t.ID, err)
	}
	s := new(AgentState)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("discover: the state of %s: %w", t.ID, err)
	}
	return s, nil
}

// giveUp ends a run at a slice that cannot be done. What was found before is its result.
func (p *Pipeline) giveUp(ctx context.Context, t sliceTask, cause error) Progress {
	s, err := p.load(ctx, t)
	if err == nil {
		s.end(failed, "%s", public.Text(cause))
		if done, err := p.save(ctx, s); err == nil {
			return done
		}
	}
	slog.ErrorContext(ctx, "discover: a run without a result", "run", t.ID, "error", err)
	return Progress{Slice: t.Slice + 1, Phase: over, Action: failed, Reason: public.Text(cause), Error: "discovery_failed"}
}

// logSlice logs what came of a slice.
func logSlice(ctx context.Context, name string, attempt int, done Progress, err error) {
	if err != nil {
		slog.WarnContext(ctx, "slice broken off", "slice", name, "attempt", attempt, "error", err)
		return
	}
	slog.InfoContext(ctx, "slice done", "slice", name, "attempt", attempt, "next", done.Phase, "items", done.Items, "usd", done.CostUSD)
}
