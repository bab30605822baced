package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/jobs/queue"

	"cloud.google.com/go/firestore"
	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/spend"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// service is the API over emulators. Tasks of batches wait until work is called.
type service struct {
	*emulate.World
	t          *testing.T
	url        string
	api        *api.API
	memory     *admission.Limiter
	calls      *admission.Rate // of the callers; nil has no limit
	in         *intake.Intake
	batches    *batch.Batches
	reviews    *review.Service
	search     *search.Pipeline
	model      *gemini.Client
	meter      *spend.Meter
	objects    *gcs.Client
	dispatcher *queue.Dispatcher

	mu    sync.Mutex
	tasks []queue.Delivery
}

const tasksTopic = "projects/emulated/topics/tasks"

func serve(t *testing.T, change ...func(*api.Config)) *service {
	t.Helper()
	s := &service{World: emulate.Start(t), t: t, dispatcher: queue.NewDispatcher()}
	batch.Handle(s.dispatcher, func(context.Context) (*batch.Batches, error) { return s.batches, nil })
	for _, bucket := range []string{"uploads", "results"} {
		if err := s.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PubSub.CreateTopic(tasksTopic); err != nil {
		t.Fatal(err)
	}
	s.PubSub.Subscribe(tasksTopic, func(m pubsub.Message) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tasks = append(s.tasks, queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}})
	})
	s.objects = emulate.StorageClient(t, s.World)
	memory := admission.New(admission.Config{Requests: 1 << 30, Work: 100 << 20, Queue: 100, Patience: time.Minute})
	db := s.FirestoreClient(t)
	s.meter = spend.NewMeter(func(context.Context) (*firestore.Client, error) { return db, nil }, spend.Options{})
	s.open(memory, nil)
	tasks := a2a.NewStore(func(context.Context) (*firestore.Client, error) { return db, nil }, jobs.Options{Retain: time.Hour})
	c := api.Config{
		Tasks:   tasks,
		Intake:  func(context.Context) (*intake.Intake, error) { return s.in, nil },
		Batches: func(context.Context) (*batch.Batches, error) { return s.batches, nil },
		Search:  func(context.Context) (*search.Pipeline, error) { return s.search, nil },
		Pictures: api.Pictures{
			Objects: func(context.Context) (*blob.Store, error) { return blob.New(s.objects), nil }, Buckets: []string{"pictures"},
		},
		Skills: []agent.Skill{
			intake.Skill(func(context.Context) (*intake.Intake, error) { return s.in, nil }),
			batch.Skill(func(context.Context) (*batch.Batches, error) { return s.batches, nil }),
		},
		Reviews: func(context.Context) (*review.Service, error) { return s.reviews, nil },
		Forget: func(ctx context.Context, id string, photo bool) (intake.Forgotten, error) {
			return app.Forget(ctx, s.in, s.reviews, s.batches, tasks, id, photo)
		},
		Imports: api.Imports{Compare: func(ctx context.Context, file api.ImportFile, fault func(catalog.Fault), tell func(catalog.Difference)) error {
			_, err := catalog.Import{Catalog: s.reviews.Catalog, Shop: s.reviews.Shop, Format: file.Format, From: file.Name, Fault: fault, Differ: tell}.Run(ctx, file)
			return err
		}, Prune: func(ctx context.Context, file api.ImportFile, fault func(catalog.Fault), p catalog.Prune) (catalog.Pruned, error) {
			p.Import = catalog.Import{Catalog: s.reviews.Catalog, Shop: s.reviews.Shop, Format: file.Format, From: file.Name, Fault: fault}
			return p.Leftovers(ctx, file)
		}, Reembed: func(context.Context, api.Reembedding) (string, error) {
			return strings.Repeat("a", 32), nil
		}, Index: func(context.Context, string) error {
			return nil
		}, State: func(_ context.Context, id string) (api.ImportState, error) {
			if id != strings.Repeat("a", 32) {
				return api.ImportState{}, jobs.ErrNotFound
			}
			return api.ImportState{ID: id, State: jobs.Done, URI: "gs://results/catalog/a.csv", Imports: catalog.Imports{New: 2}}, nil
		}},
		Spend: s.meter.Today, Pause: s.meter.Pause,
		Memory: memory,
		Times:  web.Times{Linger: 50 * time.Millisecond, Poll: 5 * time.Millisecond},
	}
	for _, f := range change {
		f(&c)
	}
	s.api = api.New(c)
	s.url = listen(t, s.api)
	return s
}

