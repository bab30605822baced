package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/usererror"
)

// collection is the Firestore collection of the runs, and their folder in the bucket.
const collection = "discoveries"

// A runKind makes runs.
type runKind struct{ p *Pipeline }

// Begin implements jobs.LongKind.
func (k runKind) Begin(id string, request json.RawMessage, begun time.Time) (jobs.LongRun, error) {
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, fmt.Errorf("discover: the request of %s: %w", id, err)
	}
	s, err := k.p.start(id, r, begun)
	return &run{k.p, s}, err
}

// Resume implements jobs.LongKind.
func (k runKind) Resume(state []byte) (jobs.LongRun, error) {
	s := new(AgentState)
	err := json.Unmarshal(state, s)
	return &run{k.p, s}, err
}

// Lost implements jobs.LongKind.
func (runKind) Lost(slice int, cause error) any {
	return Progress{Slice: slice, Phase: over, Action: failed, Reason: usererror.Cause(cause, "a fault of this program or of a service that it uses; the log says what"), Error: "discovery_failed"}
}

// A run is a discovery.
type run struct {
	p *Pipeline
	s *AgentState
}

// MarshalJSON encodes the state.
func (r *run) MarshalJSON() ([]byte, error) { return json.Marshal(r.s) }

// Fail implements jobs.LongRun.
func (r *run) Fail(cause error) {
	r.s.Slice++
	r.s.end(failed, "%s", usererror.Cause(cause, "a fault of this program or of a service that it uses; the log says what"))
}

// Progress implements jobs.LongRun.
func (r *run) Progress() (any, jobs.State) { return r.s.progress(), r.s.standing() }

// Finish implements jobs.LongRun.
func (r *run) Finish(ctx context.Context) error { return r.p.write(ctx, r.s) }

// Handle registers the handler of the runs' slices with d.
func Handle(d *queue.Dispatcher, open func(context.Context) (*Pipeline, error)) {
	jobs.HandleLong(d, "discover", func(ctx context.Context) (*jobs.LongRuns, error) {
		p, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return p.runs, nil
	})
}

// A Progress is the progress of a run after a slice.
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
	Estimate  *Estimate  `json:"estimate,omitempty"` // of the whole run, until it ends
	Decisions []Decision `json:"decisions"`          // the last five
	Error     string     `json:"error,omitempty"`

	Plan *SearchPlan `json:"search_plan,omitempty"` // with the status of each query; absent before planning
}

// LogValue returns the fields of p that are logged.
func (p Progress) LogValue() slog.Value {
	return slog.GroupValue(slog.String("phase", string(p.Phase)), slog.Int("iteration", p.Iteration), slog.Int("searches", p.Searches), slog.Int("pages", p.Pages),
		slog.Int("items", p.Items), slog.Int("model_calls", p.Calls), slog.Float64("cost_usd", p.CostUSD), slog.String("action", p.Action), slog.String("reason", p.Reason))
}

// shownDecisions is the number of decisions in a status.
const shownDecisions = 5

// progress returns the progress of s.
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
	if s.Phase != over && s.Estimate.Calls > 0 {
		p.Estimate = &s.Estimate
	}
	if s.Action == failed {
		p.Error = "discovery_failed"
	}
	return p
}

// standing returns how s has ended, "" if it has not.
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

// A Status is the status of a run.
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

// status converts the status of a long run, or returns err.
func (p *Pipeline) status(r jobs.LongStatus, err error) (Status, error) {
	if err != nil {
		return Status{}, err
	}
	s := Status{ID: r.ID, State: r.State, Created: r.Created, Ended: r.Ended}
	if err := errors.Join(json.Unmarshal(r.Request, &s.Request), json.Unmarshal(r.Progress, &s.Progress)); err != nil {
		slog.Warn("run not read in full", "run", r.ID, "error", err) // another version has written it
	}
	s.Decisions = append([]Decision{}, s.Decisions...) // of a run that has not begun
	if s.State.Over() {
		s.ResultURI, s.CSVURI = "gs://"+p.Bucket+"/"+resultName(r.ID, "result.json"), "gs://"+p.Bucket+"/"+resultName(r.ID, "result.csv")
	}
	return s, nil
}

// Errors of runs.
var (
	ErrNotFound   = jobs.ErrNoRun
	ErrUnfinished = usererror.New("discover", "the run is not over: its result stands once it is")
)

// Start begins a run. Once its task is published, the run survives crashes of instances.
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
	return p.status(p.runs.Start(ctx, r))
}

// Get returns the status of a run.
func (p *Pipeline) Get(ctx context.Context, id string) (Status, error) {
	return p.status(p.runs.Get(ctx, id))
}

// Cancel makes a run end within a second or two, with the result found so far; what is read or
// asked is broken off. A run that is over stays as it is.
func (p *Pipeline) Cancel(ctx context.Context, id string) (Status, error) {
	return p.status(p.runs.Cancel(ctx, id))
}

// List returns at most limit runs, 1 to jobs.MaxList, the newest first, and the cursor of the
// next page for after, "" after the last. A bad cursor is jobs.ErrCursor.
func (p *Pipeline) List(ctx context.Context, after string, limit int) (all []Status, next string, err error) {
	runs, next, err := p.runs.List(ctx, after, limit)
	if err != nil {
		return nil, "", err
	}
	all = make([]Status, len(runs))
	for i, r := range runs {
		if all[i], err = p.status(r, nil); err != nil {
			return nil, "", err
		}
	}
	return all, next, nil
}
