package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"

	"example.com/whatis/internal/trace/otlp"
)

// Config is everything that can be set, read once from the environment: what all
// agents stand on, and a struct for each agent, which stands in the agent's file. The
// key or project of the model is read by its SDK: GOOGLE_API_KEY or GEMINI_API_KEY,
// or GOOGLE_GENAI_USE_VERTEXAI with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION.
type Config struct {
	Platform Platform
	Models   Models
	Catalog  Catalog
	Analyze  Analyze
	Search   Search
	Forecast Forecast
	Discover Discover
}

// Platform is what all agents stand on.
type Platform struct {
	// Project is the Google Cloud project; empty asks the metadata server.
	Project string `env:"GOOGLE_CLOUD_PROJECT"`
	// Database is the Firestore database of everything.
	Database string `env:"FIRESTORE_DATABASE, default=(default)"`
	// ResultsBucket is where results go. It must be another than photos land in.
	ResultsBucket string `env:"RESULTS_BUCKET"`

	// TasksTopic is the Pub/Sub topic of the tasks that batches are made of, which
	// pushes to Task. Without it there are no batches.
	TasksTopic string `env:"TASKS_TOPIC"`
	// LongTasksTopic is that of the tasks which hand out others, so that they need not
	// wait behind those of a large batch. Without it TasksTopic is.
	LongTasksTopic string `env:"LONG_TASKS_TOPIC"`
	// ResultsTopic is told of each finished result. Empty tells nobody.
	ResultsTopic string `env:"RESULTS_TOPIC"`
	// FailuresTopic is told of each photo that is given up. Empty tells nobody.
	FailuresTopic string `env:"FAILURES_TOPIC"`

	// Agents are those that are offered. The one that analyses photos always is.
	Agents []string `env:"AGENTS, default=analyze,search,forecast,discover"`

	// RecordDays is how long the records of work, with their results, the batches, the
	// tasks of other agents and what a day cost are kept in Firestore.
	RecordDays int `env:"RECORD_DAYS, default=400"`
	// ResultCacheDays is for how long the same bytes get the result they had before,
	// which is in the record. 0 analyses every photo anew.
	ResultCacheDays int `env:"RESULT_CACHE_DAYS, default=30"`

	// SessionDays is how long a conversation is kept after its last word, and each of
	// its words at most.
	SessionDays int `env:"SESSION_DAYS, default=7"`

	// MemoryMB is what an instance has, in MiB: three eighths of it are for photos
	// under way, a quarter for their pixels, and the garbage collector is told of it.
	MemoryMB int64 `env:"MEMORY_MB, default=512"`

	// Lease is how long work that was begun stays with an instance that says nothing
	// more.
	Lease time.Duration `env:"LEASE, default=30s"`
	// GiveUpAfter is how long a photo is tried while a model, or what else it needs,
	// is down.
	GiveUpAfter time.Duration `env:"GIVE_UP_AFTER, default=24h"`

	// Trace is off, cloud or otlp: where spans go. What is exported is said by
	// OpenTelemetry's own variables (package otlp).
	Trace string `env:"TRACE, default=off"`
	// LogLevel is debug, info, warn or error. Debug has a line for every attempt of
	// a model call, without prompts and photos.
	LogLevel slog.Level `env:"LOG_LEVEL, default=info"`

	// Service is set by Cloud Run. Emulated models are refused there.
	Service string `env:"K_SERVICE"`
}

// Models are what holds for the calls of every model. Which ones are asked is said by
// each agent.
type Models struct {
	// Fallbacks are used once when a model is gone: "model:other,model:other".
	Fallbacks map[string]string `env:"MODEL_FALLBACKS, default=gemini-3.5-flash-lite:gemini-3.6-flash,gemini-3.6-flash:gemini-3.5-flash-lite"`
	// MaxUSDPerDay stops paid work, over all instances, until midnight UTC. 0 is
	// no limit.
	MaxUSDPerDay float64 `env:"MAX_USD_PER_DAY, default=0"`
}

