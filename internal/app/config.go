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

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/trace/otlp"
)

// Config is the configuration, read once from the environment: settings that all agents
// share, and a struct for each agent, in the agent's file. The key or project of the
// model is read by its SDK: GOOGLE_API_KEY or GEMINI_API_KEY, or
// GOOGLE_GENAI_USE_VERTEXAI with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION.
type Config struct {
	Platform Platform
	Callers  Callers
	Models   Models
	Catalog  Catalog
	Analyze  Analyze
	Search   Search
	Forecast Forecast
	Discover Discover
}

// Platform has the settings that all agents share.
type Platform struct {
	// The Google Cloud project. Without it the metadata server is asked.
	Project string `env:"GOOGLE_CLOUD_PROJECT"`
	// The Firestore database, of everything.
	Database string `env:"FIRESTORE_DATABASE, default=(default)"`
	// The bucket of results. It must be another than photos land in.
	ResultsBucket string `env:"RESULTS_BUCKET"`

	// The Pub/Sub topic of tasks, which pushes to Task. Without it there are no batches
	// and no discoveries.
	TasksTopic string `env:"TASKS_TOPIC"`
	// The topic of the tasks that hand out others, so that they need not wait behind those
	// of a large batch. Without it TasksTopic is.
	LongTasksTopic string `env:"LONG_TASKS_TOPIC"`
	// The topic to which each finished result is published.
	ResultsTopic string `env:"RESULTS_TOPIC"`
	// The topic to which each photo, and each import of a catalogue, that is given up is
	// published.
	FailuresTopic string `env:"FAILURES_TOPIC"`

	// Which agents are offered; `analyze` always is. `forecast` needs a key besides.
	Agents []string `env:"AGENTS, default=analyze,search,forecast,discover"`

	// How long records of work, with their results, batches and what a day cost are kept
	// in Firestore.
	RecordDays int `env:"RECORD_DAYS, default=400"`
	// For how long the same bytes get the result they had before; 0 analyses every photo
	// anew.
	ResultCacheDays int `env:"RESULT_CACHE_DAYS, default=30"`

	// How long a conversation is kept after its last word, and each word at most.
	SessionDays int `env:"SESSION_DAYS, default=7"`

	// What the instance has: three eighths of it are for photos under way, a quarter for
	// their pixels. Overload gets 503 with `Retry-After`; a photo whose pixels take more
	// than that quarter, where they have to be decoded, is refused for good.
	MemoryMB int64 `env:"MEMORY_MB, default=512"`

	// How long work stays with an instance that says nothing more.
	Lease time.Duration `env:"LEASE, default=30s"`
	// How long a photo is tried while a model, or what else it needs, is down.
	GiveUpAfter time.Duration `env:"GIVE_UP_AFTER, default=24h"`

	// `cloud` sends OpenTelemetry spans to Cloud Trace, `otlp` to the collector at
	// `OTEL_EXPORTER_OTLP_ENDPOINT` (`http://localhost:4318`), with the headers,
	// certificates and so on of OpenTelemetry's other `OTEL_EXPORTER_OTLP_…` variables.
	// Prompts, photos, and what tools were asked and answered stay out of spans. A trace
	// that comes in with a request, or with an event by its `traceparent` extension or its
	// publisher's attribute, is recorded if its sender records it, one of ours with the
	// probability `OTEL_TRACES_SAMPLER_ARG` (`0.1`). Log lines name their trace, and the
	// event they belong to, in any case.
	Trace string `env:"TRACE, default=off"`
	// `debug` has a line for every attempt of a model call, with its outcome, tokens and
	// cost, and neither prompt nor photo.
	LogLevel slog.Level `env:"LOG_LEVEL, default=info"`

	// Service is set by Cloud Run. Emulated models are refused there.
	Service string `env:"K_SERVICE"`
}

// Models has the settings of all model calls. Each agent has its own settings for which
// models it asks.
type Models struct {
	// The model that is asked instead, once, when a model is gone: `model:other,…`.
	Fallbacks map[string]string `env:"MODEL_FALLBACKS, default=gemini-3.5-flash-lite:gemini-3.6-flash,gemini-3.6-flash:gemini-3.5-flash-lite"`
	// How long one try of a model call may take; 0 is a minute. A model on a machine without a
	// graphics card needs more.
	Timeout time.Duration `env:"MODEL_TIMEOUT, default=0s"`
	// How long a caller waits while no model answers, and never less than `MODEL_TIMEOUT`: then
	// 503 `model_slow` with `Retry-After`. What a model answers after that is kept for ten minutes
	// in the instance, so that asking again costs nothing. Uploads, batches, discoveries and
	// imports have no caller who waits.
	Patience time.Duration `env:"CALLER_PATIENCE, default=45s"`
	// How many model calls each caller may make in a minute, in each instance; 0 is no limit.
	// Calls above it get 429 with `Retry-After`; those of a batch, a discovery or a task that
	// nobody waits for are made later. A caller without an identity is an address, as Google's
	// front end forwards it: an office behind one address is one caller. Uploads have no caller.
	CallsPerMinute int `env:"CALLS_PER_MINUTE, default=0"`
	// How many tries of model calls an instance makes in a minute, evenly spread: others wait for
	// their turn. 0 is no limit. Terraform divides the project's number among its instances.
	TriesPerMinute int `env:"MODEL_CALLS_PER_MINUTE, default=0"`
	// Stops paid work, over all instances, until midnight UTC; 0 is no limit. It is
	// overshot by the calls in flight and what each instance spends in 11 s.
	MaxUSDPerDay float64 `env:"MAX_USD_PER_DAY, default=0"`
	// The service tier of uploads, batches and discoveries, which nobody waits for: `standard`,
	// or `flex`, which costs half the price of each token and may take minutes for an answer
	// ([prices](prices.md#half-the-price)). A batch or a discovery may name the other.
	// `flex` is refused at the start for models that have no such tier, and on Vertex AI for a
	// `GOOGLE_CLOUD_LOCATION` other than `global`.
	EventTier gemini.Tier `env:"EVENT_TIER, default=standard"`
}

