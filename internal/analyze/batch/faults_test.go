package batch_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
)

// broken does a task that must fail because method fails once.
func (d *harness) broken(m queue.Delivery, method string) {
	d.t.Helper()
	d.Firestore.Fail(firestore.Fault{Method: method, Code: codes.PermissionDenied})
	if err := d.Task(d.t.Context(), m); err == nil {
		d.t.Errorf("Task while %s fails = nil, want it to be delivered again", method)
	}
	d.Firestore.ClearFaults()
}

// The last task dies after its item, before it counts the items: delivered again it
// counts, and the batch ends.
func TestDiedBeforeTheQuestion(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(3)
	id, looks := d.handedOut(3)
	d.do(looks[:2]...)
	d.broken(looks[2], "RunAggregationQuery")
	if n := len(d.stored(id)); n != 3 {
		t.Fatalf("%d items, want 3: the test tests nothing", n)
	}
	d.wantState(id, jobs.Running, map[string]int{batch.FromImage: 3})
	calls := len(d.Gemini.Calls())
	d.do(looks[2])
	s := d.wantState(id, jobs.Done, map[string]int{batch.FromImage: 3})
	if lines, _, _ := d.summary(s.ResultURI); len(lines) != 3 || len(d.Gemini.Calls()) != calls {
		t.Errorf("the summary has %d lines after %d more calls, want 3 after none", len(lines), len(d.Gemini.Calls())-calls)
	}
}

// The same for a task whose context ends after its item is created.
func TestCutBeforeTheQuestion(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(1)
	id, looks := d.handedOut(1)
	ctx, cancel := context.WithCancel(t.Context())
	d.Firestore.Fail(firestore.Fault{Method: "RunAggregationQuery", Times: 1000})
	var running sync.WaitGroup
	running.Go(func() {
		if err := d.Task(ctx, looks[0]); err == nil {
			t.Error("Task whose context has ended = nil, want it to be delivered again")
		}
	})
	for len(d.stored(id)) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	running.Wait()
	d.Firestore.ClearFaults()
	d.do(looks[0])
	d.wantState(id, jobs.Done, map[string]int{batch.FromImage: 1})
}

// The last task dies at each write while it ends the batch: what was written is kept,
// and the rest follows.
func TestDiedAtTheEnd(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(2)
	id, looks := d.handedOut(2)
	d.do(looks[0])
	d.broken(looks[1], "RunAggregationQuery") // its item exists
	s := d.status(id)
	d.broken(looks[1], "RunQuery") // before the summary
	if _, text, _ := d.summary(s.ResultURI); text != "" {
		t.Errorf("a summary that was cut stands: %q", text)
	}
	d.Storage.Fail(1, 403) // checking whether there is one
	if err := d.Task(t.Context(), looks[1]); err == nil {
		t.Error("Task while storage fails = nil, want it to be delivered again")
	}
	d.broken(looks[1], "Commit") // after the summary, before the state
	_, _, first := d.summary(s.ResultURI)
	if got := d.status(id); first == 0 || got.State != jobs.Running || got.Ended != 2 {
		t.Errorf("the summary is of generation %d and the status %+v, want one, and a batch that runs", first, got)
	}
	d.do(looks[1], looks[0], looks[1])
	d.wantState(id, jobs.Done, map[string]int{batch.FromImage: 2})
	if _, _, last := d.summary(s.ResultURI); last != first {
		t.Errorf("the summary was written again: generation %d, then %d", first, last)
	}
}

// All tasks end at the same time, each more than once: there is one summary.
func TestManyLastOnes(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(8)
	id, looks := d.handedOut(8)
	for _, m := range looks {
		d.broken(m, "RunAggregationQuery")
	}
	if s := d.status(id); s.Ended != 8 || s.State != jobs.Running {
		t.Fatalf("the status is %+v: the test tests nothing", s)
	}
	var all sync.WaitGroup
	for _, m := range slices.Concat(looks, looks) {
		all.Go(func() {
			if err := d.Task(t.Context(), m); err != nil {
				t.Errorf("Task = %v, want it acknowledged", err)
			}
		})
	}
	all.Wait()
	s := d.wantState(id, jobs.Done, map[string]int{batch.FromImage: 8})
	lines, _, first := d.summary(s.ResultURI)
	d.do(looks...)
	if _, _, last := d.summary(s.ResultURI); len(lines) != 8 || last != first {
		t.Errorf("the summary has %d lines, generations %d and %d; want 8 and one generation", len(lines), first, last)
	}
}

// Concurrent results of one photo are stored once: the first stays.
func TestItemIsCreatedOnce(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(2)
	id, looks := d.handedOut(2)
	photo, err := d.objects.Bucket("uploads").Object("p000.jpg").Attrs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Intake.Run.Deliver(t.Context(), d.Intake.Job(t.Context(), intake.Delivery{Batch: id, Object: intake.Object{
		ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: "p000.jpg", Generation: photo.Generation},
	}}))
	if err != nil { // the work is done, and only the item is missing
		t.Fatal(err)
	}
	for range 3 {
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := d.Task(t.Context(), looks[0]); err != nil {
					t.Errorf("Task = %v, want it acknowledged", err)
				}
			})
		}
		all.Wait()
	}
	if item := d.stored(id)[0]; !item.UpdateTime.Equal(item.CreateTime) {
		t.Errorf("the item was created at %s and written again at %s", item.CreateTime, item.UpdateTime)
	}
	d.wantState(id, jobs.Running, map[string]int{batch.FromImage: 1})
	if n := len(d.Gemini.Calls()); n != 1 {
		t.Errorf("%d calls, want one", n)
	}
}

// An item that becomes visible after one that ended later is not left out.
func TestLateItem(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(3)
	id, looks := d.handedOut(3)
	d.do(looks[2])
	first, since, err := d.Items(t.Context(), id, "")
	if err != nil || len(first) != 1 {
		t.Fatalf("Items = %+v, %v; want one", first, err)
	}
	_, err = d.db.Collection("batches").Doc(id).Collection("items").Doc("000000").Create(t.Context(), map[string]any{
		"index": 0, "outcome": batch.NoProduct, "ended_at": first[0].Ended.Add(-500 * time.Millisecond),
	})
	if err != nil {
		t.Fatal(err)
	}
	late, _, err := d.Items(t.Context(), id, since)
	if err != nil || len(late) == 0 || late[0].Index != 0 {
		t.Errorf("Items = %+v, %v; want the late one", late, err)
	}
}
