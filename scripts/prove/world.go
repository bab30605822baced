package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/replay"
	"example.com/whatis/emulators/storage"
	"example.com/whatis/internal/app"
)

// A world has the app in this process with emulated stores, and a recorder in front of the
// service.
type world struct {
	config   app.Config
	vertex   bool
	upstream string
	env      map[string]string
	prober   *prober
	budget   *budget
	witness  witness
	groups   []group // of facts
	app      *app.App
	closers  []func()
}

// newWorld reads the environment, and refuses one that cannot work. It starts nothing.
func newWorld(ctx context.Context, o options) (*world, error) {
	env := map[string]string{}
	for _, line := range os.Environ() {
		name, value, _ := strings.Cut(line, "=")
		env[name] = strings.TrimSpace(value)
	}
	enterprise, set := env["GOOGLE_GENAI_USE_ENTERPRISE"]
	if !set {
		enterprise = env["GOOGLE_GENAI_USE_VERTEXAI"]
	}
	w := &world{vertex: enterprise == "1" || strings.EqualFold(enterprise, "true"), budget: newBudget(o.limit), env: env}
	w.upstream = replay.Upstream(env, w.vertex)
	key := cmp.Or(env["GOOGLE_API_KEY"], env["GEMINI_API_KEY"])
	switch {
	case env["K_SERVICE"] != "":
		return nil, errors.New("K_SERVICE is set, as on Cloud Run: this runs on a machine of yours")
	case w.vertex && env["GOOGLE_CLOUD_PROJECT"] == "":
		return nil, errors.New("on Vertex AI it needs GOOGLE_CLOUD_PROJECT")
	case !w.vertex && key == "":
		return nil, errors.New("it needs a key: set GOOGLE_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT")
	}
	w.prober = &prober{vertex: w.vertex, key: key, project: env["GOOGLE_CLOUD_PROJECT"], location: cmp.Or(env["GOOGLE_CLOUD_LOCATION"], env["GOOGLE_CLOUD_REGION"], "global")}
	var err error
	if w.config, err = app.ReadConfig(ctx); err != nil {
		return nil, err
	}
	w.groups, err = groupsOf(w.config, w.vertex, w.prober.location)
	return w, err
}

// introduction says what is checked, and what it may cost.
func (w *world) introduction(o options, sets []set) string {
	var what []string
	for _, s := range sets {
		what = append(what, fmt.Sprintf("%d %s", len(s.photos), s.name))
	}
	if o.repeat > 1 {
		what = append(what, fmt.Sprintf("each %d times", o.repeat))
	}
	facts := 0
	for _, g := range w.groups {
		facts += len(g.facts)
	}
	a := w.config.Analyze
	return fmt.Sprintf(`REAL MODEL: photos are sent to Google, and you pay for their analysis.

  service  %s
  models   %s reads, %s judges and searches, %s embeds, %s speaks
  photos   %s
  checks   %d of what we assume about the service
  left in  %s

It spends at most $%.2f, by list prices: no call is made whose worst case would go beyond.

`, w.upstream, a.ImageModel, a.JudgeModel, w.config.Catalog.EmbeddingModel, w.config.Forecast.Speech, strings.Join(what, ", "), facts, o.out, o.limit)
}

// start starts everything, and points the environment of this process at it.
func (w *world) start(ctx context.Context, o options) error {
	w.env["LEARN_FROM_SEARCH"] = "false" // what is measured must not change meanwhile
	recorder, err := replay.Record(replay.RecordOptions{
		Dir: filepath.Join(o.out, "recordings"), Upstream: w.upstream, Settings: replay.Shaping(w.env), Before: w.budget.before, After: w.after,
		Log: func(why string) { fmt.Fprintln(os.Stderr, "prove:", why) },
	})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { _ = recorder.Close() })
	documents, err := firestore.Start(firestore.Options{})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { _ = documents.Close() })
	objects, err := storage.Start(storage.Options{Buckets: []string{"uploads", "results"}})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, objects.Close)
	w.prober.base = recorder.URL()
	for name, value := range map[string]string{
		"GOOGLE_GEMINI_BASE_URL": recorder.URL(), "GOOGLE_VERTEX_BASE_URL": recorder.URL(),
		"FIRESTORE_EMULATOR_HOST": documents.Addr(), "STORAGE_EMULATOR_HOST": objects.URL(), "FIRESTORE_DATABASE": "(default)",
		"GOOGLE_CLOUD_PROJECT": cmp.Or(os.Getenv("GOOGLE_CLOUD_PROJECT"), "prove"), "UPLOAD_BUCKET": "uploads", "RESULTS_BUCKET": "results",
		"TASKS_TOPIC": "", "LONG_TASKS_TOPIC": "", "RESULTS_TOPIC": "", "FAILURES_TOPIC": "", "LEARN_FROM_SEARCH": w.env["LEARN_FROM_SEARCH"],
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	if w.config, err = app.ReadConfig(ctx); err != nil {
		return err
	}
	w.app = app.New(w.config)
	return nil
}

// after records the cost of a call and its answer.
func (w *world) after(s replay.Sent, a replay.Answer) {
	w.budget.after(s, a)
	w.witness.hear(a)
}

func (w *world) close() {
	for _, end := range slices.Backward(w.closers) {
		end()
	}
}
