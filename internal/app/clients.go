package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/compute/metadata"
	"cloud.google.com/go/firestore"
	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/api/asked"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/session"
)

// clients are the clients of other services, which all agents share.
type clients struct {
	gemini    *gemini.Client
	firestore *firestore.Client
	objects   *blob.Store
	tasks     *queue.Publisher // its topics are nil where none is configured
	results   *queue.Topic     // nil where none is configured
	failures  *queue.Topic     // nil where none is configured

	products *catalog.Catalog
	space    catalog.VectorSpace // of the configured embedding model
	sessions *session.Service
	runs     *jobs.Store // the leases of discoveries and forecasts
}

// opened returns a lazy value that open makes from the clients at its first use. Its calls of
// models are recorded under that name.
func opened[T any](a *App, name string, open func(context.Context, clients) (T, error)) *lazy[T] {
	return newLazy(func(ctx context.Context) (agent T, err error) {
		c, err := a.clients.Get(ctx)
		if err == nil {
			c.gemini = c.gemini.For(name)
			agent, err = open(ctx, c)
		}
		if err != nil {
			return agent, fmt.Errorf("app: %w", err)
		}
		return agent, nil
	})
}

// openClients opens the clients side by side: on Google Cloud each looks for its credentials.
func (a *App) openClients(ctx context.Context) (c clients, err error) {
	var others clients
	group, opening := errgroup.WithContext(ctx)
	group.Go(func() (err error) { c, err = a.catalogClients(opening); return err })
	group.Go(func() (err error) { others.objects, err = a.objects.Get(opening); return err })
	group.Go(func() error { return a.openTopics(opening, &others) })
	if err := group.Wait(); err != nil {
		return clients{}, err
	}
	c.objects, c.tasks, c.results, c.failures = others.objects, others.tasks, others.results, others.failures
	c.sessions = a.newSessions(c.firestore)
	o := a.Platform.workOptions()
	o.Collection = jobs.Runs
	c.runs = jobs.NewStore(c.firestore, o)
	return c, nil
}

// catalogClients returns the clients that an import needs: the command line has no
// topics, and needs credentials for buckets only if a file names one.
func (a *App) catalogClients(ctx context.Context) (c clients, err error) {
	group, opening := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if c.gemini, err = a.gemini.Get(opening); err == nil {
			c.gemini = c.gemini.For("import")
		}
		return err
	})
	group.Go(func() (err error) { c.firestore, err = a.firestore.Get(opening); return err })
	if err := group.Wait(); err != nil {
		return clients{}, err
	}
	c.products = catalog.New(c.firestore)
	c.space, err = catalog.VectorSpaceOf(a.Catalog.EmbeddingModel)
	return c, err
}

func (a *App) openFirestore(ctx context.Context) (*firestore.Client, error) {
	options, err := outage.ClientOptions(outage.Database, os.Getenv("FIRESTORE_EMULATOR_HOST"))
	if err != nil {
		return nil, err
	}
	return firestore.NewClientWithDatabase(context.WithoutCancel(ctx), cmp.Or(a.Platform.Project, firestore.DetectProjectID), a.Platform.Database, options...)
}

func (a *App) openGemini(ctx context.Context) (*gemini.Client, error) {
	c := gemini.Config{Fallback: a.Models.Fallbacks, AllowEmulated: a.Platform.Service == "", EmbeddingLocation: a.Catalog.EmbeddingLocation, SpeechLocation: a.Config.Forecast.SpeechLocation, MaxUSDPerDay: a.Models.MaxUSDPerDay, Calls: admission.NewRate(a.Models.CallsPerMinute), TriesPerMinute: a.Models.TriesPerMinute, CallTimeout: a.Models.Timeout, Record: a.spending.Record}
	if a.Models.MaxUSDPerDay > 0 {
		c.Spend = a.spending.Add
	}
	return gemini.Open(context.WithoutCancel(ctx), c)
}

// openTopics sets the topics that are configured.
func (a *App) openTopics(ctx context.Context, c *clients) error {
	p := a.Platform
	c.tasks = new(queue.Publisher)
	if p.TasksTopic+p.LongTasksTopic+p.ResultsTopic+p.FailuresTopic == "" {
		return nil
	}
	options, err := outage.ClientOptions(outage.Queue, os.Getenv("PUBSUB_EMULATOR_HOST"))
	if err != nil {
		return err
	}
	client, err := pubsub.NewTopicAdminClient(context.WithoutCancel(ctx), options...)
	if err != nil {
		return err
	}
	return errors.Join(
		a.setTopic(ctx, &c.tasks.Tasks, client, p.TasksTopic), a.setTopic(ctx, &c.tasks.Long, client, p.LongTasksTopic),
		a.setTopic(ctx, &c.results, client, p.ResultsTopic), a.setTopic(ctx, &c.failures, client, p.FailuresTopic),
	)
}

// setTopic sets topic by name, an ID or projects/P/topics/ID; "" leaves it nil.
func (a *App) setTopic(ctx context.Context, topic **queue.Topic, client *pubsub.TopicAdminClient, name string) error {
	if name == "" {
		return nil
	}
	if !strings.HasPrefix(name, "projects/") {
		project, err := a.project(ctx)
		if err != nil {
			return err
		}
		name = "projects/" + project + "/topics/" + name
	}
	*topic = queue.NewTopic(client, name)
	return nil
}

// project returns the configured project, or the metadata server's.
func (a *App) project(ctx context.Context) (string, error) {
	if a.Platform.Project != "" {
		return a.Platform.Project, nil
	}
	project, err := metadata.ProjectIDWithContext(ctx)
	if err != nil {
		return "", fmt.Errorf("GOOGLE_CLOUD_PROJECT is not set, and this machine has no project: %w", err)
	}
	return project, nil
}

// Sessions returns the store of the conversations with all agents.
func (a *App) Sessions(ctx context.Context) (*session.Service, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return a.newSessions(db), nil
}

func (a *App) newSessions(db *firestore.Client) *session.Service {
	return session.New(db, session.Options{Retain: days(a.Platform.SessionDays)})
}

// agentTasks returns the store of tasks from other agents.
func (a *App) agentTasks() *a2a.Store {
	return a2a.NewStore(a.firestore.Get, a.Platform.workOptions())
}

// asked returns the notes of who asked for what.
func (a *App) asked(ctx context.Context) (*asked.Store, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return asked.New(db, days(a.Platform.RecordDays)), nil
}

// workOptions returns how long work is leased, and its records and cached results are kept.
func (p Platform) workOptions() jobs.Options {
	o := jobs.Options{Lease: p.Lease, Retain: days(p.RecordDays), Cache: days(p.ResultCacheDays)}
	if o.Cache == 0 {
		o.Cache = -1
	}
	return o
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