// ReadConfig reads the configuration from the environment and refuses what
// could not work, naming the variable.
func ReadConfig(ctx context.Context) (Config, error) {
	var c Config
	if err := envconfig.Process(ctx, &c); err != nil {
		return Config{}, fmt.Errorf("app: configuration: %w", err)
	}
	if err := errors.Join(c.Platform.check(), c.Models.check(), c.Catalog.check(), c.Analyze.check(c.Platform), c.Forecast.check(c.Platform), c.Discover.check(c.Platform)); err != nil {
		return Config{}, err
	}
	return c, c.checkEmulated()
}

// agents are what Agents may name.
var agents = []string{"analyze", "search", "forecast", "discover"}

// offers reports that an agent is not left out.
func (p Platform) offers(agent string) bool { return slices.Contains(p.Agents, agent) }

// check refuses what could not work, naming the variable.
func (p Platform) check() error {
	unknown := slices.IndexFunc(p.Agents, func(a string) bool { return !slices.Contains(agents, a) })
	switch {
	case unknown >= 0:
		return fmt.Errorf("app: AGENTS names %q: use some of %s", p.Agents[unknown], strings.Join(agents, ","))
	case !p.offers("analyze"):
		return errors.New("app: AGENTS must name analyze: the others stand beside it")
	case p.MemoryMB < 256:
		return fmt.Errorf("app: MEMORY_MB is %d: an instance needs 256 at least", p.MemoryMB)
	case p.ResultCacheDays < 0 || p.RecordDays < max(1, p.ResultCacheDays):
		return fmt.Errorf("app: RECORD_DAYS is %d and RESULT_CACHE_DAYS %d: the cache is in the records, so that they must be kept as long, for a day at least", p.RecordDays, p.ResultCacheDays)
	case p.SessionDays < 1:
		return fmt.Errorf("app: SESSION_DAYS is %d: a conversation is kept for a day at least", p.SessionDays)
	case p.Lease < 10*time.Millisecond || p.GiveUpAfter < p.Lease:
		return fmt.Errorf("app: LEASE is %v and GIVE_UP_AFTER %v: a lease has 10ms at least, and what is given up has had one", p.Lease, p.GiveUpAfter)
	case p.Trace != "off" && p.Trace != "cloud" && p.Trace != "otlp":
		return fmt.Errorf("app: TRACE is %q: use off, cloud or otlp", p.Trace)
	}
	return nil
}

func (m Models) check() error {
	if !(m.MaxUSDPerDay >= 0) {
		return fmt.Errorf("app: MAX_USD_PER_DAY is %v: use 0 for no limit", m.MaxUSDPerDay)
	}
	return nil
}

// checkEmulated refuses emulated models where Cloud Run serves.
func (c Config) checkEmulated() error {
	for _, model := range []string{c.Analyze.ImageModel, c.Analyze.JudgeModel, c.Search.Model, c.Catalog.EmbeddingModel, c.Forecast.Model, c.Forecast.Speech, c.Discover.Thinking, c.Discover.Structured, c.Discover.Relevance} {
		if c.Platform.Service != "" && strings.HasPrefix(model, "emulated") {
			return fmt.Errorf("app: %s is an emulated model and may not serve on Cloud Run (K_SERVICE is set)", model)
		}
	}
	return nil
}

// gcPercent is how much the heap may grow before it is collected, in percent of
// what is alive. That is a few MB between photos, and each photo leaves as much
// behind: with Go's 100, a seventh of the processor time went into collecting.
const gcPercent = 400

// LimitMemory tells the garbage collector what the instance has, less what is not
// its heap, and to collect seldom below that. GOMEMLIMIT and GOGC in the
// environment have the last word.
func (p Platform) LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(p.MemoryMB << 20 * 4 / 5)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// OpenTrace exports spans from now on, if Trace says so. The returned function
// sends what waits.
func (p Platform) OpenTrace() (flush func(context.Context) error, err error) {
	if p.Trace == "off" {
		return func(context.Context) error { return nil }, nil
	}
	flush, err = otlp.Open(otlp.Config{Cloud: p.Trace == "cloud", Project: p.Project, Service: p.Service, Revision: os.Getenv("K_REVISION")})
	if err != nil {
		return nil, fmt.Errorf("app: TRACE: %w", err)
	}
	return flush, nil
}
