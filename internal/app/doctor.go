package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/web/caller"
)

// What a check may find.
const (
	Well  = "well"
	Wrong = "wrong"
	Look  = "look" // code cannot tell: Remedy is what a person may run, or read
)

// A Finding is what one check has found.
type Finding struct {
	State  string  `json:"state"`
	Name   string  `json:"name"`
	Detail string  `json:"detail"` // the model that answered, or what is wrong
	USD    float64 `json:"cost_usd"`
	Remedy string  `json:"remedy,omitempty"`
}

// A check is one thing that must be right. run returns what there is to say of it, or what is
// wrong; errLook means that code cannot tell.
type check struct {
	name   string
	run    func(context.Context) (detail string, err error)
	remedy string // of anything wrong that has none of its own, by modelRemedies
}

var errLook = errors.New("code cannot tell")

// Examine makes one smallest call to each configured model, where models is set, and looks at
// the cloud's part of the configuration, where cloud is. It goes the service's own ways.
func (a *App) Examine(ctx context.Context, models, cloud bool) iter.Seq[Finding] {
	var checks []check
	if models {
		checks = append(checks, a.modelChecks()...)
	}
	if cloud {
		checks = append(checks, a.cloudChecks()...)
	}
	return func(yield func(Finding) bool) {
		for _, one := range checks {
			if ctx.Err() != nil || !yield(one.find(ctx)) {
				return
			}
		}
	}
}

func (c check) find(ctx context.Context) Finding {
	account := &gemini.Account{Attempts: gemini.EventAttempts}
	detail, err := c.run(gemini.WithAccount(ctx, account))
	ledger := account.Ledger()
	f := Finding{State: Well, Name: c.name, Detail: detail, USD: ledger.USD}
	if err == nil && slices.Contains(ledger.Warnings, gemini.WarnFallback) {
		err = &gemini.Error{Kind: gemini.Gone, Err: errors.New("its fallback answered")}
	}
	for model := range ledger.Models {
		if ends := gemini.Retired(model); err == nil && !ends.IsZero() && time.Until(ends) < 60*24*time.Hour {
			f.Detail, c.remedy, err = fmt.Sprintf("%s is announced to be gone from %s on", model, ends.Format(time.DateOnly)), "name its successor; for embeddings see docs/catalogue.md", errLook
		}
	}
	if err == nil {
		return f
	}
	f.State, f.Remedy = Wrong, c.remedy
	if errors.Is(err, errLook) {
		f.State = Look
		return f
	}
	f.Detail = strings.Join(strings.Fields(err.Error()), " ")
	var e *gemini.Error
	if errors.As(err, &e) && modelRemedies[e.Kind] != "" && !gemini.TierRefused(err) {
		f.Remedy = modelRemedies[e.Kind]
	}
	return f
}

// modelRemedies say what to do about a refusal of a model's service. Its own sentence is in Detail.
var modelRemedies = map[gemini.Kind]string{
	gemini.Unauthorized: "make an auth key (AQ.…) at https://aistudio.google.com/apikey, or give the account roles/aiplatform.user",
	gemini.Unpaid:       "pay at https://ai.studio/projects, raise the spending cap, or link billing to the project",
	gemini.NotInPlan:    "enable billing at https://ai.studio/projects, or name another model",
	gemini.NoSearch:     "enable billing at https://ai.studio/projects, or set WEB_SEARCH=false",
	gemini.Gone:         "name another model, or a location that has it (docs/prices.md, Where the models are asked)",
	gemini.Quota:        "wait as long as it says, or raise the quota",
	gemini.Budget:       "wait until midnight UTC, or raise MAX_USD_PER_DAY",
	gemini.Unavailable:  "try again; then look whether the API is enabled and can be reached from here",
}

// A used model has the names of the settings that name it.
type used struct {
	model    string
	settings []string
}

// generators returns the models that generate texts, each once.
func (a *App) generators() (all []used) {
	c := a.Config
	named := []struct{ setting, model string }{{"IMAGE_MODEL", c.Analyze.ImageModel}, {"JUDGE_MODEL", c.Analyze.JudgeModel}, {"SEARCH_MODEL", c.Search.Model}}
	if a.forecasts() {
		named = append(named, struct{ setting, model string }{"FORECAST_MODEL", c.Forecast.Model})
	}
	if a.discovers() {
		named = append(named, []struct{ setting, model string }{{"THINKING_MODEL", c.Discover.Thinking}, {"STRUCTURED_MODEL", c.Discover.Structured}, {"RELEVANCE_CHECK_MODEL", c.Discover.Relevance}}...)
	}
	for _, n := range named {
		i := slices.IndexFunc(all, func(u used) bool { return u.model == n.model })
		switch {
		case n.model == "":
		case i < 0:
			all = append(all, used{n.model, []string{n.setting}})
		default:
			all[i].settings = append(all[i].settings, n.setting)
		}
	}
	return all
}

