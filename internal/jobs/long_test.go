package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	cloud "cloud.google.com/go/firestore"
	"cloud.google.com/go/storage"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs/queue"
)

const longTasks = "projects/emulated/topics/long"

// A counter has long runs that count, and collects their tasks.
type counter struct {
	*LongRuns
	t          *testing.T
	world      *emulate.World
	dispatcher *queue.Dispatcher
	objects    *storage.Client

	mu       sync.Mutex
	tray     []queue.Delivery
	slices   []int                            // the numbers counted, once for each try
	finished []count                          // the states that Finish got
	broken   func(context.Context, int) error // returns the error of counting to a number
	paid     atomic.Int32
}

func openCounter(t *testing.T) *counter {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Storage, emulate.PubSub)
	if err := errors.Join(w.Storage.CreateBucket("results"), w.PubSub.CreateTopic(longTasks)); err != nil {
		t.Fatal(err)
	}
	d := &counter{t: t, world: w, dispatcher: queue.NewDispatcher(), objects: emulate.StorageClient(t, w), broken: func(context.Context, int) error { return nil }}
	db := w.FirestoreClient(t)
	var err error
	d.LongRuns, err = NewLongRuns(d, LongConfig{
		Agent: "counter", Collection: "discoveries", Objects: blob.New(d.objects), Bucket: "results", DB: db, GiveUpAfter: time.Hour, TaskTime: -1,
		Work: NewStore(db, Options{Collection: Runs}), Tasks: &queue.Publisher{Long: queue.NewTopic(w.PubSubClient(t).TopicAdminClient, longTasks)},
	})
	if err != nil {
		t.Fatal(err)
	}
	HandleLong(d.dispatcher, "counter", func(context.Context) (*LongRuns, error) { return d.LongRuns, nil })
	w.PubSub.Subscribe(longTasks, func(m pubsub.Message) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tray = append(d.tray, queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}})
	})
	return d
}

// A count is the state of a run that counts to To, one a slice.
type count struct {
	ID        string
	N, To     int
	Cancelled bool
	Failure   string

	d *counter
}

func (d *counter) Begin(id string, request json.RawMessage, _ time.Time) (LongRun, error) {
	c := &count{ID: id, d: d}
	return c, json.Unmarshal(request, &c.To)
}

func (d *counter) Resume(state []byte) (LongRun, error) {
	c := &count{d: d}
	return c, json.Unmarshal(state, c)
}

func (d *counter) Lost(int, error) any { return -1 }

func (c *count) Slice(ctx context.Context, cancelled bool) error {
	if c.Cancelled = cancelled; cancelled {
		return nil
	}
	if _, err := Once(ctx, "step", func(context.Context) (int32, error) { return c.d.paid.Add(1), nil }); err != nil {
		return err
	}
	c.N++
	c.d.slices = append(c.d.slices, c.N)
	return c.d.broken(ctx, c.N)
}

func (c *count) Fail(cause error) { c.Failure = cause.Error() }

func (c *count) Progress() (any, State) {
	switch {
	case c.Failure != "":
		return c.N, Failed
	case c.Cancelled:
		return c.N, Canceled
	case c.N == c.To:
		return c.N, Done
	}
	return c.N, ""
}

func (c *count) Finish(context.Context) error {
	c.d.finished = append(c.d.finished, *c)
	return nil
}

// records has the runs' work records.
func (d *counter) records() *Store { return d.executor.(*Executor[sliceResult, any]).Work }

// take returns the next task, nil if none was published.
func (d *counter) take() *queue.Delivery {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.tray) == 0 {
		return nil
	}
	m := d.tray[0]
	d.tray = d.tray[1:]
	return &m
}

func (d *counter) start(to int) LongStatus {
	d.t.Helper()
	s, err := d.Start(d.t.Context(), to)
	if err != nil || s.State != Working || string(s.Request) != fmt.Sprint(to) {
		d.t.Fatalf("Start(%d) = %+v, %v", to, s, err)
	}
	return s
}

func (d *counter) do(m *queue.Delivery) error {
	d.t.Helper()
	if m == nil {
		d.t.Fatal("no task comes")
	}
	return d.dispatcher.Dispatch(d.t.Context(), *m)
}

