package siege

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
)

// Five hundred photos, a tenth of them broken, by two processes of Task, each of
// which is killed once in the middle, and every task delivered twice in no order:
// the batch ends by itself, with one item for each photo, the right counts, one
// summary in listing order and hardly a call made twice. The leases are real.
func TestBatchKilledTwice(t *testing.T) {
	long(t) // not parallel: its clients are configured by the environment
	const number = 500
	s, batches := layTasks(t, 2, eventarc.Route{Duplicates: 1, Reorder: 200 * time.Millisecond})
	shots := shoot(number, clear, confirmed, catalogued, rejected)
	want := map[string]int{}
	for i := range shots {
		if i%10 == 5 {
			shots[i].data, shots[i].way = shots[i].data[:100], way{name: "broken"}
			want[batch.ItemFailed]++
		} else {
			want[outcome(shots[i].way)]++
		}
	}
	s.scriptByPixels(shots)
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: 150 * time.Millisecond})
	s.uploadAll(shots)

	begin := time.Now()
	status, err := batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/"})
	if err != nil || status.Number != number {
		t.Fatalf("Create = %+v, %v; want %d photos", status, err, number)
	}
	for i := range 2 {
		ended := s.awaitEnded(batches, status.ID, number*(i+1)/4)
		t.Logf("process %d is killed after %s, when %d photos have ended", i, time.Since(begin).Round(time.Millisecond), ended)
		s.signal(i, syscall.SIGKILL)
		s.restart(i)
	}
	s.settle()

	if status, err = batches.Get(t.Context(), status.ID); err != nil {
		t.Fatal(err)
	}
	stats := s.Events.Stats()
	t.Logf("%d photos in %s: %v; %d deliveries, %d retried, %d without an answer", status.Ended, time.Since(begin).Round(time.Second),
		status.Counts, stats.Delivered, stats.Retried, s.broken.Load())
	if status.State != jobs.Done || status.Ended != number || !maps.Equal(status.Counts, want) || len(status.Failures) != want[batch.ItemFailed] {
		t.Errorf("the status is %+v, want done with %v", status, want)
	}
	items, err := s.records.Collection("batches").Doc(status.ID).Collection("items").Documents(t.Context()).GetAll()
	if err != nil || len(items) != number {
		t.Errorf("%d items, %v; want %d", len(items), err, number)
	}
	s.checkSummary(status, shots)
	s.checkOnce(shots)
}

// layTasks starts n processes of Task behind the route, and returns the service that
// makes batches for them.
func layTasks(t *testing.T, n int, route eventarc.Route) (*siege, *batch.Batches) {
	t.Helper()
	w := emulate.Start(t)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/tasks"); err != nil {
		t.Fatal(err)
	}
	stock(t, w)
	env := append(w.Env(), "FUNCTION_TARGET=Task", "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=tasks",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding")
	s := &siege{World: w, t: t, objects: emulate.StorageClient(t, w), records: w.FirestoreClient(t)}
	batches := batchesOf(t, env)
	s.Gemini.ResetCalls()
	s.fleet = newFleet(t, n, env)
	route.Topic, route.Endpoint = "tasks", eventarc.Endpoint(s.fleet.URL, w.Project, "tasks")
	route.AckDeadline, route.MinBackoff, route.MaxBackoff = 100*time.Second, 50*time.Millisecond, time.Second
	if err := w.Events.Add(route); err != nil {
		t.Fatal(err)
	}
	return s, batches
}

// batchesOf returns the batches of a process with this environment.
func batchesOf(t *testing.T, env []string) *batch.Batches {
	t.Helper()
	for _, each := range env {
		name, value, _ := strings.Cut(each, "=")
		t.Setenv(name, value)
	}
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	batches, err := app.New(c).Batches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return batches
}

// outcome returns the outcome of an item that went way w.
func outcome(w way) string {
	if w.source == "" {
		return batch.NoProduct
	}
	return w.source
}