func (a *App) modelChecks() (all []check) {
	c := a.Config
	smallest := func(model string) gemini.Request {
		return gemini.Request{Model: model, Parts: []gemini.Part{gemini.Text("Answer with the word yes.")}, MaxOutputTokens: 256}
	}
	for _, u := range a.generators() {
		all = append(all, check{name: strings.Join(u.settings, ", "), run: a.generates(smallest(u.model))})
	}
	if c.Analyze.WebSearch {
		all = append(all, check{name: "JUDGE_MODEL with google_search", run: a.generates(gemini.Request{
			Model: c.Analyze.JudgeModel, Search: true, Thinking: gemini.ThinkLow, MaxOutputTokens: 1024,
			Parts: []gemini.Part{gemini.Text("Which company makes Nutella? Search the web once.")},
		})})
	}
	if c.Models.EventTier == gemini.Flex {
		asked := a.generates(smallest(c.Analyze.ImageModel))
		all = append(all, check{"EVENT_TIER flex", func(ctx context.Context) (string, error) { return asked(gemini.WithTier(ctx, gemini.Flex)) },
			"try again later, or set EVENT_TIER=standard: photos are then asked for at the standard tier, at twice the price"})
	}
	all = append(all, check{name: "EMBEDDING_MODEL", run: func(ctx context.Context) (string, error) {
		client, err := a.gemini.Get(ctx)
		if err == nil {
			_, err = client.For("doctor").Embed(ctx, gemini.EmbedRequest{Model: c.Catalog.EmbeddingModel, Texts: []string{"yes"}})
		}
		return c.Catalog.EmbeddingModel, err
	}})
	if a.forecasts() {
		all = append(all, check{"SPEECH_MODEL", a.speaks, "set SPEECH_LOCATION=global: the words of forecasts, and no photo, are then processed anywhere"})
	}
	return append(all, check{"what is known of models and prices", func(context.Context) (string, error) {
		old := gemini.OldFacts(time.Now())
		if len(old) == 0 {
			return "younger than 90 days", nil
		}
		return strings.Join(old, "; "), errLook
	}, "read more than 90 days ago: look at the pages, and deploy a newer version"})
}

// generates returns a check of a model that generates. An answer that is cut short or empty is one.
func (a *App) generates(r gemini.Request) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		client, err := a.gemini.Get(ctx)
		if err != nil {
			return "", err
		}
		answer, err := client.For("doctor").Generate(ctx, r)
		var e *gemini.Error
		if errors.As(err, &e) && (e.AboutContent() || e.Kind == gemini.Malformed) {
			return r.Model, nil
		}
		if err != nil {
			return "", err
		}
		return answer.ModelVersion, nil
	}
}

func (a *App) speaks(ctx context.Context) (string, error) {
	model := a.Config.forecastModels().Speech
	if model == "" {
		lacks := gemini.LacksHere(a.Config.Forecast.Speech, a.Config.Forecast.SpeechLocation)
		return strings.TrimPrefix("forecasts are text alone: "+lacks, ": "), errLook
	}
	client, err := a.gemini.Get(ctx)
	if err != nil {
		return "", err
	}
	_, err = client.For("doctor").Speak(ctx, gemini.SpeakRequest{Model: model, Text: "Yes.", Voice: a.Config.Forecast.Voice})
	return model, err
}

func (a *App) cloudChecks() []check {
	p := a.Platform
	all := []check{
		{"UPLOAD_BUCKET", a.bucket(a.Analyze.UploadBucket), "make it, or name another: terraform -chdir=terraform output upload_bucket"},
		{"RESULTS_BUCKET", a.bucket(p.ResultsBucket), "make it, or name another: terraform -chdir=terraform output results_bucket"},
	}
	for _, bucket := range a.Catalog.PictureBuckets {
		all = append(all, check{"PICTURE_BUCKETS " + bucket, a.bucket(bucket), "make it, or leave it out of PICTURE_BUCKETS"})
	}
	all = append(all,
		check{"FIRESTORE_DATABASE", a.database, "make it, or name another: gcloud firestore databases list"},
		check{"indexes of Firestore", a.indexes, "apply Terraform, which makes them (terraform/firestore.tf), and wait until they are built: gcloud firestore indexes composite list"},
	)
	for _, topic := range []struct {
		setting, name, without string
		of                     func(clients) *queue.Topic
	}{
		{"TASKS_TOPIC", p.TasksTopic, "there are no batches and no discoveries", func(c clients) *queue.Topic { return c.tasks.Tasks }},
		{"LONG_TASKS_TOPIC", p.LongTasksTopic, "tasks that hand out others wait among them", func(c clients) *queue.Topic { return c.tasks.Long }},
		{"RESULTS_TOPIC", p.ResultsTopic, "results are published nowhere", func(c clients) *queue.Topic { return c.results }},
		{"FAILURES_TOPIC", p.FailuresTopic, "nobody is told of photos that are given up", func(c clients) *queue.Topic { return c.failures }},
	} {
		all = append(all, check{topic.setting, func(ctx context.Context) (string, error) {
			if topic.name == "" {
				return "none: " + topic.without, errLook
			}
			var c clients
			if err := a.openTopics(ctx, &c); err != nil {
				return "", err
			}
			return topic.name, topic.of(c).Check(ctx)
		}, "make it, or name another: gcloud pubsub topics list"})
	}
	return append(all, check{"ACCESS", func(context.Context) (string, error) {
		if a.Callers.Access == caller.Open {
			return "open: everybody who reaches the API is its owner", errLook
		}
		return string(a.Callers.Access), nil
	}, "right on one's own machine alone: deploy with private, public or iap"})
}

// bucket returns a check that a bucket is there and may be listed.
func (a *App) bucket(name string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if name == "" {
			return "", errors.New("none is set")
		}
		objects, err := a.objects.Get(ctx)
		if err != nil {
			return "", err
		}
		for _, err := range objects.List(ctx, name, "") {
			return name, err
		}
		return name + ", empty", nil
	}
}

// database checks that the database answers.
func (a *App) database(ctx context.Context) (string, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return "", err
	}
	_, err = db.GetAll(ctx, []*firestore.DocumentRef{db.Collection("work").Doc("doctor")})
	return a.Platform.Database, err
}

// indexes makes all queries, if the database answers.
func (a *App) indexes(ctx context.Context) (string, error) {
	if _, err := a.database(ctx); err != nil {
		return "", err
	}
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return "", err
	}
	return "every query is answered", Queries(ctx, db)
}
