package batch_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/analyze/batch"
)

// Ten thousand photos: the cost to hand them out, to end the last two, and to read the
// status, does not grow with their number.
func TestTenThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	const number = 10_000
	d := newHarness(t)
	d.manual()
	d.photos(1)
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	d.take()
	d.enlarge(s.ID, number)
	d.ended(s.ID, number-1)

	look := photoTask(s.ID, number-1)
	d.Firestore.ResetCalls()
	s = d.status(s.ID)
	if s.Ended != number-1 || s.Counts[batch.ItemFailed] != 1000 || len(s.Failures) != 100 || s.Failures[99].File != "gs://uploads/000990.jpg" || s.Left == nil {
		t.Errorf("the status has %d ended, %v, %d failures; want %d, 1000 failed and 100 of them", s.Ended, s.Counts, len(s.Failures), number-1)
	}
	d.wantCalls("a status", map[string]int{"BatchGetDocuments": 1, "RunAggregationQuery": 8, "RunQuery": 1})

	d.do(photoTask(s.ID, 0)) // its item exists, its thousand are complete, and all are not
	d.wantCalls("a redelivery", map[string]int{"BatchGetDocuments": 1, "RunAggregationQuery": 2})
	d.do(look)
	d.wantState(s.ID, jobs.Done, map[string]int{batch.ItemFailed: 1001, batch.FromImage: number - 1001})
	lines, text, _ := d.summary(s.ResultURI)
	if len(lines) != number || lines[1].File != "gs://uploads/000001.jpg" {
		t.Errorf("the summary has %d lines, want %d", len(lines), number)
	}
	d.wantDrained(s.ID, number)
	d.Firestore.ResetCalls()
	if _, _, err := d.List(t.Context(), "", 20); err != nil {
		t.Fatal(err)
	}
	d.wantCalls("a listing", map[string]int{"RunQuery": 1})
	snap, err := d.db.Collection("batches").Doc(s.ID).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored, _ := json.Marshal(snap.Data())
	if len(stored) > 1000 {
		t.Errorf("the batch's document has %d bytes, want no more than a small one's", len(stored))
	}
	t.Logf("a batch of %d photos: document of %d bytes, summary of %d", number, len(stored), len(text))
}

// A manifest of ten thousand photos is handed out in chunks of bounded size.
func TestHandsOutTenThousand(t *testing.T) {
	t.Parallel()
	const number = 10_000
	d := newHarness(t)
	d.manual()
	d.photos(1)
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	d.enlarge(s.ID, number)
	w := d.objects.Bucket("results").Object("batches/" + s.ID + "/manifest.json").NewWriter(t.Context())
	for i := range number {
		fmt.Fprintf(w, `%s{"index":%d,"name":"%06d.jpg","generation":"1","size":3}`, map[bool]string{true: "[", false: ","}[i == 0], i, i)
	}
	_, _ = io.WriteString(w, "]")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d.do(d.take()...)
	hands := d.take()
	if len(hands) != 20 {
		t.Fatalf("%d tasks hand over, want 20", len(hands))
	}
	d.do(hands...)
	seen := map[int]bool{}
	for _, m := range d.take() {
		var t struct {
			Payload struct{ Photos []struct{ Index int } }
		}
		if err := json.Unmarshal(m.Data, &t); err != nil || len(t.Payload.Photos) != 1 {
			d.t.Fatalf("the task %s is not of one photo (%v)", m.Data, err)
		}
		seen[t.Payload.Photos[0].Index] = true
	}
	if len(seen) != number {
		t.Errorf("%d photos were handed out, want %d", len(seen), number)
	}
	d.wantState(s.ID, jobs.Running, map[string]int{})
}

// wantCalls checks the calls to Firestore since its last call.
func (d *harness) wantCalls(what string, want map[string]int) {
	d.t.Helper()
	if got := d.Firestore.Calls(); fmt.Sprint(got) != fmt.Sprint(want) {
		d.t.Errorf("%s takes the calls %v, want %v", what, got, want)
	}
	d.Firestore.ResetCalls()
}

// photoTask returns the task of a photo that does not exist.
func photoTask(id string, index int) queue.Delivery {
	return queue.Delivery{Data: fmt.Appendf(nil, `{"agent":"analyze","kind":"analyze","payload":{"batch":%q,"photos":[{"index":%d,"name":"%06d.jpg","generation":"1","size":3}]}}`, id, index, index)}
}

// enlarge sets the number of photos of a batch to n.
func (d *harness) enlarge(id string, n int) {
	d.t.Helper()
	if _, err := d.db.Collection("batches").Doc(id).Update(d.t.Context(), []firestore.Update{{Path: "number", Value: n}}); err != nil {
		d.t.Fatal(err)
	}
}

// ended stores the first n items of a batch, every tenth of which failed.
func (d *harness) ended(id string, n int) {
	d.t.Helper()
	items := d.db.Collection("batches").Doc(id).Collection("items")
	began := time.Now().Add(-time.Hour)
	var group errgroup.Group
	group.SetLimit(4)
	for first := 0; first < n; first += 500 {
		group.Go(func() error {
			w := d.db.BulkWriter(d.t.Context())
			for i := first; i < min(first+500, n); i++ {
				outcome := batch.FromImage
				if i%10 == 0 {
					outcome = batch.ItemFailed
				}
				_, err := w.Create(items.Doc(fmt.Sprintf("%06d", i)), map[string]any{
					"index": i, "file": fmt.Sprintf("gs://uploads/%06d.jpg", i), "outcome": outcome, "cost_usd": 0.001, "result": `{"product_name":"tea"}`,
					"ended_at": began.Add(time.Duration(i/7) * time.Millisecond),
				})
				if err != nil {
					return err
				}
			}
			w.End()
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		d.t.Fatal(err)
	}
}