// ReadConfig reads the configuration from the environment and refuses invalid settings,
// naming the variable.
func ReadConfig(ctx context.Context) (Config, error) {
	var c Config
	if err := envconfig.Process(ctx, &c); err != nil {
		return Config{}, fmt.Errorf("app: configuration: %w", err)
	}
	if err := errors.Join(c.Platform.check(), c.Callers.check(c.Platform), c.Models.check(), c.Catalog.check(), c.Analyze.check(c.Platform), c.Forecast.check(c.Platform), c.Discover.check(c.Platform), c.checkTier()); err != nil {
		return Config{}, err
	}
	return c, errors.Join(c.checkEmulated(), c.checkDeployed())
}

// agents are the valid values of Platform.Agents.
var agents = []string{"analyze", "search", "forecast", "discover"}

// offers reports that an agent is enabled.
func (p Platform) offers(agent string) bool { return slices.Contains(p.Agents, agent) }

// check refuses invalid settings, naming the variable.
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
	if m.Timeout < 0 {
		return fmt.Errorf("app: MODEL_TIMEOUT is %v: use 0 for a minute", m.Timeout)
	}
	if m.Patience <= 0 {
		return fmt.Errorf("app: CALLER_PATIENCE is %v: want more than 0", m.Patience)
	}
	if m.CallsPerMinute < 0 {
		return fmt.Errorf("app: CALLS_PER_MINUTE is %d: use 0 for no limit", m.CallsPerMinute)
	}
	if m.TriesPerMinute < 0 {
		return fmt.Errorf("app: MODEL_CALLS_PER_MINUTE is %d: use 0 for no limit", m.TriesPerMinute)
	}
	if !(m.MaxUSDPerDay >= 0) {
		return fmt.Errorf("app: MAX_USD_PER_DAY is %v: use 0 for no limit", m.MaxUSDPerDay)
	}
	return nil
}

// checkTier refuses an EventTier that the models of uploads, batches and discoveries lack.
func (c Config) checkTier() error {
	if err := c.Models.EventTier.Check(); err != nil {
		return fmt.Errorf("app: EVENT_TIER is %w", err)
	}
	models := []string{c.Analyze.ImageModel, c.Analyze.JudgeModel}
	if c.Platform.offers("discover") {
		models = append(models, c.Discover.Thinking, c.Discover.Structured, c.Discover.Relevance)
	}
	if err := gemini.CheckTier(c.Models.EventTier, models...); err != nil {
		return fmt.Errorf("app: EVENT_TIER is %s: %w", c.Models.EventTier, err)
	}
	return nil
}

// checkEmulated refuses models that are emulated or on one's own machine on Cloud Run.
func (c Config) checkEmulated() error {
	for _, model := range []string{c.Analyze.ImageModel, c.Analyze.JudgeModel, c.Search.Model, c.Catalog.EmbeddingModel, c.Forecast.Model, c.Forecast.Speech, c.Discover.Thinking, c.Discover.Structured, c.Discover.Relevance} {
		if c.Platform.Service != "" && (strings.HasPrefix(model, "emulated") || strings.HasPrefix(model, "local-")) {
			return fmt.Errorf("app: %s is an emulated or local model and may not serve on Cloud Run (K_SERVICE is set)", model)
		}
	}
	return nil
}

// checkDeployed refuses on Cloud Run to start without what events and requests need, all of it by name.
// Without ACCESS an API would serve everybody as its owner; Upload and Task have no callers.
func (c Config) checkDeployed() error {
	if c.Platform.Service == "" {
		return nil
	}
	var missing []string
	for _, one := range []struct {
		absent bool
		name   string
	}{
		{c.Analyze.UploadBucket == "", "UPLOAD_BUCKET"},
		{c.Platform.ResultsBucket == "", "RESULTS_BUCKET"},
		{os.Getenv("FUNCTION_TARGET") == "API" && os.Getenv("ACCESS") == "", "ACCESS (private, public, iap, or open, where everybody who reaches the service is its owner)"},
	} {
		if one.absent {
			missing = append(missing, one.name)
		}
	}
	if err := gemini.Configured(); err != nil {
		missing = append(missing, "what the models need: "+err.Error())
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("app: on Cloud Run (K_SERVICE is set) this must be set, too: %s", strings.Join(missing, "; "))
}

// gcPercent is the growth of the heap before a garbage collection, in percent of the live
// heap, which is a few MB between photos. Each photo leaves twice its size as garbage: with
// Go's 100 there is a collection after every sixth photo of 0.3 MB, with 400 the instance
// keeps five times what crowds of photos need.
const gcPercent = 150

// LimitMemory sets the garbage collector's limit to the instance's memory, less what is
// not heap, and makes collections below it rare. GOMEMLIMIT and GOGC in the environment
// take precedence.
func (p Platform) LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(p.MemoryMB << 20 * 4 / 5)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// OpenTrace exports spans from now on, if Trace is set. The returned function sends
// buffered spans.
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