// deliverUntilAccepted delivers a task until it is accepted.
func (d *counter) deliverUntilAccepted(m *queue.Delivery) {
	d.t.Helper()
	for tries := 1; d.do(m) != nil; tries++ {
		if tries == 20 {
			d.t.Fatal("the slice is never given up")
		}
	}
}

// ended checks how a run has ended, and that it has no tasks left.
func (d *counter) ended(id string, want State, progress int) {
	d.t.Helper()
	s, err := d.Get(d.t.Context(), id)
	if err != nil || s.State != want || string(s.Progress) != fmt.Sprint(progress) || s.Ended.IsZero() {
		d.t.Errorf("the run is %+v (%v), want %s at %d", s, err, want, progress)
	}
	if m := d.take(); m != nil {
		d.t.Errorf("a task is left: %s", m.Data)
	}
}

// Each slice is done once and followed by one task, however often it is delivered.
func TestLongRun(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	run := d.start(5)
	for range 5 {
		m := d.take()
		d.world.Firestore.ResetCalls()
		for i := range 3 {
			if err := d.do(m); err != nil {
				t.Fatal(err)
			}
			// The claim, and the end with the run's progress: what was paid is in the state behind the
			// slice. Whether the run is cancelled is read before the claim, which reads too.
			if calls := d.world.Firestore.Calls(); i == 0 && (calls["Commit"] > 2 || calls["BatchGetDocuments"] > 2) {
				t.Errorf("a slice took the calls %v, want at most 2 writes and 2 reads", calls)
			}
		}
	}
	d.ended(run.ID, Done, 5)
	if got := fmt.Sprint(d.slices); got != "[1 2 3 4 5]" || len(d.finished) != 1 || d.finished[0].N != 5 {
		t.Errorf("the slices were %s, Finish got %+v; want each once", got, d.finished)
	}
	if all, _, err := d.List(t.Context(), "", 10); err != nil || len(all) != 1 || all[0].ID != run.ID {
		t.Errorf("List = %+v, %v", all, err)
	}
}

// A task does one slice after another while it has time, each by one write and the claim by one
// more, whatever else delivers it meanwhile and later.
func TestLongRunGoesOn(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	d.TaskTime = time.Hour
	run, first := d.start(6), d.take()
	d.broken = func(_ context.Context, n int) error {
		if n == 2 {
			if err := d.do(first); !errors.Is(err, ErrBusy) {
				t.Errorf("the task, delivered while it is being done = %v, want %v", err, ErrBusy)
			}
		}
		if n == 4 { // the last of this task
			d.TaskTime = -1
		}
		return nil
	}
	d.world.Firestore.ResetCalls()
	if err := d.do(first); err != nil {
		t.Fatal(err)
	}
	if calls := d.world.Firestore.Calls(); calls["Commit"] != 5 {
		t.Errorf("four slices took the calls %v, want 5 writes", calls)
	}
	if s, err := d.Get(t.Context(), run.ID); err != nil || s.State != Working || string(s.Progress) != "4" {
		t.Errorf("the run is %+v (%v), want it working, at 4", s, err)
	}
	d.TaskTime = time.Hour
	next := d.take()
	if err := errors.Join(d.do(first), d.do(next), d.do(next), d.do(first)); err != nil {
		t.Fatal(err)
	}
	d.ended(run.ID, Done, 6)
	if got := fmt.Sprint(d.slices); got != "[1 2 3 4 5 6]" || d.paid.Load() != 6 {
		t.Errorf("the slices were %s, paid %d times; want each once", got, d.paid.Load())
	}
}

