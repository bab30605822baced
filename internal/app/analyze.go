package app

import (
	"context"
	"errors"
	"fmt"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/web/caller"
)

// Analyze configures the agent that analyses photos.
type Analyze struct {
	// UploadBucket is where photos land, and the one bucket that POST /analyze
	// reads by URI.
	UploadBucket string `env:"UPLOAD_BUCKET"`

	// The market and language of photos whose request names none.
	Country string `env:"COUNTRY, default=KR"`
	Lang    string `env:"LANGUAGE_TAG, default=ko"`
	// `strict` believes a photo only above 0.85 with more print to go by, and a candidate
	// only with two features in common.
	Policy string `env:"POLICY, default=seed"`
	// `always` or `never`: when the stronger model looks at a photo the small one is sure
	// of.
	SecondLook string `env:"SECOND_LOOK, default=doubt"`
	// Saves what the web knew to the catalogue, as unconfirmed. Google's terms restrict
	// keeping grounded answers: you decide.
	Learn bool `env:"LEARN_FROM_SEARCH, default=false"`
	// Searches the web, which Google charges, for what neither photo nor catalogue identify.
	WebSearch bool `env:"WEB_SEARCH, default=true"`
	// Web search and its structuring in one call; Gemini 3 on the Gemini API only.
	SearchWithSchema bool `env:"SEARCH_WITH_SCHEMA, default=false"`

	// When barcodes and the like are read from the photo's pixels: `seen` where the model
	// saw one, `always` in the whole picture, `never`. In a search `seen` means a picture
	// of nothing that the shop sells, as the embedding model sees it, or any where the
	// vocabulary does not say what the shop does not sell.
	ReadCodes string `env:"READ_CODES, default=seen"`
	// Keeps the thumbnail that a photo is sent with over HTTP, or of a doubtful result a small
	// picture made here, and the name of its file, with
	// its result; they are gone with it.
	KeepThumbnails bool `env:"KEEP_THUMBNAILS, default=true"`

	// ImageModel reads photos, JudgeModel judges and searches.
	ImageModel string `env:"IMAGE_MODEL, default=gemini-3.5-flash-lite"`
	JudgeModel string `env:"JUDGE_MODEL, default=gemini-3.6-flash"`
	// How much the models think before they read, judge, and search: `minimal`, `low`,
	// `medium` or `high`. Thoughts are paid as output; a model that takes no such amount
	// thinks the next larger one.
	ImageThinking  gemini.Thinking `env:"IMAGE_THINKING, default=minimal"`
	JudgeThinking  gemini.Thinking `env:"JUDGE_THINKING, default=low"`
	SearchThinking gemini.Thinking `env:"SEARCH_THINKING, default=low"`
	// How many tokens a photo takes where it is read, and where it is judged and searched
	// for: `low`, `medium` or `high`.
	ImageMediaResolution gemini.MediaResolution `env:"IMAGE_MEDIA_RESOLUTION"`
	JudgeMediaResolution gemini.MediaResolution `env:"JUDGE_MEDIA_RESOLUTION"`
}

// check refuses invalid settings, naming the variable.
func (c Analyze) check(p Platform) error {
	if c.UploadBucket != "" && c.UploadBucket == p.ResultsBucket {
		return fmt.Errorf("app: UPLOAD_BUCKET and RESULTS_BUCKET are both %q: results would be taken for photos", c.UploadBucket)
	}
	if _, err := barcode.ParseWhen(c.ReadCodes); err != nil {
		return fmt.Errorf("app: READ_CODES: %w", err)
	}
	if err := c.defaults().Check(); err != nil {
		return fmt.Errorf("app: COUNTRY, LANGUAGE_TAG, POLICY or SECOND_LOOK: %w", err)
	}
	return c.checkModels()
}

// checkModels refuses settings of models that no model takes, naming the variable.
func (c Analyze) checkModels() error {
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
	return nil
}

// defaults returns the options of photos whose request sets none.
func (c Analyze) defaults() intake.Options {
	return intake.Options{Country: c.Country, Lang: c.Lang, Policy: c.Policy, SecondLook: c.SecondLook}
}

