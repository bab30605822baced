package jobs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs/queue"
)

// A LongRun is work that takes many jobs:
//
//	Start → task → slice: load the state, do a part, save, publish the next → … → over
//
// Its JSON is its state, saved in the bucket after each slice as
// {collection}/{id}/state/{slice}.json. The document {collection}/{id} is its work record, of
// which each slice is a part: the end of a slice and the progress of its run are one write.
type LongRun interface {
	// Slice does the next part, or ends the run if it was cancelled. After an error it
	// is called again, from the same state.
	Slice(ctx context.Context, cancelled bool) error
	// Fail ends a run whose slice failed permanently.
	Fail(cause error)
	// Progress returns how far the run is, as JSON, and how it has ended; "" if it has not.
	Progress() (progress any, end State)
	// Finish writes the results of a run that is over.
	Finish(context.Context) error
}

// A LongKind makes the long runs of an agent.
type LongKind interface {
	// Begin returns a new run.
	Begin(id string, request json.RawMessage, begun time.Time) (LongRun, error)
	// Resume returns the run that has this state.
	Resume(state []byte) (LongRun, error)
	// Lost returns the progress of a run whose state cannot be read any more.
	Lost(slice int, cause error) any
}

// LongConfig says where the long runs of an agent are kept, and how they are done.
type LongConfig struct {
	Agent      string // of the tasks
	Collection string // of the documents, and the folder of the states
	Objects    *blob.Store
	Bucket     string
	DB         *firestore.Client
	Work       *Store // whose leases are those of the slices
	Tasks      *queue.Publisher

	Retain      time.Duration // how long a document is kept; 0 is 400 days
	GiveUpAfter time.Duration // at which age a slice is given up; 0 is 24 h
}

// LongRuns starts, runs and lists the long runs of an agent. It is safe for concurrent use.
type LongRuns struct {
	LongConfig
	kind     LongKind
	executor Runner[sliceResult, any]
	patience time.Duration // of an early delivery
}

// NewLongRuns returns the runs of a kind.
func NewLongRuns(kind LongKind, c LongConfig) (*LongRuns, error) {
	c.Retain = cmp.Or(c.Retain, 400*24*time.Hour)
	work := NewStore(c.DB, Options{Collection: c.Collection, Lease: c.Work.o.Lease, Renew: c.Work.o.Renew, Retain: c.Retain})
	executor, err := NewExecutor[sliceResult, any](sliceKind{c.Agent}, ExecutorConfig{Work: work, GiveUpAfter: c.GiveUpAfter})
	return &LongRuns{c, kind, executor, earlyPatience}, err
}

// sliceTasks is the kind of the tasks.
const sliceTasks = "slice"

// A sliceTask asks for one slice of a run. It has the request, so that the first slice
// needs nothing else.
type sliceTask struct {
	ID      string          `json:"id"`
	Slice   int             `json:"slice"`
	Request json.RawMessage `json:"request"`
	Begun   time.Time       `json:"begun"`
}

// HandleLong registers the handler of the slices of an agent's runs with d.
func HandleLong(d *queue.Dispatcher, agent string, open func(context.Context) (*LongRuns, error)) {
	d.Handle(agent, sliceTasks, func(ctx context.Context, p queue.Payload, m queue.Meta) error {
		var t sliceTask
		if err := p.Decode(&t); err != nil {
			return err
		}
		if !knownRun.MatchString(t.ID) || t.Slice < 0 {
			slog.WarnContext(ctx, "task dropped", "run", t.ID, "slice", t.Slice)
			return nil
		}
		x, err := open(ctx)
		if err != nil {
			return err
		}
		for pause := earlyPause; ; pause *= 2 {
			s, err := x.slice(ctx, t, m)
			if err == nil {
				_, err = x.executor.Deliver(ctx, s)
			}
			if !isEarly(err) || 2*pause > x.patience || !slept(ctx, pause) {
				return err
			}
		}
	})
}

// A delivery that comes while the end of the slice before is being written waits for it, in
// pauses of which each is twice as long as the one before. Then it returns ErrBusy.
const (
	earlyPause    = 20 * time.Millisecond
	earlyPatience = 2 * time.Second
)

// isEarly reports that the slice before is not done.
func isEarly(err error) bool {
	var busy *BusyError
	return errors.As(err, &busy) && busy.Early
}

