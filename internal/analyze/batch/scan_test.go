package batch_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

const tea, rice = "8801234567893", "4006381333931"

// coded uploads five photos of two products in two folders, one without a code, and one that
// is no photo: four groups of seven.
func (d *harness) coded() {
	d.t.Helper()
	for name, data := range map[string][]byte{
		"a/1.png": samples.Barcode(tea, 0), "a/2.png": samples.Barcode(rice, 0), "a/3.jpg": shade(d.t, 3), "a/4.jpg": []byte("no photo"),
		"b/1.png": samples.Barcode(tea, 20), "b/2.png": samples.Barcode(rice, 20), "b/3.png": samples.Barcode(tea, 40),
	} {
		d.upload("uploads", name, data)
	}
}

// wantGroups checks the results of coded: the further photos of each.
func (d *harness) wantGroups(id string) {
	d.t.Helper()
	s := d.status(id)
	if s.State != jobs.Done || s.Number != 4 || s.Photos != 7 || s.Ended != 4 || s.Counts[batch.ItemFailed] != 1 {
		d.t.Errorf("the status is %+v, want it done with 4 groups of 7 photos, one failed", s)
	}
	lines, _, _ := d.summary(s.ResultURI)
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(strings.TrimPrefix(l.File, "gs://uploads/"), " ", len(l.Result.MoreImages)))
	}
	if want := "[a/1.png 2 a/2.png 1 a/3.jpg 0 a/4.jpg 0]"; fmt.Sprint(got) != want {
		d.t.Errorf("the groups are %v, want %v", got, want)
	}
	for _, name := range d.results() {
		if strings.HasSuffix(name, "/manifest.json") {
			d.t.Errorf("%s stays, which nothing reads", name)
		}
	}
	if docs, err := d.db.Collection("batches").Doc(id).Collection("codes").Documents(d.t.Context()).GetAll(); err != nil || len(docs) != 0 {
		d.t.Errorf("%d documents of codes stay, %v", len(docs), err)
	}
}

// With group=barcode photos with the same code are one question, wherever they lie in the
// batch, with repeated tasks too; the others are answered alone.
func TestGroupByBarcode(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.pushed(eventarc.Route{Duplicates: 1})
	d.coded()
	dry := d.create(batch.Request{Prefix: "gs://uploads/", Group: "barcode", DryRun: true})
	s := d.create(batch.Request{Prefix: "gs://uploads/", Group: "barcode"})
	if s.State != jobs.Scanning || s.Number != 7 || s.Photos != 7 || dry.Number != 7 || dry.Estimate != s.Estimate {
		t.Errorf("Create = %+v after %+v, want seven photos being scanned", s, dry)
	}
	d.quiet()
	d.wantGroups(s.ID)
	if n := d.imageCalls(); n != 3 {
		t.Errorf("%d readings, want one of each product, and one of the photo without a code", n)
	}
}

// scans creates a batch by barcode and returns its scan tasks.
func (d *harness) scans() (id string, tasks []queue.Delivery) {
	d.t.Helper()
	id = d.create(batch.Request{Prefix: "gs://uploads/", Group: "barcode"}).ID
	d.do(d.take()...)
	return id, d.take()
}

