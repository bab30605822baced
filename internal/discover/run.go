package discover

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/longrun"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

// collection is the Firestore collection of the runs, and their folder in the bucket.
const collection = "discoveries"

// Runs are the runs of this room: each is a chain of tasks.
type (
	Runs       = longrun.Runs[Request, AgentState, Progress]
	RunsConfig = longrun.Config[Request, AgentState, Progress]
)

// newRuns is how p does them.
func (p *Pipeline) newRuns() (*Runs, error) {
	return longrun.New(RunsConfig{
		Agent: "discover", Collection: collection, Objects: p.Objects, Bucket: p.Bucket, DB: p.DB, Work: p.Config.Runs, Tasks: p.Tasks, Retain: p.Retain, GiveUpAfter: p.GiveUpAfter,
		Begin: p.start, Slice: p.slice, Finish: p.write,
		Fail:     func(s *AgentState, cause error) { s.Slice++; s.end(failed, "%s", usererror.Text(cause)) },
		Progress: func(s *AgentState) (Progress, jobs.State) { return s.progress(), s.standing() },
		Lost: func(slice int, cause error) Progress {
			return Progress{Slice: slice, Phase: over, Action: failed, Reason: usererror.Text(cause), Error: "discovery_failed"}
		},
	})
}

// Handle has d do the slices of runs.
func Handle(d *queue.Dispatcher, open func(context.Context) (*Pipeline, error)) {
	longrun.Handle(d, "discover", func(ctx context.Context) (*Runs, error) {
		p, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return p.runs, nil
	})
}

// slice does the next slice of s, unless there is a reason to end it.
func (p *Pipeline) slice(ctx context.Context, s *AgentState, cancelled bool, watch func(*agent.Event)) error {
	s.Slice++
	switch {
	case cancelled:
		s.end(canceled, "somebody has cancelled it")
	case p.EmulatedWeb != nil && s.Phase == planning && !p.emulates(s.Target):
		s.end(elsewhere, "the emulated web has only %s", strings.Join(p.EmulatedWeb, "; "))
	default:
		return p.discover(ctx, s, 1, watch)
	}
	return nil
}

// emulates reports that the emulated web has a place.
func (p *Pipeline) emulates(t Target) bool {
	return slices.ContainsFunc(p.EmulatedWeb, func(place string) bool {
		return slices.ContainsFunc(t.Names, func(name string) bool { return strings.Contains(textfold.String(place), textfold.String(name)) })
	})
}

// A Progress is how far a run is behind a slice.
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

	Plan *SearchPlan `json:"search_plan,omitempty"` // with what became of each query; absent until there is one
}

// LogValue is what a line of the log has of p.
func (p Progress) LogValue() slog.Value {
	return slog.GroupValue(slog.String("phase", string(p.Phase)), slog.Int("iteration", p.Iteration), slog.Int("searches", p.Searches), slog.Int("pages", p.Pages),
		slog.Int("items", p.Items), slog.Int("model_calls", p.Calls), slog.Float64("cost_usd", p.CostUSD), slog.String("action", p.Action), slog.String("reason", p.Reason))
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
	if len(s.Plan.Queries) > 0 {
		plan := s.Plan.filled()
		p.Plan = &plan
	}
	if s.Action == failed {
		p.Error = "discovery_failed"
	}
	return p
}

// standing is how s has ended, "" if it has not.
func (s *AgentState) standing() jobs.State {
	switch {
	case s.Phase != over:
		return ""
	case s.Action == canceled:
		return jobs.Canceled
	case s.Action == failed:
		return jobs.Failed
	}
	return jobs.Done
}

// A Status is what is known of a run.
type Status struct {
	ID      string     `json:"id"`
	State   jobs.State `json:"state"`
	Request Request    `json:"request"`
	Created time.Time  `json:"created_at"`
	Ended   time.Time  `json:"ended_at,omitzero"`
	Progress
	ResultURI string `json:"result,omitempty"` // gs://…/result.json, once it is over
	CSVURI    string `json:"csv,omitempty"`
}

func (p *Pipeline) status(r longrun.Status[Request, Progress]) Status {
	s := Status{ID: r.ID, State: r.State, Request: r.Request, Created: r.Created, Ended: r.Ended, Progress: r.Progress}
	s.Decisions = append([]Decision{}, s.Decisions...) // of a run that has not begun
	if s.State.Over() {
		s.ResultURI, s.CSVURI = "gs://"+p.Bucket+"/"+resultName(r.ID, "result.json"), "gs://"+p.Bucket+"/"+resultName(r.ID, "result.csv")
	}
	return s
}

// Errors of runs.
var (
	ErrNotFound   = longrun.ErrNotFound
	ErrUnfinished = usererror.New("discover", "the run is not over: its result stands once it is")
)

// Start begins a run. Once its task is published it goes on, whoever dies.
func (p *Pipeline) Start(ctx context.Context, r Request) (Status, error) {
	target, err := r.check(p.Limits)
	if bad := p.checkTier(gemini.Tier(r.Tier)); err == nil && bad != nil {
		err = fmt.Errorf("%w: tier: %s", ErrRequest, usererror.Short(bad.Error(), 500))
	}
	if err == nil && r.Since != "" {
		_, err = p.earlier(ctx, r.Since, target)
	}
	if err != nil {
		return Status{}, err
	}
	s, err := p.runs.Start(ctx, r)
	return p.status(s), err
}

// Get is how far a run is.
func (p *Pipeline) Get(ctx context.Context, id string) (Status, error) {
	s, err := p.runs.Get(ctx, id)
	return p.status(s), err
}

// Cancel has a run end before its next slice, with what it has found. Of one that is
// over it changes nothing.
func (p *Pipeline) Cancel(ctx context.Context, id string) (Status, error) {
	s, err := p.runs.Cancel(ctx, id)
	return p.status(s), err
}

// List is the latest runs, the newest first, 100 at most.
func (p *Pipeline) List(ctx context.Context, limit int) ([]Status, error) {
	runs, err := p.runs.List(ctx, limit)
	all := make([]Status, len(runs))
	for i, r := range runs {
		all[i] = p.status(r)
	}
	return all, err
}
