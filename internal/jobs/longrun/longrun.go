// Package longrun carries work that takes many tasks, and survives whoever dies at it.
//
//	Start → task → slice: load the state, do a part, save → follow: publish the next → … → over
//
// A run is cut into slices. Each is a task, and work of package run: done by one at a
// time, and what it has paid for is in its journal. The state behind each slice lies in
// the bucket, at {collection}/{id}/state/{slice}.json; the document {collection}/{id}
// says how far the run is.
package longrun

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// Config says of which request R, state S and progress P runs are, and how they are done.
type Config[R, S, P any] struct {
	Agent      string // of the tasks
	Collection string // of the documents, and the folder of the states
	Objects    *blob.Store
	Bucket     string
	DB         *firestore.Client
	Work       *jobs.Store
	Tasks      *queue.Publisher

	Retain      time.Duration // how long a document is kept; 0 is 400 days
	GiveUpAfter time.Duration // at which age a slice is given up; 0 is 24 h

	// Begin is the state of a run that has done nothing.
	Begin func(id string, r R, begun time.Time) (*S, error)
	// Slice does the next part of a run, or ends it where somebody has cancelled it. It is
	// done again after an error, from the same state.
	Slice func(ctx context.Context, s *S, cancelled bool, watch func(*agent.Event)) error
	// Fail ends a run of which a slice cannot be done.
	Fail func(s *S, cause error)
	// Progress is how far a run is, and how it has ended if it is over.
	Progress func(s *S) (P, jobs.State)
	// Lost is the progress of a run whose state cannot be had any more.
	Lost func(slice int, cause error) P
	// Finish writes what a run that is over has come to.
	Finish func(ctx context.Context, s *S) error
}

// Runs are those of a Config.
type Runs[R, S, P any] struct {
	Config[R, S, P]
	executor *jobs.Executor[Slice[P], *agent.Event]
}

// A Slice is what stands behind a slice: the result of its work.
type Slice[P any] struct {
	Progress P          `json:"progress"`
	End      jobs.State `json:"end,omitempty"` // "" while the run goes on
}

// sliceKind is the kind of the tasks.
const sliceKind = "slice"

// A sliceTask asks for one slice of a run. Each has the request, so that whoever gets the
// first needs nothing else.
type sliceTask[R any] struct {
	ID      string    `json:"id"`
	Slice   int       `json:"slice"`
	Request R         `json:"request"`
	Begun   time.Time `json:"begun"`
}

// New returns the runs of c.
func New[R, S, P any](c Config[R, S, P]) (*Runs[R, S, P], error) {
	c.Retain = cmp.Or(c.Retain, 400*24*time.Hour)
	executor, err := jobs.NewExecutor[Slice[P], *agent.Event](jobs.ExecutorConfig[Slice[P]]{
		Work: c.Work, GiveUpAfter: c.GiveUpAfter, Log: logSlice[P],
		Describe: func(done Slice[P]) (f jobs.Facts) {
			if done.End == jobs.Failed {
				f.Error = c.Agent + "_failed"
			}
			return f
		},
	})
	return &Runs[R, S, P]{c, executor}, err
}

// Handle has d do the slices of an agent's runs.
func Handle[R, S, P any](d *queue.Dispatcher, agent string, open func(context.Context) (*Runs[R, S, P], error)) {
	queue.Handle(d, agent, sliceKind, func(ctx context.Context, t sliceTask[R], m queue.Meta) error {
		if !knownID.MatchString(t.ID) || t.Slice < 0 {
			slog.WarnContext(ctx, "task dropped", "run", t.ID, "slice", t.Slice)
			return nil
		}
		x, err := open(ctx)
		if err == nil {
			_, err = x.executor.Deliver(ctx, x.job(t, m))
		}
		return err
	})
}

func (x *Runs[R, S, P]) publish(ctx context.Context, t sliceTask[R]) error {
	if err := x.Tasks.PublishLong(ctx, queue.Task{Agent: x.Agent, Kind: sliceKind, Payload: t}); err != nil {
		return fmt.Errorf("longrun: publish slice %d of %s: %w", t.Slice, t.ID, err)
	}
	return nil
}

