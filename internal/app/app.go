// Package app wires whatis together.
//
//	environment → Config → clients, opened at their first use → rooms → intake → API
//
// It is the only place that does, for the functions and the command line alike.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/compute/metadata"
	"cloud.google.com/go/firestore"
	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	"cloud.google.com/go/storage"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/spend"
	"example.com/whatis/internal/task"
	"example.com/whatis/internal/topic"
	"example.com/whatis/internal/work"
)

// An App is whatis as one configuration makes it.
type App struct {
	Config
	memory    *admission.Limiter
	spending  *spend.Meter
	firestore *lazy[*firestore.Client]
	storage   *lazy[*storage.Client]
	pubsub    *lazy[*pubsub.TopicAdminClient]
	gemini    *lazy[*gemini.Client]
	pipeline  *lazy[*analyze.Pipeline]
	intake    *lazy[*intake.Intake]
	batches   *lazy[*batch.Batches]
	tasks     *task.Dispatcher
}

// Requests that find no room wait a while, and not too many of them.
const (
	queue    = 200
	patience = 10 * time.Second
)

// New returns the app of c. It opens nothing.
func New(c Config) *App {
	a := &App{Config: c, memory: admission.New(admission.Config{
		Requests: c.MemoryMB << 20 * 3 / 8, Work: c.MemoryMB << 20 / 4, Queue: queue, Patience: patience,
	})}
	a.firestore = newLazy(a.openFirestore)
	a.spending = spend.NewMeter(a.firestore.get, spend.Options{Retain: days(c.RecordDays)})
	a.storage = newLazy(func(ctx context.Context) (*storage.Client, error) {
		return storage.NewClient(context.WithoutCancel(ctx))
	})
	a.pubsub = newLazy(func(ctx context.Context) (*pubsub.TopicAdminClient, error) {
		return pubsub.NewTopicAdminClient(context.WithoutCancel(ctx))
	})
	a.gemini = newLazy(a.openGemini)
	a.pipeline = newLazy(a.openPipeline)
	a.intake = newLazy(a.openIntake)
	a.batches = newLazy(a.openBatches)
	a.tasks = task.NewDispatcher()
	batch.Handle(a.tasks, a.Batches)
	a.handleImports(a.tasks)
	return a
}

// Intake returns what takes photos in.
func (a *App) Intake(ctx context.Context) (*intake.Intake, error) {
	in, err := a.intake.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return in, nil
}

// Batches returns what works on many photos.
func (a *App) Batches(ctx context.Context) (*batch.Batches, error) {
	b, err := a.batches.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return b, nil
}

// Task does what a message of the tasks' topics asks for. An error asks for it to be
// delivered again.
func (a *App) Task(ctx context.Context, m task.Message) error { return a.tasks.Dispatch(ctx, m) }

// API returns the handler of the HTTP interface.
func (a *App) API() http.Handler {
	c := api.Config{Intake: a.Intake, Memory: a.memory}
	if a.TasksTopic != "" {
		c.Batches = a.Batches
	}
	handler := api.New(c)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.Begin()()
		handler.ServeHTTP(w, r)
	})
}

// Begin notes that a request or an event is under way. The returned function ends
// it, and waits until what its model calls cost is saved, where nobody else is
// under way to do so. API does so by itself.
func (a *App) Begin() (end func()) { return a.spending.Begin() }

func (a *App) openFirestore(ctx context.Context) (*firestore.Client, error) {
	return firestore.NewClientWithDatabase(context.WithoutCancel(ctx), cmp.Or(a.Project, firestore.DetectProjectID), a.Database)
}

func (a *App) openGemini(ctx context.Context) (*gemini.Client, error) {
	c := gemini.Config{Fallback: a.Fallbacks, AllowEmulated: a.Service == "", MaxUSDPerDay: a.MaxUSDPerDay}
	if a.MaxUSDPerDay > 0 {
		c.Spend = a.spending.Add
	}
	return gemini.Open(context.WithoutCancel(ctx), c)
}

