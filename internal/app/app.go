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

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/batch"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/intake"
	"example.com/whatis/internal/load"
	"example.com/whatis/internal/recall"
	"example.com/whatis/internal/spend"
	"example.com/whatis/internal/topic"
	"example.com/whatis/internal/work"
)

// An App is whatis as one configuration makes it.
type App struct {
	Config
	memory    *load.Gate
	firestore *lazy[*firestore.Client]
	storage   *lazy[*storage.Client]
	pubsub    *lazy[*pubsub.TopicAdminClient]
	gemini    *lazy[*gemini.Client]
	pipeline  *lazy[*analyze.Pipeline]
	intake    *lazy[*intake.Intake]
	batches   *lazy[*batch.Batches]
}

// Requests that find no room wait a while, and not too many of them.
const (
	queue    = 200
	patience = 10 * time.Second
)

// New returns the app of c. It opens nothing.
func New(c Config) *App {
	a := &App{Config: c, memory: load.New(c.MemoryMB<<20*3/8, queue, patience)}
	a.firestore = newLazy(a.openFirestore)
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

// API returns the handler of the HTTP interface.
func (a *App) API() http.Handler {
	c := api.Config{Intake: a.Intake, Memory: a.memory}
	if a.TasksTopic != "" {
		c.Batches = a.Batches
	}
	return api.New(c)
}

func (a *App) openFirestore(ctx context.Context) (*firestore.Client, error) {
	return firestore.NewClientWithDatabase(context.WithoutCancel(ctx), cmp.Or(a.Project, firestore.DetectProjectID), a.Database)
}

func (a *App) openGemini(ctx context.Context) (*gemini.Client, error) {
	c := gemini.Config{Fallback: a.Fallbacks, AllowEmulated: a.Service == "", MaxUSDPerDay: a.MaxUSDPerDay}
	if a.MaxUSDPerDay > 0 {
		db, err := a.firestore.get(ctx)
		if err != nil {
			return nil, err
		}
		c.Spend = spend.NewMeter(db).Add
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
	products := catalog.New(db)
	if err := a.importOnce(ctx, products, model, stamp); err != nil {
		return nil, err
	}
	return analyze.New(analyze.Config{
		Gemini: model, Catalog: products, Stamp: stamp, Shop: a.Shop,
		Models: analyze.Models{Image: a.ImageModel, Judge: a.JudgeModel},
		Learn:  a.Learn, SearchWithSchema: a.SearchWithSchema, ReadCodes: a.ReadCodes,
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
		Pipeline: pipeline, Objects: blob.New(objects), Work: work.New(db, work.Options{Lease: a.Lease}), Recall: recall.New(db),
		Memory: a.memory, Events: events, Failures: failures, GiveUpAfter: a.GiveUpAfter, Results: a.ResultsBucket, Readable: []string{a.UploadBucket},
		Defaults: a.defaults(),
	})
}

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
	tasks, err := a.topic(ctx, a.TasksTopic)
	if err != nil {
		return nil, err
	}
	long, err := a.topic(ctx, cmp.Or(a.LongTasksTopic, a.TasksTopic))
	if err != nil {
		return nil, err
	}
	return batch.New(batch.Config{DB: db, Intake: in, Objects: in.Objects, Tasks: tasks, LongTasks: long, Results: a.ResultsBucket})
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