// An instance that dies in any slice of a task, before anything is on record, with the state
// saved or with the end lost, has its task delivered again: that goes on where it died.
func TestLongRunDiesInATask(t *testing.T) {
	t.Parallel()
	die := errors.New("it dies")
	for dies := 1; dies <= 4; dies++ {
		for how, lost := range map[string]struct {
			err     error // of the step
			commits int   // that Firestore refuses
			paid    int   // of 4 steps
		}{
			"its step fails": {die, 0, 4},
			"its step fails, and it cannot be released": {die, 1, 5},
			"the end is not on record":                  {nil, 1, 4},
			"the end is not on record, nor a release":   {nil, 2, 4},
		} {
			t.Run(fmt.Sprint(dies, " ", how), func(t *testing.T) {
				t.Parallel()
				d := openCounter(t)
				d.TaskTime = time.Hour
				run, first := d.start(4), d.take()
				d.broken = func(_ context.Context, n int) error {
					if n != dies {
						return nil
					}
					d.broken = func(context.Context, int) error { return nil }
					if lost.commits > 0 {
						d.world.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied, Times: lost.commits})
					}
					return lost.err
				}
				if err := d.do(first); err == nil {
					t.Fatal("a task that dies is accepted")
				}
				if _, err := d.records().doc(run.ID).Update(t.Context(), []cloud.Update{{Path: "lease_ns", Value: 1}}); err != nil { // it runs out
					t.Fatal(err)
				}
				if err := errors.Join(d.do(first), d.do(first)); err != nil {
					t.Fatal(err)
				}
				d.ended(run.ID, Done, 4)
				want := []int{1, 2, 3, 4}
				if lost.err != nil {
					want = slices.Insert(want, dies, dies)
				}
				if !slices.Equal(d.slices, want) || len(d.finished) != 1 || int(d.paid.Load()) != lost.paid {
					t.Errorf("the slices were %v, finished %d times and paid %d times; want %v, once and %d", d.slices, len(d.finished), d.paid.Load(), want, lost.paid)
				}
			})
		}
	}
}

// A run that is cancelled ends at its next slice, one that is over stays as it is.
func TestLongRunCancelled(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	run := d.start(9)
	if err := d.do(d.take()); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Cancel(t.Context(), run.ID); err != nil || s.State != Cancelling {
		t.Fatalf("Cancel = %+v, %v", s, err)
	}
	if err := d.do(d.take()); err != nil {
		t.Fatal(err)
	}
	d.ended(run.ID, Canceled, 1)
	if s, err := d.Cancel(t.Context(), run.ID); err != nil || s.State != Canceled {
		t.Errorf("Cancel of what is over = %+v, %v", s, err)
	}
}

// A slice that takes long is told when its run is cancelled, and the run ends with what the
// slice had.
func TestLongRunCancelledMeanwhile(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	run := d.start(9)
	d.broken = func(ctx context.Context, _ int) error {
		ctx, stop := UntilCancelled(ctx)
		defer stop()
		if _, err := d.Cancel(ctx, run.ID); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
		if cause := context.Cause(ctx); !errors.Is(cause, ErrCancelled) {
			t.Errorf("2 s after Cancel: %v, want %v", cause, ErrCancelled)
		}
		return nil
	}
	for range 2 {
		if err := d.do(d.take()); err != nil {
			t.Fatal(err)
		}
	}
	d.ended(run.ID, Canceled, 1)
}

// A run whose slice cannot be done ends with what it has; one whose state is gone, with
// nothing.
func TestLongRunGivenUp(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	run := d.start(9)
	if err := d.do(d.take()); err != nil {
		t.Fatal(err)
	}
	d.broken = func(context.Context, int) error { return errors.New("the line is dead") }
	d.deliverUntilAccepted(d.take())
	d.ended(run.ID, Failed, 1)

	lost := d.start(9)
	d.broken = func(context.Context, int) error { return nil }
	if err := d.do(d.take()); err != nil {
		t.Fatal(err)
	}
	if err := d.objects.Bucket("results").Object("discoveries/" + lost.ID + "/state/0001.json").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.deliverUntilAccepted(d.take())
	d.ended(lost.ID, Failed, -1)
}