// job is one slice. Its work record makes it the only one of its number, and what follows
// from it publishes the next.
func (x *Runs[R, S, P]) job(t sliceTask[R], m queue.Meta) *jobs.Job[Slice[P], *agent.Event] {
	name := fmt.Sprintf("%s-%04d", t.ID, t.Slice)
	return &jobs.Job[Slice[P], *agent.Event]{
		Item: jobs.Item{ID: name, Kind: x.Agent + "_slice", Subject: t.ID}, Name: x.Agent + "/" + name, Published: m.Published,
		Open: func(context.Context, *jobs.Job[Slice[P], *agent.Event]) error { return nil },
		Do: func(ctx context.Context, watch func(*agent.Event)) (Slice[P], error) {
			return x.slice(ctx, t, watch)
		},
		Failed: func(ctx context.Context, _ Slice[P], err error, _ time.Duration) Slice[P] {
			return x.giveUp(ctx, t, err)
		},
		Follow: func(ctx context.Context, o jobs.Outcome) error {
			var done Slice[P]
			if err := json.Unmarshal(o.Result, &done); err != nil {
				return fmt.Errorf("longrun: the record of %s: %w", name, err)
			}
			return x.follow(ctx, t, done)
		},
	}
}

// slice does the slice that t asks for, and saves the state behind it.
func (x *Runs[R, S, P]) slice(ctx context.Context, t sliceTask[R], watch func(*agent.Event)) (done Slice[P], err error) {
	s, err := x.load(ctx, t)
	if err != nil {
		return done, err
	}
	d, err := x.ensure(ctx, t)
	if err == nil {
		err = x.Slice(ctx, s, d.Value.State == jobs.Cancelling, watch)
	}
	if err != nil {
		return done, err
	}
	return x.save(ctx, t, s)
}

// save writes the state behind a slice, and the results of a run that is over.
func (x *Runs[R, S, P]) save(ctx context.Context, t sliceTask[R], s *S) (done Slice[P], err error) {
	done.Progress, done.End = x.Progress(s)
	if done.End != "" {
		if err := x.Finish(ctx, s); err != nil {
			return done, err
		}
	}
	data, err := json.Marshal(s)
	if err == nil {
		_, err = x.Objects.Replace(ctx, blob.Place{Bucket: x.Bucket, Name: x.stateName(t.ID, t.Slice+1), ContentType: "application/json"}, func(w io.Writer) error {
			_, err := io.Copy(w, bytes.NewReader(data))
			return err
		})
	}
	if err != nil {
		return done, fmt.Errorf("longrun: save %s: %w", t.ID, err)
	}
	return done, nil
}

func (x *Runs[R, S, P]) stateName(id string, slice int) string {
	return fmt.Sprintf("%s/%s/state/%04d.json", x.Collection, id, slice)
}

// maxState bounds a state that is read.
const maxState = 64 << 20

// load is the state that a slice begins with.
func (x *Runs[R, S, P]) load(ctx context.Context, t sliceTask[R]) (*S, error) {
	if t.Slice == 0 {
		return x.Begin(t.ID, t.Request, t.Begun)
	}
	s := new(S)
	data, _, err := x.Objects.Read(ctx, blob.ObjectRef{Bucket: x.Bucket, Name: x.stateName(t.ID, t.Slice)}, maxState)
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err != nil {
		return nil, fmt.Errorf("longrun: the state of %s: %w", t.ID, err)
	}
	return s, nil
}

// giveUp ends a run at a slice that cannot be done. What was found before is its result.
func (x *Runs[R, S, P]) giveUp(ctx context.Context, t sliceTask[R], cause error) Slice[P] {
	s, err := x.load(ctx, t)
	if err == nil {
		x.Fail(s, cause)
		var done Slice[P]
		if done, err = x.save(ctx, t, s); err == nil {
			return done
		}
	}
	slog.ErrorContext(ctx, "a run without a result", "agent", x.Agent, "run", t.ID, "error", err)
	return Slice[P]{x.Lost(t.Slice+1, cause), jobs.Failed}
}

// logSlice logs what came of a slice.
func logSlice[P any](ctx context.Context, name string, attempt int, done Slice[P], err error) {
	if err != nil {
		slog.WarnContext(ctx, "slice broken off", "slice", name, "attempt", attempt, "error", err)
		return
	}
	slog.InfoContext(ctx, "slice done", "slice", name, "attempt", attempt, "progress", done.Progress)
}
