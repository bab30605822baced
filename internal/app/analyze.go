package app

import (
	"context"
	"errors"
	"fmt"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// Analyze is what can be set of the agent that analyses photos.
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
	// Web search and its structuring in one call; Gemini 3 on the Gemini API only.
	SearchWithSchema bool `env:"SEARCH_WITH_SCHEMA, default=false"`

	// When barcodes and the like are read from the photo's pixels: `seen` where the model
	// saw one, `always` in the whole picture, `never`. It was a boolean: `true` is taken
	// for `always`, `false` for `never`.
	ReadCodes string `env:"READ_CODES, default=seen"`

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

// check refuses what could not work, naming the variable.
func (c Analyze) check(p Platform) error {
	if c.UploadBucket != "" && c.UploadBucket == p.ResultsBucket {
		return fmt.Errorf("app: UPLOAD_BUCKET and RESULTS_BUCKET are both %q: results would be taken for photos", c.UploadBucket)
	}
	if _, err := analyze.ParseReadCodes(c.ReadCodes); err != nil {
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

// defaults are the options of photos that say nothing themselves.
func (c Analyze) defaults() intake.Options {
	return intake.Options{Country: c.Country, Lang: c.Lang, Policy: c.Policy, SecondLook: c.SecondLook}
}

// models are the models and how they are asked.
func (c Analyze) models() analyze.Models {
	m := analyze.Models{Image: c.ImageModel, Judge: c.JudgeModel}
	m.ToRead.Thinking, m.ToRead.MediaResolution = c.ImageThinking, c.ImageMediaResolution
	m.ToJudge.Thinking, m.ToJudge.MediaResolution = c.JudgeThinking, c.JudgeMediaResolution
	m.ToSearch.Thinking, m.ToSearch.MediaResolution = c.SearchThinking, c.JudgeMediaResolution
	return m
}

// Intake returns what takes photos in.
func (a *App) Intake(ctx context.Context) (*intake.Intake, error) {
	in, err := a.intake.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return in, nil
}

// Batches returns what works on many photos.
func (a *App) Batches(ctx context.Context) (*batch.Batches, error) {
	b, err := a.batches.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return b, nil
}

// analyzeEntry is what the agent can do: with one photo, and, where there are tasks,
// with many.
func (a *App) analyzeEntry() entry {
	all := []agent.Skill{intake.Skill(a.Intake)}
	if a.Platform.TasksTopic != "" {
		all = append(all, batch.Skill(a.Batches))
	}
	return entry{skills: all, agent: a.messageAgent}
}

func (a *App) openPipeline(ctx context.Context) (*analyze.Pipeline, error) {
	c := a.Analyze
	model, products, space, err := a.vectors(ctx, a.Catalog.EmbeddingModel)
	if err != nil {
		return nil, err
	}
	readCodes, err := analyze.ParseReadCodes(c.ReadCodes)
	if err != nil {
		return nil, err
	}
	directory, err := a.directory()
	if err != nil {
		return nil, err
	}
	return analyze.New(analyze.Config{
		Gemini: model, Catalog: products, Space: space, Shop: a.Catalog.Shop,
		Models: c.models(),
		Learn:  c.Learn, SearchWithSchema: c.SearchWithSchema, ReadCodes: readCodes, Memory: a.memory, Directory: directory,
	})
}

func (a *App) openIntake(ctx context.Context) (*intake.Intake, error) {
	upload, results := a.Analyze.UploadBucket, a.Platform.ResultsBucket
	if upload == "" || results == "" {
		return nil, fmt.Errorf("UPLOAD_BUCKET and RESULTS_BUCKET must be set (now %q and %q)", upload, results)
	}
	pipeline, err := a.pipeline.Get(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := a.storage.Get(ctx)
	if err != nil {
		return nil, err
	}
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, err
	}
	events, err := a.topic(ctx, a.Platform.ResultsTopic)
	if err != nil {
		return nil, err
	}
	failures, err := a.topic(ctx, a.Platform.FailuresTopic)
	if err != nil {
		return nil, err
	}
	return intake.New(intake.Config{
		Pipeline: pipeline, Objects: blob.New(objects), Work: jobs.NewStore(db, a.Platform.workOptions()),
		Memory: a.memory, Events: events, Failures: failures, GiveUpAfter: a.Platform.GiveUpAfter, Results: results, Readable: []string{upload},
		Defaults: a.Analyze.defaults(), Tier: a.Models.EventTier,
	})
}

func (a *App) openBatches(ctx context.Context) (*batch.Batches, error) {
	if a.Platform.TasksTopic == "" {
		return nil, errors.New("TASKS_TOPIC must be set: batches are made of its tasks")
	}
	in, err := a.intake.Get(ctx)
	if err != nil {
		return nil, err
	}
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, err
	}
	tasks, err := a.publisher(ctx)
	if err != nil {
		return nil, err
	}
	return batch.New(batch.Config{DB: db, Intake: in, Objects: in.Objects, Tasks: tasks, Results: a.Platform.ResultsBucket, Retain: days(a.Platform.RecordDays)})
}
