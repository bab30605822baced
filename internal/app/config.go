package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/trace/otlp"
)

// Config is everything that can be set, read once from the environment. The key
// or project of the model is read by its SDK: GOOGLE_API_KEY or GEMINI_API_KEY,
// or GOOGLE_GENAI_USE_VERTEXAI with GOOGLE_CLOUD_PROJECT and
// GOOGLE_CLOUD_LOCATION.
type Config struct {
	// Project is the Google Cloud project; empty asks the metadata server.
	Project string `env:"GOOGLE_CLOUD_PROJECT"`
	// UploadBucket is where photos land, and the one bucket that POST /analyze
	// reads by URI.
	UploadBucket string `env:"UPLOAD_BUCKET"`
	// ResultsBucket is where results go. It must be another bucket.
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
	// Database is the Firestore database of the catalogue.
	Database string `env:"FIRESTORE_DATABASE, default=(default)"`

	// Country and Lang are of photos that say nothing themselves.
	Country string `env:"COUNTRY, default=KR"`
	Lang    string `env:"LANGUAGE_TAG, default=ko"`
	// Policy is seed or strict: how much it takes to believe a photo.
	Policy string `env:"POLICY, default=seed"`
	// SecondLook is doubt, always or never: when the stronger model looks again.
	SecondLook string `env:"SECOND_LOOK, default=doubt"`
	// Learn saves what Google Search found to the catalogue. Google's terms for
	// grounded answers restrict keeping them: whoever runs this decides.
	Learn bool `env:"LEARN_FROM_SEARCH, default=false"`
	// SearchWithSchema makes the web search and its structuring one call. Only
	// Gemini 3 on the Gemini API can.
	SearchWithSchema bool `env:"SEARCH_WITH_SCHEMA, default=false"`

	// ReadCodes is seen, always or never: when barcodes are read from the photo's
	// pixels. It was a boolean: true is always, false is never.
	ReadCodes string `env:"READ_CODES, default=seen"`

	// ImageModel reads photos, JudgeModel judges and searches.
	ImageModel string `env:"IMAGE_MODEL, default=gemini-3.5-flash-lite"`
	JudgeModel string `env:"JUDGE_MODEL, default=gemini-3.6-flash"`
	// ImageThinking, JudgeThinking and SearchThinking are minimal, low, medium or
	// high: how much the models think before they read, judge, and search and
	// structure. Thoughts are paid as output; a model that takes no such amount
	// thinks the next larger one. Google warns that minimal ends searches early.
	ImageThinking  gemini.Thinking `env:"IMAGE_THINKING, default=minimal"`
	JudgeThinking  gemini.Thinking `env:"JUDGE_THINKING, default=low"`
	SearchThinking gemini.Thinking `env:"SEARCH_THINKING, default=low"`
	// ImageMediaResolution and JudgeMediaResolution are low, medium or high: how
	// many tokens a photo takes where it is read, and where it is judged and
	// searched for. Empty is the model's own.
	ImageMediaResolution gemini.MediaResolution `env:"IMAGE_MEDIA_RESOLUTION"`
	JudgeMediaResolution gemini.MediaResolution `env:"JUDGE_MEDIA_RESOLUTION"`
	// EmbeddingModel makes the catalogue's vectors. Those of two models are never
	// compared: after a change the catalogue must be embedded again.
	EmbeddingModel string `env:"EMBEDDING_MODEL, default=gemini-embedding-2"`
	// Fallbacks are used once when a model is gone: "model:other,model:other".
	Fallbacks map[string]string `env:"MODEL_FALLBACKS, default=gemini-3.5-flash-lite:gemini-3.6-flash,gemini-3.6-flash:gemini-3.5-flash-lite"`
	// MaxUSDPerDay stops paid work, over all instances, until midnight UTC. 0 is
	// no limit.
	MaxUSDPerDay float64 `env:"MAX_USD_PER_DAY, default=0"`

	// Shop names the catalogue, for those who keep several in one database.
	Shop string `env:"SHOP, default=default"`

	// RecordDays is how long the records of work, with their results, the batches and
	// what a day cost are kept in Firestore.
	RecordDays int `env:"RECORD_DAYS, default=400"`
	// ResultCacheDays is for how long the same bytes get the result they had before,
	// which is in the record. 0 analyses every photo anew.
	ResultCacheDays int `env:"RESULT_CACHE_DAYS, default=30"`

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

// gcPercent is how much the heap may grow before it is collected, in percent of
// what is alive. That is a few MB between photos, and each photo leaves as much
// behind: with Go's 100, a seventh of the processor time went into collecting.
const gcPercent = 400

// LimitMemory tells the garbage collector what the instance has, less what is not
// its heap, and to collect seldom below that. GOMEMLIMIT and GOGC in the
// environment have the last word.
func (c Config) LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.MemoryMB << 20 * 4 / 5)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// OpenTrace exports spans from now on, if Trace says so. The returned function
// sends what waits.
func (c Config) OpenTrace() (flush func(context.Context) error, err error) {
	if c.Trace == "off" {
		return func(context.Context) error { return nil }, nil
	}
	flush, err = otlp.Open(otlp.Config{Cloud: c.Trace == "cloud", Project: c.Project, Service: c.Service, Revision: os.Getenv("K_REVISION")})
	if err != nil {
		return nil, fmt.Errorf("app: TRACE: %w", err)
	}
	return flush, nil
}

