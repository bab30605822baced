package batch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/internal/jobs/queue"

	"cloud.google.com/go/firestore"
	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"

	"example.com/whatis/internal/jobs"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// harness holds batches over emulators. Tasks wait in a tray until a test does them,
// or are pushed by an Eventarc bridge.
type harness struct {
	*emulate.World
	*batch.Batches
	t          *testing.T
	objects    *gcs.Client
	db         *firestore.Client
	dispatcher *queue.Dispatcher

	mu   sync.Mutex
	tray []queue.Delivery
}

const tasksTopic = "projects/emulated/topics/tasks"

func newHarness(t *testing.T) *harness {
	t.Helper()
	w := emulate.Start(t)
	for _, bucket := range []string{"uploads", "private", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.PubSub.CreateTopic(tasksTopic); err != nil {
		t.Fatal(err)
	}
	d := &harness{World: w, t: t, objects: emulate.StorageClient(t, w), db: w.FirestoreClient(t), dispatcher: queue.NewDispatcher()}
	objects := blob.New(d.objects)
	in, err := intake.New(intake.Config{
		Pipeline: d.pipeline(), Objects: objects, Work: jobs.NewStore(d.db, jobs.Options{}), DB: d.db,
		Memory: admission.New(admission.Config{Requests: 100 << 20, Work: 100 << 20, Queue: 1000, Patience: time.Minute}), Results: "results", Readable: []string{"uploads"},
		Defaults: intake.Options{Country: "KR", Lang: "ko"}, Limits: photo.Limits{},
	})
	if err != nil {
		t.Fatal(err)
	}
	tasks := &queue.Publisher{Tasks: queue.NewTopic(w.PubSubClient(t).TopicAdminClient, tasksTopic)}
	d.Batches, err = batch.New(batch.Config{DB: d.db, Intake: in, Objects: objects, Tasks: tasks, Results: "results"})
	if err != nil {
		t.Fatal(err)
	}
	batch.Handle(d.dispatcher, func(context.Context) (*batch.Batches, error) { return d.Batches, nil })
	return d
}

// Task does one task.
func (d *harness) Task(ctx context.Context, m queue.Delivery) error {
	return d.dispatcher.Dispatch(ctx, m)
}

func (d *harness) pipeline() *analyze.Pipeline {
	d.t.Helper()
	model, err := gemini.Open(d.t.Context(), gemini.Config{BaseURL: d.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond, AskAgain: 1})
	if err != nil {
		d.t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		d.t.Fatal(err)
	}
	p, err := analyze.New(analyze.Config{
		Gemini: model, Catalog: catalog.New(d.db), Space: space, Shop: "test",
		Models: analyze.Models{Image: "emulated-image", Judge: "emulated-judge"},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// manual makes tasks wait in the tray.
func (d *harness) manual() {
	d.PubSub.Subscribe(tasksTopic, func(m pubsub.Message) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tray = append(d.tray, queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}})
	})
}

// take empties the tray.
func (d *harness) take() []queue.Delivery {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.tray
	d.tray = nil
	return all
}

// do does tasks one after the other, which must all be acknowledged.
func (d *harness) do(messages ...queue.Delivery) {
	d.t.Helper()
	for _, m := range messages {
		if err := d.Task(d.t.Context(), m); err != nil {
			d.t.Fatalf("Task(%s) = %v, want it acknowledged", m.Data, err)
		}
	}
}

// handedOut creates a batch of all uploads, does all tasks except those of photos, and
// returns these.
func (d *harness) handedOut(photos int) (id string, looks []queue.Delivery) {
	d.t.Helper()
	return d.handedOutAs(batch.Request{}, photos)
}

// handedOutAs is handedOut for a batch as r says.
func (d *harness) handedOutAs(r batch.Request, photos int) (id string, looks []queue.Delivery) {
	d.t.Helper()
	r.Prefix = "gs://uploads/"
	s := d.create(r)
	for range 2 { // expand, hand
		d.do(d.take()...)
	}
	looks = d.take()
	if len(looks) != photos {
		d.t.Fatalf("%d tasks were handed out, want %d", len(looks), photos)
	}
	return s.ID, looks
}

// pushed makes the bridge push tasks as route says.
func (d *harness) pushed(route eventarc.Route) {
	d.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var m queue.Delivery
		if err == nil {
			m, err = queue.TaskFromEvent("//pubsub.googleapis.com"+r.URL.Path, body, time.Time{})
		}
		if err == nil {
			err = d.Task(r.Context(), m)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	d.t.Cleanup(server.Close)
	route.Topic, route.Endpoint = "tasks", eventarc.Endpoint(server.URL, d.Project, "tasks")
	route.AckDeadline, route.MinBackoff, route.MaxBackoff = 30*time.Second, 10*time.Millisecond, 100*time.Millisecond
	if route.MaxDeliveries > 0 {
		route.DeadLetter = eventarc.Endpoint(server.URL, d.Project, "tasks-dead-letter")
	}
	if err := d.Events.Add(route); err != nil {
		d.t.Fatal(err)
	}
}

// quiet waits until every task is acknowledged or given up.
func (d *harness) quiet() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 5*time.Minute)
	defer cancel()
	if err := d.Events.Wait(ctx); err != nil {
		d.t.Fatal(err)
	}
}