// models returns the models and the options of their calls.
func (c Analyze) models() analyze.Models {
	m := analyze.Models{Image: c.ImageModel, Judge: c.JudgeModel}
	m.ToRead.Thinking, m.ToRead.MediaResolution = c.ImageThinking, c.ImageMediaResolution
	m.ToJudge.Thinking, m.ToJudge.MediaResolution = c.JudgeThinking, c.JudgeMediaResolution
	m.ToSearch.Thinking, m.ToSearch.MediaResolution = c.SearchThinking, c.JudgeMediaResolution
	return m
}

// An analyzer has the agent's services: intake of photos, batches and reviews.
type analyzer struct {
	intake  *intake.Intake
	batches *batch.Batches // nil without a topic of tasks
	reviews *review.Service
}

// Intake returns the service that accepts photos.
func (a *App) Intake(ctx context.Context) (*intake.Intake, error) {
	agent, err := a.analyze.Get(ctx)
	return agent.intake, err
}

// Batches returns the service for batches of photos.
func (a *App) Batches(ctx context.Context) (*batch.Batches, error) {
	agent, err := a.analyze.Get(ctx)
	if err == nil && agent.batches == nil {
		err = errors.New("app: TASKS_TOPIC must be set: batches are made of its tasks")
	}
	return agent.batches, err
}

// analyzeEntry returns the agent's skills: for one photo and, if there are tasks, for
// batches.
func (a *App) analyzeEntry() entry {
	all := []agent.Skill{intake.Skill(a.Intake)}
	if a.Platform.TasksTopic != "" {
		all = append(all, batch.Skill(a.Batches))
	}
	return entry{skills: all, agent: a.messageAgent}
}

func (a *App) openAnalyze(_ context.Context, c clients) (agent analyzer, err error) {
	if agent.intake, err = a.newIntake(c); err != nil {
		return agent, err
	}
	if a.Platform.TasksTopic != "" {
		agent.batches, err = batch.New(batch.Config{
			DB: c.firestore, Intake: agent.intake, Objects: c.objects, Tasks: c.tasks,
			Results: a.Platform.ResultsBucket, Retain: days(a.Platform.RecordDays),
		})
		if err != nil {
			return agent, err
		}
	}
	agent.reviews, err = NewReviews(c.firestore, agent.intake, agent.batches, c.gemini, c.space, a.Catalog.Shop)
	return agent, err
}

func (a *App) newIntake(c clients) (*intake.Intake, error) {
	upload, results := a.Analyze.UploadBucket, a.Platform.ResultsBucket
	if upload == "" || results == "" {
		return nil, fmt.Errorf("UPLOAD_BUCKET and RESULTS_BUCKET must be set (now %q and %q)", upload, results)
	}
	pipeline, err := a.newPipeline(c)
	if err != nil {
		return nil, err
	}
	return intake.New(intake.Config{
		Pipeline: pipeline, Objects: c.objects, Work: jobs.NewStore(c.firestore, a.Platform.workOptions()),
		Memory: a.memory, Events: c.results, Failures: c.failures, GiveUpAfter: a.Platform.GiveUpAfter, Results: results, Readable: []string{upload},
		MayRead: func(ctx context.Context) error { return caller.Need(ctx, caller.Reader) }, Asker: func(ctx context.Context) (string, bool) { return caller.From(ctx).Asker() },
		Defaults: a.Analyze.defaults(), Tier: a.Models.EventTier, DB: c.firestore, KeepThumbnails: a.Analyze.KeepThumbnails,
	})
}

func (a *App) newPipeline(c clients) (*analyze.Pipeline, error) {
	readCodes, err := barcode.ParseWhen(a.Analyze.ReadCodes)
	if err != nil {
		return nil, err
	}
	directory, err := a.directory(c)
	if err != nil {
		return nil, err
	}
	return analyze.New(analyze.Config{
		Gemini: c.gemini, Catalog: c.products, Reviews: review.NewPhotos(c.firestore), Space: c.space, Shop: a.Catalog.Shop, Models: a.Analyze.models(),
		Learn: a.Analyze.Learn, NoWebSearch: !a.Analyze.WebSearch, SearchWithSchema: a.Analyze.SearchWithSchema, ReadCodes: readCodes, Memory: a.memory, Directory: directory,
	})
}