// defaults are the options of photos that say nothing themselves.
func (c Config) defaults() intake.Options {
	return intake.Options{Country: c.Country, Lang: c.Lang, Policy: c.Policy, SecondLook: c.SecondLook}
}

// models are the models and how they are asked.
func (c Config) models() analyze.Models {
	m := analyze.Models{Image: c.ImageModel, Judge: c.JudgeModel}
	m.ToRead.Thinking, m.ToRead.MediaResolution = c.ImageThinking, c.ImageMediaResolution
	m.ToJudge.Thinking, m.ToJudge.MediaResolution = c.JudgeThinking, c.JudgeMediaResolution
	m.ToSearch.Thinking, m.ToSearch.MediaResolution = c.SearchThinking, c.JudgeMediaResolution
	return m
}

// checkModels refuses settings of models that no model takes, naming the variable.
func (c Config) checkModels() error {
	settings := []struct {
		name string
		err  error
	}{
		{"IMAGE_THINKING", c.ImageThinking.Check()},
		{"JUDGE_THINKING", c.JudgeThinking.Check()},
		{"SEARCH_THINKING", c.SearchThinking.Check()},
		{"IMAGE_MEDIA_RESOLUTION", c.ImageMediaResolution.Check()},
		{"JUDGE_MEDIA_RESOLUTION", c.JudgeMediaResolution.Check()},
	}
	for _, s := range settings {
		if s.err != nil {
			return fmt.Errorf("app: %s is %w", s.name, s.err)
		}
	}
	if _, err := catalog.StampOf(c.EmbeddingModel); err != nil {
		return fmt.Errorf("app: EMBEDDING_MODEL: %w", err)
	}
	for _, model := range []string{c.ImageModel, c.JudgeModel, c.EmbeddingModel} {
		if c.Service != "" && strings.HasPrefix(model, "emulated") {
			return fmt.Errorf("app: %s is an emulated model and may not serve on Cloud Run (K_SERVICE is set)", model)
		}
	}
	return nil
}

// ReadConfig reads the configuration from the environment and refuses what
// could not work, naming the variable.
func ReadConfig(ctx context.Context) (Config, error) {
	var c Config
	if err := envconfig.Process(ctx, &c); err != nil {
		return Config{}, fmt.Errorf("app: configuration: %w", err)
	}
	if c.UploadBucket != "" && c.UploadBucket == c.ResultsBucket {
		return Config{}, fmt.Errorf("app: UPLOAD_BUCKET and RESULTS_BUCKET are both %q: results would be taken for photos", c.UploadBucket)
	}
	if c.MemoryMB < 256 {
		return Config{}, fmt.Errorf("app: MEMORY_MB is %d: an instance needs 256 at least", c.MemoryMB)
	}
	if _, err := analyze.ParseReadCodes(c.ReadCodes); err != nil {
		return Config{}, fmt.Errorf("app: READ_CODES: %w", err)
	}
	if c.ResultCacheDays < 0 || c.RecordDays < max(1, c.ResultCacheDays) {
		return Config{}, fmt.Errorf("app: RECORD_DAYS is %d and RESULT_CACHE_DAYS %d: the cache is in the records, so that they must be kept as long, for a day at least", c.RecordDays, c.ResultCacheDays)
	}
	if c.Lease < 10*time.Millisecond || c.GiveUpAfter < c.Lease {
		return Config{}, fmt.Errorf("app: LEASE is %v and GIVE_UP_AFTER %v: a lease has 10ms at least, and what is given up has had one", c.Lease, c.GiveUpAfter)
	}
	if c.Shop == "" {
		return Config{}, errors.New("app: SHOP is empty: leave it out, or name the catalogue")
	}
	if c.Trace != "off" && c.Trace != "cloud" && c.Trace != "otlp" {
		return Config{}, fmt.Errorf("app: TRACE is %q: use off, cloud or otlp", c.Trace)
	}
	if err := c.defaults().Check(); err != nil {
		return Config{}, fmt.Errorf("app: COUNTRY, LANGUAGE_TAG, POLICY or SECOND_LOOK: %w", err)
	}
	if !(c.MaxUSDPerDay >= 0) {
		return Config{}, fmt.Errorf("app: MAX_USD_PER_DAY is %v: use 0 for no limit", c.MaxUSDPerDay)
	}
	if err := c.checkModels(); err != nil {
		return Config{}, err
	}
	return c, nil
}
