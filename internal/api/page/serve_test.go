package page_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo/barcode"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(atOnce)); err != nil {
		panic(err)
	}
	var err error
	if files, err = os.MkdirTemp("", "whatis-files-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(files)
	emulate.Run(m)
	if looked.Load() {
		chromium().close()
	}
}

// whatis is the service over emulators, wired as in package app.
type whatis struct {
	*emulate.World
	url     string
	memory  *admission.Limiter
	intake  *intake.Intake
	batches *batch.Batches
	line    line
	tasks   sync.RWMutex // see hold
}

// serve starts whatis, with or without batches, and with the additions in more.
func serve(t *testing.T, batches bool, more ...func(*whatis, *testing.T, *api.Config)) *whatis {
	t.Helper()
	w := &whatis{World: emulate.Start(t)}
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	w.memory = admission.New(admission.Config{Requests: photoMemory, Work: 100 << 20, Queue: 100, Patience: 100 * time.Millisecond})
	db := w.FirestoreClient(t)
	var err error
	w.intake, err = intake.New(intake.Config{
		Pipeline: w.pipeline(t, catalog.New(db)), Objects: blob.New(emulate.StorageClient(t, w.World)), Work: jobs.NewStore(db, jobs.Options{}),
		Memory: w.memory, DB: db, Results: "results", Readable: []string{"uploads"}, KeepThumbnails: true, Defaults: intake.Options{Country: "US", Lang: "en"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := api.Config{Intake: func(context.Context) (*intake.Intake, error) { return w.intake, nil }, Memory: w.memory}
	w.searchIn(t, &c)
	if batches {
		w.runTasks(t, batch.Config{DB: db, Intake: w.intake, Objects: w.intake.Objects, Results: "results"})
		c.Batches = func(context.Context) (*batch.Batches, error) { return w.batches, nil }
	}
	w.reviewIn(t, &c, db)
	for _, add := range more {
		add(w, t, &c)
	}
	w.url = w.line.serve(t, api.New(c))
	return w
}

// photoMemory is how many bytes photos may use.
const photoMemory = 1 << 30

// model returns a client of the emulated models, and its vector space.
func (w *whatis) model(t *testing.T) (*gemini.Client, catalog.VectorSpace) {
	t.Helper()
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	return model, space
}

func (w *whatis) pipeline(t *testing.T, products *catalog.Catalog) *analyze.Pipeline {
	t.Helper()
	model, space := w.model(t)
	p, err := analyze.New(analyze.Config{
		Gemini: model, Catalog: products, Reviews: review.NewPhotos(w.FirestoreClient(t)), Space: space, Shop: "test", Learn: true, ReadCodes: barcode.Always,
		Models: analyze.Models{Image: "emulated-image", Judge: "emulated-judge"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runTasks creates the batches of c and runs their tasks.
func (w *whatis) runTasks(t *testing.T, c batch.Config) {
	t.Helper()
	dispatcher := queue.NewDispatcher()
	batch.Handle(dispatcher, func(context.Context) (*batch.Batches, error) { return w.batches, nil })
	w.deliver(t, "tasks", dispatcher)
	c.Tasks = &queue.Publisher{Tasks: queue.NewTopic(w.PubSubClient(t).TopicAdminClient, "projects/emulated/topics/tasks")}
	var err error
	if w.batches, err = batch.New(c); err != nil {
		t.Fatal(err)
	}
}

// deliver delivers the tasks of a topic to dispatcher through a push subscription.
func (w *whatis) deliver(t *testing.T, topic string, dispatcher *queue.Dispatcher) {
	t.Helper()
	tasks := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.tasks.RLock()
		defer w.tasks.RUnlock()
		body, err := io.ReadAll(r.Body)
		var m queue.Delivery
		if err == nil {
			m, err = queue.TaskFromEvent("//pubsub.googleapis.com"+r.URL.Path, body, time.Time{})
		}
		if err == nil {
			err = dispatcher.Dispatch(r.Context(), m)
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(tasks.Close)
	route := eventarc.Route{Topic: topic, Endpoint: eventarc.Endpoint(tasks.URL, w.Project, topic), MinBackoff: 50 * time.Millisecond, Concurrency: 2}
	if err := w.Events.Add(route); err != nil {
		t.Fatal(err)
	}
}

// hold makes tasks wait until release is called or the test ends.
func (w *whatis) hold(t *testing.T) (release func()) {
	w.tasks.Lock()
	release = sync.OnceFunc(w.tasks.Unlock)
	t.Cleanup(release)
	return release
}

// hears waits until the page of b has made a request n times.
func (w *whatis) hears(b *tab, request string, n int) {
	b.Helper()
	b.awaits(fmt.Sprintf("%s has come %d times", request, n), func() bool {
		got, _ := w.line.heard(request)
		return got >= n
	})
}

// upload stores data in the upload bucket.
func (w *whatis) upload(t *testing.T, name string, data []byte) {
	t.Helper()
	w.Put(t, "uploads", name, data)
}

// analyse analyses an upload as an event would, so that its photo is stored.
func (w *whatis) analyse(t *testing.T, name, country, lang string) analyze.Result {
	t.Helper()
	r, err := w.intake.Photo(t.Context(), intake.Photo{URI: "gs://uploads/" + name, Options: intake.Options{Country: country, Lang: lang}}, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// sample returns the sample whose file name begins with prefix.
func sample(t *testing.T, prefix string) *samples.Sample {
	t.Helper()
	for _, s := range samples.All() {
		if len(s.File) > len(prefix) && s.File[:len(prefix)] == prefix {
			return s
		}
	}
	t.Fatalf("no sample begins with %s", prefix)
	return nil
}

// files is the folder of what the browser can choose. It outlives the tabs, whose pages show
// their photos until they are left.
var files string

// file writes data to a file that the browser can choose.
func file(t *testing.T, name string, data []byte) string {
	t.Helper()
	folder, err := os.MkdirTemp(files, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
