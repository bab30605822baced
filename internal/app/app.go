// Package app wires whatis together.
//
//	environment → Config → clients, opened at their first use → agents → intake → API
//
// Both the functions and the command line use it.
package app

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	adk "google.golang.org/adk/v2/agent"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/spend"
)

// An App is whatis with one configuration.
type App struct {
	Config
	// Samples are photos that the page offers, by file name; none in production. They
	// are set before API is called.
	Samples map[string]func() []byte

	memory   *admission.Limiter
	spending *spend.Meter

	firestore *lazy[*firestore.Client]
	objects   *lazy[*blob.Store]
	gemini    *lazy[*gemini.Client]
	clients   *lazy[clients]

	analyze  *lazy[analyzer]
	search   *lazy[*search.Pipeline]
	shops    *lazy[*index.Shops]
	forecast *lazy[forecaster]
	discover *lazy[*discover.Pipeline]
	router   *lazy[*a2a.Router]
	imports  *lazy[*imports]

	pictureWeb func() (*fetch.Fetcher, error) // from which imports fetch pictures, one of a host at a time

	skills  func() []agent.Skill // made once, at the first use
	tasks   func() *queue.Dispatcher
	agents  []func(*App) entry
	entries func() []entry // of the agents, made once
}

// Bounds of the requests that wait for free memory: how many, and how long.
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
	a.objects = newLazy(blob.Open)
	a.gemini = newLazy(a.openGemini)
	a.clients = newLazy(a.openClients)
	a.analyze = opened(a, "analyze", a.openAnalyze)
	a.search = opened(a, "search", a.openSearch)
	a.forecast = opened(a, "forecast", a.openForecast)
	a.discover = opened(a, "discover", a.openDiscover)
	a.imports = opened(a, "import", a.openImports)
	a.shops = newLazy(a.openShops)
	a.router = newLazy(a.openRouter)
	a.pictureWeb = sync.OnceValues(func() (*fetch.Fetcher, error) {
		return fetch.New(c.Discover.fetcher(c.Platform, fetch.Config{Timeout: 15 * time.Second, Delay: 250 * time.Millisecond}))
	})
	a.entries = sync.OnceValue(a.openAgents)
	a.skills = sync.OnceValue(a.allSkills)
	a.tasks = sync.OnceValue(a.dispatcher)
	return a
}

// An entry is an agent as the app lists it. The entry of a disabled agent is empty.
type entry struct {
	skills []agent.Skill
	agent  func(context.Context) (adk.Agent, error) // for programs that run ADK agents by messages; nil if there is none
}

// only returns the entry of an agent with these skills, which is not run by messages.
func only(skills ...agent.Skill) entry { return entry{skills: skills} }

// allAgents lists the agents, one line each.
var allAgents = []func(*App) entry{
	(*App).analyzeEntry,
	(*App).searchEntry,
	(*App).forecastEntry,
	(*App).discoverEntry,
}

// allSkills returns the skills of all agents.
func (a *App) allSkills() (all []agent.Skill) {
	for _, e := range a.entries() {
		all = append(all, e.skills...)
	}
	return all
}

// openAgents returns the entries of all agents.
func (a *App) openAgents() (all []entry) {
	for _, open := range a.agents {
		all = append(all, open(a))
	}
	return all
}

// Agents returns all agents, for programs that run them by messages, as ADK's own page
// does. Each message is paid for anew: only Upload, Task and API do work exactly once.
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

// dispatcher returns a dispatcher of the tasks of all agents.
func (a *App) dispatcher() *queue.Dispatcher {
	d := queue.NewDispatcher()
	batch.Handle(d, a.Batches)
	discover.Handle(d, a.discover.Get)
	handleImports(d, a.imports.Get)
	handleIndexes(d, a.WriteIndex)
	interfaces := sync.OnceValue(a.newAPI)
	d.Handle(a2a.TaskAgent, a2a.TaskKind, func(ctx context.Context, p queue.Payload, m queue.Meta) error {
		return interfaces().DeliverA2A(ctx, p, m)
	})
	return d
}