// A scan task dies at each of its steps, and is delivered again each time: what was done is
// kept, the groups are written once, and each product is asked once.
func TestScanDies(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	d.coded()
	id, tasks := d.scans()
	if len(tasks) != 1 {
		t.Fatalf("%d scan tasks, want one", len(tasks))
	}
	scan := tasks[0]
	groups := func() (n int) {
		for _, name := range d.results() {
			if strings.HasSuffix(name, "/groups.json") {
				n++
			}
		}
		return n
	}
	d.broken(scan, "Commit") // before its codes stand
	d.broken(scan, "RunAggregationQuery")
	d.broken(scan, "RunQuery") // before it reads all codes
	d.Storage.Fail(1, http.StatusForbidden)
	if err := d.Task(t.Context(), scan); err == nil || groups() != 0 {
		t.Errorf("Task without the manifest = nil, %d lists of groups; want it delivered again", groups())
	}
	d.broken(scan, "Commit") // before the batch knows of its groups
	if s := d.status(id); groups() != 1 || s.State != jobs.Scanning || len(d.take()) != 0 {
		t.Errorf("%d lists of groups, and the batch is %s; want one, and it scans", groups(), s.State)
	}
	d.do(scan)
	if n := len(d.take()); n != 1 { // as if it had died before it published this
		t.Errorf("%d tasks follow, want one", n)
	}
	d.do(scan, scan)
	for range 3 { // expand, fan_out, analyze
		d.do(d.take()...)
	}
	d.do(scan)
	if n := len(d.take()); n != 0 {
		t.Errorf("a late scan task publishes %d tasks, want none", n)
	}
	d.wantGroups(id)
	if n := d.imageCalls(); n != 3 {
		t.Errorf("%d readings, want 3", n)
	}
}

// Scan tasks of many photos at the same time, each twice: one list of groups. More than
// intake.MaxGroup photos with a code are several groups.
func TestManyScans(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	const alone, coded = 190, intake.MaxGroup + 2
	for i := range alone {
		d.upload("uploads", fmt.Sprintf("p%03d.jpg", i), shade(t, i))
	}
	for i := range coded {
		d.upload("uploads", fmt.Sprintf("q%03d.png", i), samples.Barcode(tea, i))
	}
	id, tasks := d.scans()
	if len(tasks) != 3 {
		t.Fatalf("%d scan tasks, want 3 of at most 100 photos", len(tasks))
	}
	var all sync.WaitGroup
	for _, m := range append(tasks, tasks...) {
		all.Go(func() {
			for d.Task(t.Context(), m) != nil { // delivered again, as by Pub/Sub
			}
		})
	}
	all.Wait()
	d.do(d.take()...)
	if s := d.status(id); s.State != jobs.Running || s.Number != alone+2 || s.Photos != alone+coded {
		t.Errorf("the status is %+v, want %d groups that run", s, alone+2)
	}
}

// A batch that is cancelled while its photos are scanned reads no further codes, and ends.
func TestCancelScan(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	d.coded()
	id, tasks := d.scans()
	if s, err := d.Cancel(t.Context(), id); err != nil || s.State != jobs.Cancelling {
		t.Errorf("Cancel = %+v, %v; want it cancelling", s, err)
	}
	d.do(tasks...)
	for range 3 {
		d.do(d.take()...)
	}
	d.wantState(id, jobs.Cancelled, map[string]int{batch.ItemCancelled: 7})
	if n := len(d.Gemini.Calls()); n != 0 {
		t.Errorf("%d calls, want none", n)
	}
}

// Photos that a dead letter cannot read stand alone; before, the task is delivered again.
// Without its manifest the batch fails.
func TestDeadScan(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	d.coded()
	id, tasks := d.scans()
	dead := tasks[0]
	dead.Dead = true
	d.Storage.Fail(7, http.StatusForbidden)
	d.do(dead)
	if s := d.status(id); s.State != jobs.Expanding || s.Number != 7 {
		t.Errorf("the status is %+v, want seven photos that are handed out", s)
	}
	d.take()
	id, tasks = d.scans()
	if err := d.objects.Bucket("results").Object("batches/" + id + "/manifest.json").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.do(tasks...)
	if s := d.status(id); s.State != jobs.Failed || !strings.Contains(s.Reason, "create the batch again") {
		t.Errorf("the status is %+v, want failed and what to do", s)
	}
	d.take()
	_, tasks = d.scans()
	d.Storage.Fail(7, http.StatusForbidden) // at the end: a request that was given up may still arrive
	if err := d.Task(t.Context(), tasks[0]); err == nil {
		t.Error("Task while storage fails = nil, want it to be delivered again")
	}
}