func (d *harness) create(r batch.Request) batch.Status {
	d.t.Helper()
	s, err := d.Create(d.t.Context(), r)
	if err != nil {
		d.t.Fatalf("Create(%+v) = %v", r, err)
	}
	return s
}

func (d *harness) status(id string) batch.Status {
	d.t.Helper()
	s, err := d.Get(d.t.Context(), id)
	if err != nil {
		d.t.Fatalf("Get(%s) = %v", id, err)
	}
	return s
}

// wantState checks the state of a batch and the outcomes of its photos.
func (d *harness) wantState(id string, state jobs.State, counts map[string]int) batch.Status {
	d.t.Helper()
	s := d.status(id)
	if s.State != state || fmt.Sprint(s.Counts) != fmt.Sprint(counts) {
		d.t.Errorf("the batch is %s with %v (%s), want %s with %v", s.State, s.Counts, s.Reason, state, counts)
	}
	return s
}

// A line is one photo of a summary.
type line struct {
	File   string
	Result analyze.Result
}

// summary returns an object of the results bucket by its URI; the generation is 0 if
// there is none.
func (d *harness) summary(uri string) (lines []line, text string, generation int64) {
	d.t.Helper()
	name, ok := strings.CutPrefix(uri, "gs://results/")
	if !ok {
		d.t.Fatalf("%q does not lie in the results bucket", uri)
	}
	r, err := d.objects.Bucket("results").Object(name).NewReader(d.t.Context())
	if err == gcs.ErrObjectNotExist || err != nil && strings.Contains(err.Error(), "doesn't exist") {
		return nil, "", 0
	}
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		d.t.Fatal(err)
	}
	if strings.HasSuffix(name, ".json") {
		if err := json.Unmarshal(data, &lines); err != nil {
			d.t.Fatalf("%s: %v\n%s", uri, err, data)
		}
	}
	return lines, string(data), r.Attrs.Generation
}

// stored returns the items of a batch as stored.
func (d *harness) stored(id string) []*firestore.DocumentSnapshot {
	d.t.Helper()
	docs, err := d.db.Collection("batches").Doc(id).Collection("items").Documents(d.t.Context()).GetAll()
	if err != nil {
		d.t.Fatal(err)
	}
	return docs
}

// results returns the names in the results bucket.
func (d *harness) results() (names []string) {
	d.t.Helper()
	for all := d.objects.Bucket("results").Objects(d.t.Context(), nil); ; {
		o, err := all.Next()
		if err == iterator.Done {
			return names
		}
		if err != nil {
			d.t.Fatal(err)
		}
		names = append(names, o.Name)
	}
}