// awaitEnded waits until at least photos of a batch have ended, and returns their number.
func (s *siege) awaitEnded(b *batch.Batches, id string, photos int) (ended int) {
	s.t.Helper()
	s.await(fmt.Sprintf("%d photos have ended", photos), func() bool {
		status, err := b.Get(s.t.Context(), id)
		if err != nil {
			s.t.Fatal(err)
		}
		ended = status.Ended
		return ended >= photos
	})
	return ended
}

// sent returns the SHA-256 of the bytes of a photo that the model gets.
func (s shot) sent() string {
	p, err := photo.Prepare(s.data, photo.Limits{})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(p.Sent)
	return hex.EncodeToString(sum[:])
}

// scriptByPixels scripts the model's answers for shots without a mark, as in a batch; a
// step that a kill interrupted gets the same answer again.
func (s *siege) scriptByPixels(shots []shot) {
	for _, shot := range shots {
		sum := shot.sent()
		for _, step := range shot.way.steps {
			if step == stepEmbed {
				continue
			}
			a := shot.answer(step)
			a.Match = func(r *emulated.Request) bool { return len(r.Inline) > 0 && r.Inline[0].SHA256 == sum }
			s.Gemini.Script(a, a, a)
		}
	}
}

// checkSummary checks the summary of a batch, and its CSV.
func (s *siege) checkSummary(status batch.Status, shots []shot) {
	s.t.Helper()
	var summary []struct {
		File   string
		Result result
	}
	if err := json.Unmarshal(s.read(status.ResultURI), &summary); err != nil || len(summary) != len(shots) {
		s.t.Fatalf("the summary has %d lines, %v; want %d", len(summary), err, len(shots))
	}
	var problems []string
	for i, l := range summary {
		shot := shots[i]
		failed := shot.way.name == "broken"
		if l.File != "gs://uploads/"+shot.name() || l.Result.Source != shot.way.source || l.Result.ProductName != shot.product() || failed != (l.Result.Error == "analysis_failed") {
			problems = append(problems, fmt.Sprintf("line %d is %+v, want %s by the way %q", i, l, shot.name(), shot.way.name))
		}
	}
	if len(problems) > 0 {
		s.t.Errorf("%d problems:\n\t%s", len(problems), lines(problems))
	}
	rows, err := csv.NewReader(bytes.NewReader(s.read(status.CSVURI))).ReadAll()
	if err != nil || len(rows) != len(shots)+1 {
		s.t.Errorf("the CSV has %d rows, %v; want %d", len(rows), err, len(shots)+1)
	}
}

// read reads an object of the results bucket by its URI.
func (s *siege) read(uri string) []byte {
	s.t.Helper()
	r, err := s.objects.Bucket("results").Object(strings.TrimPrefix(uri, "gs://results/")).NewReader(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// cutShort bounds the answers that may be lost between the model and a record when two
// processes with fifty photos each are killed.
const cutShort = 100

// checkOnce checks that no step was answered twice, except steps whose answer a kill may
// have lost.
func (s *siege) checkOnce(shots []shot) {
	s.t.Helper()
	answered, again := map[string]int{}, 0
	for _, c := range s.Gemini.Calls() {
		if c.Status != 200 || len(c.Inline) == 0 {
			continue
		}
		key := string(c.Kind) + c.Inline[0].SHA256
		if answered[key]++; answered[key] > 1 {
			again++
		}
	}
	want := 0
	for _, shot := range shots {
		want += len(slices.DeleteFunc(slices.Clone(shot.way.steps), func(step string) bool { return step == stepEmbed }))
	}
	s.t.Logf("%d steps that see a photo were answered, %d of them once more", len(answered), again)
	if len(answered) != want || again > cutShort {
		s.t.Errorf("%d steps were answered and %d of them again, want %d and at most %d", len(answered), again, want, cutShort)
	}
}