// An instance that dies when the next slice is published, and the end of this one is not on
// record, has not begun a second chain: the next waits, whoever repeats this slice pays for
// nothing again, and of the two tasks of the next one does it.
func TestLongRunDiesBeforeTheEndIsOnRecord(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	d.patience = 40 * time.Millisecond
	run, first := d.start(3), d.take()
	d.broken = func(context.Context, int) error {
		d.world.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied, Times: 2}) // the end, and the release
		return nil
	}
	if err := d.do(first); err == nil {
		t.Error("a slice whose end is not on record is accepted")
	}
	d.broken = func(context.Context, int) error { return nil }
	next := d.take()
	for name, m := range map[string]*queue.Delivery{"the slice": first, "the next": next} {
		if err := d.do(m); !errors.Is(err, ErrBusy) {
			t.Errorf("%s, while the lease holds = %v, want %v", name, err, ErrBusy)
		}
	}
	if s, err := d.Get(t.Context(), run.ID); err != nil || s.State != Working || string(s.Progress) != "null" {
		t.Errorf("the run is %+v (%v), want it working, without a slice", s, err)
	}
	if _, err := d.records().doc(run.ID).Update(t.Context(), []cloud.Update{{Path: "lease_ns", Value: 1}}); err != nil { // it runs out
		t.Fatal(err)
	}
	if err := d.do(next); !errors.Is(err, ErrBusy) {
		t.Errorf("the next, when the lease has run out = %v, want %v", err, ErrBusy)
	}
	if err := errors.Join(d.do(first), d.do(next), d.do(d.take()), d.do(d.take())); err != nil { // then the second task of the next, and the third slice
		t.Fatal(err)
	}
	d.ended(run.ID, Done, 3)
	if got := fmt.Sprint(d.slices); got != "[1 2 3]" || d.paid.Load() != 3 {
		t.Errorf("the slices were %s, paid %d times; want each once, as the state behind the first was saved", got, d.paid.Load())
	}
}

// A slice that is delivered while the end of the one before is being written waits for it.
func TestLongRunDeliveredEarly(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	d.patience = time.Minute
	run, first := d.start(2), d.take()
	ended := make(chan error, 1)
	d.broken = func(_ context.Context, n int) error {
		if n == 1 { // the second is asked for before the first is over
			next := *first
			next.Data = bytes.Replace(next.Data, []byte(`"slice":0`), []byte(`"slice":1`), 1)
			d.world.Firestore.ResetCalls()
			go func() { ended <- d.do(&next) }()
			for d.world.Firestore.Calls()["BatchGetDocuments"] < 4 { // it has looked twice
				time.Sleep(time.Millisecond)
			}
		}
		return nil
	}
	if err := errors.Join(d.do(first), <-ended, d.do(d.take())); err != nil {
		t.Fatal(err)
	}
	d.ended(run.ID, Done, 2)
	if got := fmt.Sprint(d.slices); got != "[1 2]" {
		t.Errorf("the slices were %s, want each once", got)
	}
}

// An unknown ID is not found, and a task with an invalid one is dropped.
func TestNoLongRun(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	for _, id := range []string{"", "x", "../20260101-000000-00000000", "20260101-000000-00000000"} {
		if _, err := d.Get(t.Context(), id); !errors.Is(err, ErrNoRun) {
			t.Errorf("Get(%q) = %v", id, err)
		}
		if _, err := d.Cancel(t.Context(), id); !errors.Is(err, ErrNoRun) {
			t.Errorf("Cancel(%q) = %v", id, err)
		}
	}
	bad := queue.Delivery{Data: []byte(`{"agent":"counter","kind":"slice","payload":{"id":"../x","slice":0}}`)}
	if err := d.do(&bad); err != nil || len(d.slices) > 0 {
		t.Errorf("a task that names no run: %v, %v slices", err, d.slices)
	}
}

// A run whose progress this version cannot read is in the list, and so are the others.
func TestRunsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	d := openCounter(t)
	var ids []string
	for range 2 {
		r, err := d.Start(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	for _, field := range []string{"result", "cancelled"} {
		if _, err := d.DB.Collection(d.Collection).Doc(ids[0]).Update(t.Context(), []cloud.Update{{Path: field, Value: "<xml>"}}); err != nil {
			t.Fatal(err)
		}
		all, _, err := d.List(t.Context(), "", 10)
		if err != nil || len(all) != 2 || !slices.ContainsFunc(all, func(s LongStatus) bool { return s.ID == ids[0] && s.State == Working }) {
			t.Errorf("List = %+v, %v; want both runs", all, err)
		}
	}
}