// open creates the services of the API.
func (s *service) open(memory *admission.Limiter, calls *admission.Rate) {
	s.t.Helper()
	s.memory, s.calls = memory, calls
	model, err := gemini.Open(s.t.Context(), gemini.Config{BaseURL: s.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond, AskAgain: 1, Calls: calls, Record: s.meter.Record})
	if err != nil {
		s.t.Fatal(err)
	}
	s.model = model
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		s.t.Fatal(err)
	}
	db, objects := s.FirestoreClient(s.t), blob.New(s.objects)
	pipeline, err := analyze.New(analyze.Config{
		Gemini: model, Catalog: catalog.New(db), Reviews: review.NewPhotos(db), Space: space, Shop: "test",
		Models: analyze.Models{Image: "emulated-image", Judge: "emulated-judge"}, Learn: true,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.search, err = search.New(search.Config{Gemini: model, Catalog: catalog.New(db), Indexes: &index.Shops{Catalog: catalog.New(db), Space: space.ID(), Freshness: time.Nanosecond}, Space: space, Shop: "test", Model: "emulated-image", ReadCodes: barcode.WhenSeen, Memory: memory})
	if err != nil {
		s.t.Fatal(err)
	}
	s.in, err = intake.New(intake.Config{
		Pipeline: pipeline, Objects: objects, Work: jobs.NewStore(db, jobs.Options{}), Memory: memory, DB: db,
		Results: "results", Readable: []string{"uploads"}, MayRead: func(ctx context.Context) error { return caller.Need(ctx, caller.Reader) }, Asker: func(ctx context.Context) (string, bool) { return caller.From(ctx).Asker() },
		Defaults: intake.Options{Country: "KR", Lang: "ko"}, Limits: photo.Limits{MaxPixels: 10_000}, KeepThumbnails: true,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.batches, err = batch.New(batch.Config{DB: db, Intake: s.in, Objects: objects, Tasks: &queue.Publisher{Tasks: queue.NewTopic(s.PubSubClient(s.t).TopicAdminClient, tasksTopic)}, Results: "results"})
	if err != nil {
		s.t.Fatal(err)
	}
	if s.reviews, err = app.NewReviews(db, s.in, s.batches, model, space, "test"); err != nil {
		s.t.Fatal(err)
	}
}

// upload puts an object into the bucket of uploads.
func (s *service) upload(name string, data []byte) {
	s.t.Helper()
	s.Put(s.t, "uploads", name, data)
}

// work runs tasks until none is left.
func (s *service) work() {
	s.t.Helper()
	for {
		s.mu.Lock()
		tasks := s.tasks
		s.tasks = nil
		s.mu.Unlock()
		if len(tasks) == 0 {
			return
		}
		for _, m := range tasks {
			if err := s.dispatcher.Dispatch(s.t.Context(), m); err != nil {
				s.t.Fatalf("Task(%s) = %v", m.Data, err)
			}
		}
	}
}

// ask sends a request. Headers alternate name and value.
func (s *service) ask(method, path, body string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	resp, err := http.DefaultClient.Do(s.request(method, path, body, headers...))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp, string(data)
}

func (s *service) request(method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

// read decodes body as JSON.
func read[T any](t *testing.T, body string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	return v
}

func picture(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, 30)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// form returns a multipart body and its content type. Fields called "file" become a file
// a.jpg, those called "thumbnail" a file of that field, those with a dot in the name a file of that name.
func form(t *testing.T, fields ...[2]string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		create := w.CreateFormField
		switch {
		case f[0] == "file":
			create = func(field string) (io.Writer, error) { return w.CreateFormFile(field, "a.jpg") }
		case f[0] == "thumbnail":
			create = func(field string) (io.Writer, error) { return w.CreateFormFile(field, "blob") }
		case strings.Contains(f[0], "."):
			create = func(name string) (io.Writer, error) { return w.CreateFormFile("file", name) }
		}
		part, err := create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, f[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}
