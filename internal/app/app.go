// Package app wires whatis together.
//
//	environment → Config → clients, opened at their first use → agents → intake → API
//
// It is the only place that does, for the functions and the command line alike.
package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	adk "google.golang.org/adk/v2/agent"

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
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/spend"

	"example.com/whatis/internal/jobs"
)

// An App is whatis as one configuration makes it.
type App struct {
	Config
	// Samples are photos that the page offers, by the names of their files; none in
	// production. They are set before API is called.
	Samples map[string]func() []byte

	memory    *admission.Limiter
	spending  *spend.Meter
	firestore *lazy[*firestore.Client]
	storage   *lazy[*storage.Client]
	pubsub    *lazy[*pubsub.TopicAdminClient]
	gemini    *lazy[*gemini.Client]
	pipeline  *lazy[*analyze.Pipeline]
	intake    *lazy[*intake.Intake]
	batches   *lazy[*batch.Batches]
	search    *lazy[*search.Pipeline]
	forecast  *lazy[*forecast.Pipeline]
	discover  *lazy[*discover.Pipeline]
	reviews   *lazy[*review.Service]
	skills    func() []agent.Skill // made once, where something offers them
	tasks     func() *queue.Dispatcher
	agents    []func(*App) entry
	entries   func() []entry // of the agents, made once
}

// Requests that find no room wait a while, and not too many of them.
const (
	waiting  = 200
	patience = 10 * time.Second
)

// New returns the app of c. It opens nothing.
func New(c Config) *App {
	a := &App{Config: c, agents: slices.Clone(allAgents), memory: admission.New(admission.Config{
		Requests: c.Platform.MemoryMB << 20 * 3 / 8, Work: c.Platform.MemoryMB << 20 / 4, Queue: waiting, Patience: patience,
	})}
	a.firestore = newLazy(a.openFirestore)
	a.spending = spend.NewMeter(a.firestore.Get, spend.Options{Retain: days(c.Platform.RecordDays)})
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
	a.search = newLazy(a.openSearch)
	a.forecast = newLazy(a.openForecast)
	a.discover = newLazy(a.openDiscover)
	a.reviews = newLazy(a.openReviews)
	a.entries = sync.OnceValue(a.openAgents)
	a.skills = sync.OnceValue(a.allSkills)
	a.tasks = sync.OnceValue(a.dispatcher)
	return a
}

// An entry is an agent as the app lists it. One that is left out has none of both.
type entry struct {
	skills []agent.Skill
	agent  func(context.Context) (adk.Agent, error) // for programs that speak to agents by messages; nil has none
}

// only is the entry of an agent that has these skills, and is not spoken to by messages.
func only(skills ...agent.Skill) entry { return entry{skills: skills} }

// allAgents lists the agents, one line each.
var allAgents = []func(*App) entry{
	(*App).analyzeEntry,
	(*App).searchEntry,
	(*App).forecastEntry,
	(*App).discoverEntry,
}

// allSkills are what the agents can do.
func (a *App) allSkills() (all []agent.Skill) {
	for _, e := range a.entries() {
		all = append(all, e.skills...)
	}
	return all
}

// openAgents makes the entry of every agent.
func (a *App) openAgents() (all []entry) {
	for _, open := range a.agents {
		all = append(all, open(a))
	}
	return all
}

// Agents returns every agent there is, for programs that speak to agents by
// messages, as ADK's own page does. They pay for each message anew: exactly once is
// for what comes by Upload, Task and API.
func (a *App) Agents(ctx context.Context) (all []adk.Agent, err error) {
	for _, e := range a.entries() {
		if e.agent == nil {
			continue
		}
		one, err := e.agent(ctx)
		if err != nil {
			return nil, fmt.Errorf("app: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// dispatcher knows the tasks of all agents.
func (a *App) dispatcher() *queue.Dispatcher {
	d := queue.NewDispatcher()
	batch.Handle(d, a.Batches)
	discover.Handle(d, a.discover.Get)
	a.handleImports(d)
	return d
}

// Skills are what the agents can do, for every interface that offers them.
func (a *App) Skills() []agent.Skill { return a.skills() }

// Task does what a message of the tasks' topics asks for. An error asks for it to be
// delivered again.
func (a *App) Task(ctx context.Context, m queue.Delivery) error { return a.tasks().Dispatch(ctx, m) }

// API returns the handler of the HTTP interface.
func (a *App) API() http.Handler {
	c := api.Config{
		Intake: a.Intake, Pictures: api.Pictures{Objects: a.objects, Buckets: a.Catalog.PictureBuckets},
		Skills: a.skills(), Tasks: a.agentTasks, Sessions: a.Sessions, Memory: a.memory,
		Reviews: a.Reviews, Forget: a.Forget, Samples: a.Samples,
	}
	if a.searches() {
		c.Search = a.SearchPipeline
	}
	if a.Platform.TasksTopic != "" {
		c.Batches = a.Batches
	}
	if a.forecasts() {
		c.Forecast, c.Talk = a.forecast.Get, a.talk
	}
	if a.discovers() {
		c.Discover = a.discover.Get
	}
	handler := api.New(c)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.Begin()()
		handler.ServeHTTP(w, r)
	})
}

// objects are all that lie in buckets.
func (a *App) objects(ctx context.Context) (*blob.Store, error) {
	client, err := a.storage.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return blob.New(client), nil
}

// Begin notes that a request or an event is under way. The returned function ends
// it, and waits until what its model calls cost is saved, where nobody else is
// under way to do so. API does so by itself.
func (a *App) Begin() (end func()) { return a.spending.Begin() }

func (a *App) openFirestore(ctx context.Context) (*firestore.Client, error) {
	return firestore.NewClientWithDatabase(context.WithoutCancel(ctx), cmp.Or(a.Platform.Project, firestore.DetectProjectID), a.Platform.Database)
}

func (a *App) openGemini(ctx context.Context) (*gemini.Client, error) {
	c := gemini.Config{Fallback: a.Models.Fallbacks, AllowEmulated: a.Platform.Service == "", EmbeddingLocation: a.Catalog.EmbeddingLocation, MaxUSDPerDay: a.Models.MaxUSDPerDay}
	if a.Models.MaxUSDPerDay > 0 {
		c.Spend = a.spending.Add
	}
	return gemini.Open(context.WithoutCancel(ctx), c)
}

// workOptions are how long records and cached results are kept.
func (p Platform) workOptions() jobs.Options {
	o := jobs.Options{Retain: days(p.RecordDays), Cache: days(p.ResultCacheDays)}
	if o.Cache == 0 {
		o.Cache = -1
	}
	return o
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// publisher hands tasks on.
func (a *App) publisher(ctx context.Context) (*queue.Publisher, error) {
	tasks, err := a.topic(ctx, a.Platform.TasksTopic)
	if err != nil {
		return nil, err
	}
	long, err := a.topic(ctx, a.Platform.LongTasksTopic)
	return &queue.Publisher{Tasks: tasks, Long: long}, err
}

// topic is the topic of that name, an ID or projects/P/topics/ID; nil for none.
func (a *App) topic(ctx context.Context, name string) (*queue.Topic, error) {
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
	client, err := a.pubsub.Get(ctx)
	if err != nil {
		return nil, err
	}
	return queue.NewTopic(client, name), nil
}

// project is the configured project, or that of the machine.
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
