package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/replay"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/storage"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/skill"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// A world is what is needed to ask: the app in this process over emulated stores, and
// a recorder before the service.
type world struct {
	config   app.Config
	vertex   bool
	upstream string
	env      map[string]string
	prober   *prober
	budget   *budget
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
	w.config, err = app.ReadConfig(ctx)
	return w, err
}

// introduction says what is asked, and what it may cost.
func (w *world) introduction(o options, sets []set) string {
	var what []string
	for _, s := range sets {
		what = append(what, fmt.Sprintf("%d %s", len(s.photos), s.name))
	}
	a := w.config.Analyze
	return fmt.Sprintf(`REAL MODEL: photos leave this machine and are paid for.

  service  %s
  models   %s reads, %s judges and searches, %s embeds, %s speaks
  photos   %s
  checks   %d of what we assume about the service
  left in  %s

It spends at most $%.2f, by list prices: no call is made whose worst case would go beyond.

`, w.upstream, a.ImageModel, a.JudgeModel, w.config.Catalog.EmbeddingModel, w.config.Forecast.Speech, strings.Join(what, ", "), len(allFacts(w)), o.out, o.limit)
}

// start starts everything, and points the environment of this process at it.
func (w *world) start(ctx context.Context, o options) error {
	w.env["LEARN_FROM_SEARCH"] = "false" // what is measured must not change meanwhile
	recorder, err := replay.Record(replay.RecordOptions{
		Dir: filepath.Join(o.out, "recordings"), Upstream: w.upstream, Settings: replay.Shaping(w.env), Before: w.budget.before, After: w.budget.after,
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

func (w *world) close() {
	for _, end := range slices.Backward(w.closers) {
		end()
	}
}

// measure asks about the photos of a set and leaves a report.
func (w *world) measure(ctx context.Context, o options, s set, out io.Writer) error {
	fmt.Fprintf(out, "\n%s: %d photos\n", s.name, len(s.photos))
	if _, err := w.app.Import(ctx, bytes.NewReader(samples.ProductsDB), nil, nil); err != nil {
		return fmt.Errorf("%s: the catalogue of the drawn packs: %w", s.name, err)
	}
	shots, err := accuracy.Run(ctx, s.photos, accuracy.Settings{}, 2, w.asker(), func(shot accuracy.Shot) {
		fmt.Fprintf(out, "  %-28q %-14s not right: %q\n", shot.Label.File, shot.Source, shot.Wrong())
	})
	emulated := slices.ContainsFunc(shots, func(s accuracy.Shot) bool { return slices.Contains(s.Warnings, "emulated_model") })
	report := accuracy.NewReport(time.Now(), w.upstream, s.name, emulated, []accuracy.Measure{{Figures: accuracy.FiguresOf(shots), Shots: shots}})
	_, kept := report.Keep(filepath.Join(o.out, s.name), s.photos, nil)
	fmt.Fprintln(out)
	return errors.Join(err, kept, report.WriteText(out, nil))
}

// asker asks the skill that analyses photos, anew.
func (w *world) asker() accuracy.Ask {
	all := w.app.Skills()
	analyze := all[slices.IndexFunc(all, func(s skill.Skill) bool { return s.ID == "analyze" })]
	return func(ctx context.Context, p accuracy.Photo, s accuracy.Settings) (json.RawMessage, error) {
		data, err := p.Data()
		if err != nil {
			return nil, err
		}
		question, err := json.Marshal(intake.Question{Image: data, Country: p.Country, Lang: p.Lang, Fresh: true})
		if err != nil {
			return nil, err
		}
		defer w.app.Begin()()
		return analyze.Run(ctx, question, nil)
	}
}