func (a *App) openPipeline(ctx context.Context) (*analyze.Pipeline, error) {
	model, err := a.gemini.get(ctx)
	if err != nil {
		return nil, err
	}
	db, err := a.firestore.get(ctx)
	if err != nil {
		return nil, err
	}
	stamp, err := catalog.StampOf(a.EmbeddingModel)
	if err != nil {
		return nil, err
	}
	readCodes, err := analyze.ParseReadCodes(a.ReadCodes)
	if err != nil {
		return nil, err
	}
	return analyze.New(analyze.Config{
		Gemini: model, Catalog: catalog.New(db), Stamp: stamp, Shop: a.Shop,
		Models: a.models(),
		Learn:  a.Learn, SearchWithSchema: a.SearchWithSchema, ReadCodes: readCodes, Memory: a.memory,
	})
}

func (a *App) openIntake(ctx context.Context) (*intake.Intake, error) {
	if a.UploadBucket == "" || a.ResultsBucket == "" {
		return nil, fmt.Errorf("UPLOAD_BUCKET and RESULTS_BUCKET must be set (now %q and %q)", a.UploadBucket, a.ResultsBucket)
	}
	pipeline, err := a.pipeline.get(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := a.storage.get(ctx)
	if err != nil {
		return nil, err
	}
	db, err := a.firestore.get(ctx)
	if err != nil {
		return nil, err
	}
	events, err := a.topic(ctx, a.ResultsTopic)
	if err != nil {
		return nil, err
	}
	failures, err := a.topic(ctx, a.FailuresTopic)
	if err != nil {
		return nil, err
	}
	return intake.New(intake.Config{
		Pipeline: pipeline, Objects: blob.New(objects), Work: work.New(db, a.workOptions()),
		Memory: a.memory, Events: events, Failures: failures, GiveUpAfter: a.GiveUpAfter, Results: a.ResultsBucket, Readable: []string{a.UploadBucket},
		Defaults: a.defaults(),
	})
}

// workOptions are how long records and cached results are kept.
func (a *App) workOptions() work.Options {
	o := work.Options{Retain: days(a.RecordDays), Cache: days(a.ResultCacheDays)}
	if o.Cache == 0 {
		o.Cache = -1
	}
	return o
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

func (a *App) openBatches(ctx context.Context) (*batch.Batches, error) {
	if a.TasksTopic == "" {
		return nil, errors.New("TASKS_TOPIC must be set: batches are made of its tasks")
	}
	in, err := a.intake.get(ctx)
	if err != nil {
		return nil, err
	}
	db, err := a.firestore.get(ctx)
	if err != nil {
		return nil, err
	}
	tasks, err := a.publisher(ctx)
	if err != nil {
		return nil, err
	}
	return batch.New(batch.Config{DB: db, Intake: in, Objects: in.Objects, Tasks: tasks, Results: a.ResultsBucket, Retain: days(a.RecordDays)})
}

// publisher hands tasks on.
func (a *App) publisher(ctx context.Context) (*task.Publisher, error) {
	tasks, err := a.topic(ctx, a.TasksTopic)
	if err != nil {
		return nil, err
	}
	long, err := a.topic(ctx, a.LongTasksTopic)
	return &task.Publisher{Tasks: tasks, Long: long}, err
}

// topic is the topic of that name, an ID or projects/P/topics/ID; nil for none.
func (a *App) topic(ctx context.Context, name string) (*topic.Topic, error) {
	if name == "" {
		return nil, nil
	}
	if !strings.HasPrefix(name, "projects/") {
		project, err := a.project(ctx)
		if err != nil {
			return nil, err
		}
		name = "projects/" + project + "/topics/" + name
	}
	client, err := a.pubsub.get(ctx)
	if err != nil {
		return nil, err
	}
	return topic.New(client, name), nil
}

// project is the configured project, or that of the machine.
func (a *App) project(ctx context.Context) (string, error) {
	if a.Project != "" {
		return a.Project, nil
	}
	project, err := metadata.ProjectIDWithContext(ctx)
	if err != nil {
		return "", fmt.Errorf("GOOGLE_CLOUD_PROJECT is not set, and this machine has no project: %w", err)
	}
	return project, nil
}