// Skills returns the skills of all agents, for every interface that offers them.
func (a *App) Skills() []agent.Skill { return a.skills() }

// Tasks returns the dispatcher of the tasks of all agents.
func (a *App) Tasks() *queue.Dispatcher { return a.tasks() }

// API returns the handler of the HTTP interface. With settings of callers that ReadConfig
// would refuse it panics: it must not take everybody for anybody.
func (a *App) API() http.Handler {
	handler := a.newAPI()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.Begin()()
		ctx := gemini.WithPatience(r.Context(), max(a.Models.Patience, a.Models.Timeout))
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			ctx = admission.WithForeign(ctx)
		}
		handler.ServeHTTP(w, r.WithContext(ctx))
	})
}

// newAPI returns the HTTP interface.
func (a *App) newAPI() *api.API {
	callers, err := a.Callers.verifier(a.Platform)
	if err != nil {
		panic(err)
	}
	c := api.Config{
		Commit: Commit(), Spend: a.spent, Intake: a.Intake, Pictures: a.pictures(),
		Skills: a.skills(), Tasks: a.agentTasks(), Route: a.route, Sessions: a.Sessions, Memory: a.memory,
		Reviews: a.Reviews, Forget: a.Forget, Samples: a.Samples, Callers: callers,
	}
	if callers.Roles() {
		c.Asked = a.asked
	}
	if a.Models.MaxUSDPerDay > 0 {
		c.Pause = a.spending.Pause
	}
	if a.searches() {
		c.Search = a.search.Get
	}
	if a.Platform.TasksTopic != "" {
		c.Batches, c.Publish = a.Batches, a.publish
		c.Imports = api.Imports{Compare: a.compareSent, Prune: a.pruneSent, Start: a.startImport, State: a.importState, Reembed: a.startReembed}
		if a.Search.IndexBucket != "" {
			c.Imports.Index = a.startIndex
		}
	}
	if a.forecasts() {
		c.Forecast, c.Talk = a.forecasting, a.talk
	}
	if a.discovers() {
		c.Discover = a.discover.Get
	}
	return api.New(c)
}

// pictures says which product pictures may be shown.
func (a *App) pictures() api.Pictures {
	return api.Pictures{Objects: a.objects.Get, Buckets: a.Catalog.PictureBuckets}
}

// openRouter returns the router of words beside a picture.
func (a *App) openRouter(ctx context.Context) (*a2a.Router, error) {
	c, err := a.gemini.Get(ctx)
	if err != nil {
		return nil, err
	}
	return a2a.NewRouter(c.For("a2a"), a.queryModel())
}

// route says which skill the words beside a picture are for.
func (a *App) route(ctx context.Context, words string, among []agent.Card) (a2a.Routed, error) {
	r, err := a.router.Get(ctx)
	if err != nil {
		return a2a.Routed{}, fmt.Errorf("app: %w", err)
	}
	return r.Route(ctx, words, among)
}

// spent returns what today's calls of models have cost, and the limit of a day.
func (a *App) spent(ctx context.Context) (spend.Day, error) {
	day, err := a.spending.Today(ctx)
	day.Limit = a.Models.MaxUSDPerDay
	return day, err
}

// publish hands a task to the queue.
func (a *App) publish(ctx context.Context, t queue.Task) error {
	c, err := a.clients.Get(ctx)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	return c.tasks.Publish(ctx, t)
}

// Begin notes the start of a request or an event. The returned function ends it and, if no other
// is running, writes the cost of the model calls, if it is time to. API does so by itself.
func (a *App) Begin() (end func()) { return a.spending.Begin() }

// Flush writes the costs of model calls that are not written yet, before the instance stops.
func (a *App) Flush(ctx context.Context) error { return a.spending.Flush(ctx) }