// slept waits for a time, and returns false if ctx ended.
func slept(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func (x *LongRuns) publish(ctx context.Context, t sliceTask) error {
	if err := x.Tasks.PublishLong(ctx, queue.Task{Agent: x.Agent, Kind: sliceTasks, Payload: t}); err != nil {
		return fmt.Errorf("jobs: publish slice %d of %s: %w", t.Slice, t.ID, err)
	}
	return nil
}

// A sliceResult is the result of a slice.
type sliceResult struct {
	Progress any   `json:"progress"`
	End      State `json:"end,omitempty"` // "" while the run goes on
}

// A sliceKind is the kind of job that does a slice of an agent's runs.
type sliceKind struct{ agent string }

// Describe implements Kind.
func (k sliceKind) Describe(done sliceResult) (f Facts) {
	f.More = done.End == ""
	if done.End == Failed {
		f.Error = k.agent + "_failed"
	}
	return f
}

// Public implements Kind.
func (sliceKind) Public(done sliceResult) sliceResult { return done }

// Fault implements Kind.
func (sliceKind) Fault(error) Fault { return Fault{} }

// Log implements Kind.
func (sliceKind) Log(ctx context.Context, name string, attempt int, done sliceResult, err error) {
	if err != nil {
		slog.WarnContext(ctx, "slice broken off", "slice", name, "attempt", attempt, "error", err)
		return
	}
	slog.InfoContext(ctx, "slice done", "slice", name, "attempt", attempt, "progress", done.Progress)
}

// A slice is the job of one slice. The run's record ensures that each number is done once.
type slice struct {
	Spec
	x         *LongRuns
	task      sliceTask
	cancelled bool // the run, when the slice was delivered
	run       LongRun
}

// slice returns the slice of a task.
func (x *LongRuns) slice(ctx context.Context, t sliceTask, m queue.Meta) (*slice, error) {
	d, err := x.ensure(ctx, t)
	return &slice{x: x, task: t, cancelled: d.Value.isCancelled(), Spec: Spec{
		Item: Item{ID: t.ID, Kind: x.recordKind(), Subject: t.ID, Part: t.Slice + 1}, Name: fmt.Sprintf("%s/%s-%04d", x.Agent, t.ID, t.Slice), Published: m.Published,
	}}, err
}

// maxState bounds a state that is read, in bytes.
const maxState = 64 << 20

// Open loads the state that the slice begins with.
func (s *slice) Open(ctx context.Context) (err error) {
	t := s.task
	if t.Slice == 0 {
		s.run, err = s.x.kind.Begin(t.ID, t.Request, t.Begun)
		return err
	}
	at := s.x.state(t.ID, t.Slice)
	state, _, err := s.x.Objects.Read(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name}, maxState)
	if err == nil {
		s.run, err = s.x.kind.Resume(state)
	}
	if err != nil {
		return fmt.Errorf("jobs: the state of %s: %w", t.ID, err)
	}
	return nil
}

// FromCache is not called: slices have no cache key.
func (s *slice) FromCache(_ context.Context, earlier sliceResult, _ time.Duration) (sliceResult, error) {
	return earlier, nil
}

// Do does the slice, saves the state after it and publishes the next. If the instance dies
// before the end of the slice is on record, the next waits until another has repeated this one
// from its checkpoints.
func (s *slice) Do(ctx context.Context, _ func(any)) (done sliceResult, err error) {
	if err := s.run.Slice(s.x.withCancelled(ctx, s.task.ID), s.cancelled); err != nil {
		return done, err
	}
	if done, err = s.save(ctx); err == nil && done.End == "" {
		err = s.x.publish(ctx, sliceTask{ID: s.task.ID, Slice: s.task.Slice + 1, Request: s.task.Request, Begun: s.task.Begun})
	}
	return done, err
}

// save writes the state after the slice, and the results of a run that is over.
func (s *slice) save(ctx context.Context) (done sliceResult, err error) {
	done.Progress, done.End = s.run.Progress()
	if done.End != "" {
		if err := s.run.Finish(ctx); err != nil {
			return done, err
		}
	}
	state, err := json.Marshal(s.run)
	if err == nil {
		_, err = s.x.Objects.Replace(ctx, s.x.state(s.task.ID, s.task.Slice+1), func(w io.Writer) error {
			_, err := io.Copy(w, bytes.NewReader(state))
			return err
		})
	}
	if err != nil {
		return done, fmt.Errorf("jobs: save %s: %w", s.task.ID, err)
	}
	return done, nil
}

// state returns the object of the state that a slice begins with.
func (x *LongRuns) state(id string, slice int) blob.Place {
	return blob.Place{Bucket: x.Bucket, Name: fmt.Sprintf("%s/%s/state/%04d.json", x.Collection, id, slice), ContentType: "application/json"}
}

// Failed ends a run at a slice that failed permanently, with the result found so far.
func (s *slice) Failed(ctx context.Context, _ sliceResult, cause error, _ time.Duration) sliceResult {
	err := s.Open(ctx) // a failed attempt may have changed the state in memory
	if err == nil {
		s.run.Fail(cause)
		var done sliceResult
		if done, err = s.save(ctx); err == nil {
			return done
		}
	}
	slog.ErrorContext(ctx, "a run without a result", "agent", s.x.Agent, "run", s.task.ID, "error", err)
	return sliceResult{s.x.kind.Lost(s.task.Slice+1, cause), Failed}
}

// Follow has nothing to do: the next slice was published before this one was done.
func (*slice) Follow(context.Context, Outcome) error { return nil }

// Close implements Job.
func (*slice) Close() {}
