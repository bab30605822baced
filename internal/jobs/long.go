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
//	Start → task: load the state, slice, save, slice, save, …, publish the next → task → … → over
//
// Its JSON is its state, saved in the bucket after each slice as
// {collection}/{id}/state/{slice}.json. The document {collection}/{id} is its work record, of
// which each slice is a part: the end of a slice, the progress of its run and the claim of the
// next slice are one write. A task begins slices for a minute.
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
	TaskTime    time.Duration // for how long a task begins slices: 0 is a minute, and -1 lets it do one
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
	c.TaskTime = cmp.Or(c.TaskTime, time.Minute)
	work := NewStore(c.DB, Options{Collection: c.Collection, Lease: c.Work.o.Lease, Renew: c.Work.o.Renew, Retain: c.Retain})
	executor, err := NewExecutor[sliceResult, any](sliceKind{c.Agent}, ExecutorConfig{Work: work, GiveUpAfter: c.GiveUpAfter})
	return &LongRuns{c, kind, executor, earlyPatience}, err
}

// sliceTasks is the kind of the tasks.
const sliceTasks = "slice"

// A sliceTask asks for the slices of a run from one on. It has the request, so that the first
// slice needs nothing else.
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
			s, err := x.slices(ctx, t, m)
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

// A sliceJob does the slices of a run that one task asks for. The run's record ensures that each
// number is done once.
type sliceJob struct {
	Uncached[sliceResult]
	x         *LongRuns
	task      sliceTask
	cancelled bool // the run, when it was last looked at
	run       LongRun
	saved     bool // the state of run is that after the slice
}

// slices returns the job of a task.
func (x *LongRuns) slices(ctx context.Context, t sliceTask, m queue.Meta) (*sliceJob, error) {
	d, err := x.ensure(ctx, t)
	return &sliceJob{x: x, task: t, cancelled: d.Value.Cancelled, Uncached: Uncached[sliceResult]{Spec{
		Item: Item{ID: t.ID, Kind: x.recordKind(), Subject: t.ID, Part: t.Slice + 1}, Name: x.sliceName(t.ID, t.Slice), Published: m.Published,
	}}}, err
}

// sliceName returns what the log calls a slice.
func (x *LongRuns) sliceName(id string, slice int) string {
	return fmt.Sprintf("%s/%s-%04d", x.Agent, id, slice)
}

// maxState bounds a state that is read, in bytes.
const maxState = 64 << 20

// Open loads the state that the slice begins with; or that after it, if an attempt has died
// between saving it and ending the slice.
func (s *sliceJob) Open(ctx context.Context) (err error) {
	s.task.Slice = CheckpointsOf(ctx).claim.part - 1
	s.Name = s.x.sliceName(s.task.ID, s.task.Slice)
	s.run, err = s.x.resume(ctx, s.task.ID, s.task.Slice+1)
	if s.saved = err == nil; !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if s.task.Slice == 0 {
		s.run, err = s.x.kind.Begin(s.task.ID, s.task.Request, s.task.Begun)
		return err
	}
	s.run, err = s.x.resume(ctx, s.task.ID, s.task.Slice)
	return err
}

// resume returns the run in the state that a slice begins with.
func (x *LongRuns) resume(ctx context.Context, id string, slice int) (run LongRun, err error) {
	at := x.state(id, slice)
	state, _, err := x.Objects.Read(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name}, maxState)
	if err == nil {
		run, err = x.kind.Resume(state)
	}
	if err != nil {
		return nil, fmt.Errorf("jobs: the state of %s: %w", id, err)
	}
	return run, nil
}

// Do does slices, each from where its checkpoints end, and saves the state after each. When the
// task has had its time, the next task is published; if the instance dies before the end of the
// last slice is on record, that task waits until another delivery has ended it.
func (s *sliceJob) Do(ctx context.Context, _ func(any)) (done sliceResult, err error) {
	for begun := time.Now(); ; {
		if !s.saved {
			if err := s.run.Slice(s.x.withCancelled(ctx, s.task.ID), s.cancelled); err != nil {
				return done, err
			}
		}
		if done, err = s.save(ctx); err != nil || done.End != "" {
			return done, err
		}
		if time.Since(begun) >= s.x.TaskTime {
			return done, s.x.publish(ctx, sliceTask{ID: s.task.ID, Slice: s.task.Slice + 1, Request: s.task.Request, Begun: s.task.Begun})
		}
		if ctx, err = s.next(ctx, done); err != nil {
			return done, err
		}
	}
}

// next records the end of a slice, and returns the context of the next.
func (s *sliceJob) next(ctx context.Context, done sliceResult) (context.Context, error) {
	result, err := json.Marshal(done)
	if err != nil {
		return ctx, fmt.Errorf("jobs: %s: %w", s.Name, err)
	}
	claim := CheckpointsOf(ctx).claim
	attempt := claim.Attempt
	if err := claim.Next(ctx, Outcome{Result: result, More: true}); err != nil {
		return ctx, err
	}
	sliceKind{s.x.Agent}.Log(ctx, s.Name, attempt, done, nil)
	s.saved, s.task.Slice = false, s.task.Slice+1
	s.Name = s.x.sliceName(s.task.ID, s.task.Slice)
	ctx = WithCheckpoints(claim.Context(), claim.checkpoints())
	CheckpointsOf(ctx).stored.Store(true) // another delivery would begin here
	d, err := s.x.shown(ctx, s.task.ID)
	s.cancelled = d.Value.Cancelled
	return ctx, err
}

// save writes the results of a run that is over and the state after the slice, unless that was
// saved before.
func (s *sliceJob) save(ctx context.Context) (done sliceResult, err error) {
	done.Progress, done.End = s.run.Progress()
	if s.saved {
		return done, nil
	}
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
func (s *sliceJob) Failed(ctx context.Context, _ sliceResult, cause error, _ time.Duration) sliceResult {
	err := s.Open(ctx) // a failed attempt may have changed the state in memory
	if err == nil {
		s.run.Fail(cause)
		s.saved = false
		var done sliceResult
		if done, err = s.save(ctx); err == nil {
			return done
		}
	}
	slog.ErrorContext(ctx, "a run without a result", "agent", s.x.Agent, "run", s.task.ID, "error", err)
	return sliceResult{s.x.kind.Lost(s.task.Slice+1, cause), Failed}
}
