package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// evalPhotosCommand measures how often results for photos are right.
type evalPhotosCommand struct {
	Dir   string `arg:"" optional:"" help:"A folder of photos with a labels.json."`
	Drawn bool   `help:"Measure the project's own sample packs instead of DIR: this guards against regressions and is no measure of accuracy."`
	measuredBy
	Answers    []string `placeholder:"FOLDER" help:"With --model recorded: a folder of answers, ID.read.json, ID.judge.json, ID.search.json and ID.finding.json. With several, a file takes the place of one of the same name in an earlier folder, and the photos are those of the last."`
	PhotosIn   string   `name:"photos" placeholder:"FOLDER" help:"Where the photos of --answers are, by the column file of the truth or by their IDs. A drawn picture stands in for one that is not there."`
	Truth      string   `placeholder:"FILE" help:"What is on the photos of --answers (default: truth.tsv beside or above FOLDER)."`
	Country    string   `default:"KR" placeholder:"KR" help:"Of photos whose label names none (${default})."`
	Lang       string   `default:"ko" placeholder:"ko" help:"Of photos whose label names none (${default})."`
	Policy     []string `placeholder:"seed,strict" help:"Measure each of these (the service's default)."`
	SecondLook []string `placeholder:"doubt,always,never" help:"Measure each of these (the service's default)."`
	Thinking   []string `placeholder:"READ/JUDGE/SEARCH" help:"Measure each of these: levels as minimal/low/low, or one for all three. Not with --url."`
	Against    string   `placeholder:"FILE" help:"An earlier report to compare with. Exits with 1 if something got worse."`
	Tolerance  float64  `default:"0.02" placeholder:"SHARE" help:"By how much a share may be worse (${default})."`
	Jobs       int      `default:"4" placeholder:"N" help:"How many photos are analysed at a time (${default})."`
	Out        string   `placeholder:"FOLDER" help:"Also write the report as eval_YYYYMMDD_HHMMSS.json and .html in this folder."`
}

// Help is shown behind the flags.
func (evalPhotosCommand) Help() string {
	return `labels.json is a list with labels of photos of the folder; photos without one are counted and not measured:

` + accuracy.Example + `

A field that is left out is not scored; "" means that there is no right value; a list holds several right values. Names and brands are compared without case, diacritics, spaces and punctuation, a name with or without its brand in front.

Prints, for each setting, how often each field is right, the sources of answers, calibration (expected calibration error), cost, calls and time, and how much memory a local model takes; with --out the same is written to a JSON file and a web page, with the photos that went wrong. Every photo is analysed without the cache. In this process nothing is learnt from searches; a remote service does as it is configured.

    whatisit eval photos/ --url https://… --second-look doubt,always
    whatisit eval --emulated --drawn --against before.json
    whatisit eval --model recorded --answers answers/honest --answers answers/variant --photos photos/

--model recorded replays answers that somebody has given while looking at the pictures, and prints what became of each photo; docs/measuring.md describes the files.

Exit codes: 0 measured; 1 something is worse than in --against, a photo failed, or of recorded answers a wrong name or brand was answered by the photo alone; 2 wrong usage, and no request was sent; 130 after Ctrl-C.`
}

// Run measures, compares and writes.
func (e *evalPhotosCommand) Run(ctx context.Context, c *console) error {
	photos, err := e.photos(c)
	if err != nil {
		return err
	}
	before, err := e.check(photos)
	if err != nil {
		return err
	}
	if e.Out != "" && e.Out != noFolder { // before anything is paid for
		if err := os.MkdirAll(e.Out, 0o755); err != nil {
			return usage("--out: %s", err)
		}
	}
	report, err := e.measure(ctx, c, photos)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	if before == nil {
		return e.tell(c, report, photos, nil)
	}
	compared, err := accuracy.Compare(*before, report, e.Tolerance)
	if err != nil { // print the results that were paid for
		return errors.Join(fmt.Errorf("--against %s: %w", e.Against, err), e.tell(c, report, photos, nil))
	}
	return e.tell(c, report, photos, &compared)
}

// photos returns the photos to analyse, and says how many have no label.
func (e *evalPhotosCommand) photos(c *console) ([]accuracy.Photo, error) {
	switch {
	case len(e.Answers) > 0 && (e.Drawn || e.Dir != ""):
		return nil, usage("--answers is in place of a folder with labels and of --drawn: leave one out")
	case len(e.Answers) > 0:
		photos, err := accuracy.RecordedSet{Answers: e.Answers, Photos: e.PhotosIn, Truth: e.Truth}.Read()
		if err != nil {
			return nil, usage("--answers: %s", err)
		}
		return photos, nil
	case e.Drawn && e.Dir != "":
		return nil, usage("--drawn is in place of %s: leave one out", e.Dir)
	case e.Drawn:
		return accuracy.Drawn()
	case e.Dir == "":
		return nil, usage("name a folder of photos with a %s, or --drawn; eval search and eval thresholds measure other things", accuracy.LabelsFile)
	}
	photos, unlabelled, err := accuracy.ReadFolder(e.Dir)
	if err != nil {
		return nil, usageError{err}
	}
	if unlabelled > 0 {
		c.say("%d photos have no label and are not measured", unlabelled)
	}
	for _, p := range photos {
		q := question{Country: p.Country, Lang: p.Lang}
		if err := q.check(); err != nil {
			return nil, usage("%s: %s: %s", accuracy.LabelsFile, p.File, err)
		}
	}
	return photos, nil
}

// check refuses options that cannot be measured, and returns the report to compare with.
func (e *evalPhotosCommand) check(photos []accuracy.Photo) (*accuracy.Report, error) {
	if _, err := e.models(); err != nil {
		return nil, err
	}
	for _, s := range e.settings() {
		q := question{Country: e.Country, Lang: e.Lang, Policy: s.Policy, SecondLook: s.SecondLook}
		if err := cmp.Or(q.check(), thinkingCheck(s.Thinking)); err != nil {
			return nil, err
		}
	}
	switch {
	case len(e.Thinking) > 0 && e.elsewhere.address() != "" && slices.ContainsFunc(e.settings(), func(s accuracy.Settings) bool { return !inProcessModel(s.Model) }):
		return nil, usage("--thinking is set where the service is deployed (JUDGE_THINKING and the like): leave it out with --url")
	case !(e.Tolerance >= 0 && e.Tolerance <= 1):
		return nil, usage("--tolerance is %v: want a share, 0 to 1", e.Tolerance)
	case e.Jobs < 1 || e.Jobs > maxJobs:
		return nil, usage("--jobs is %d: want 1 to %d", e.Jobs, maxJobs)
	case e.Against == "":
		return nil, nil
	}
	before, err := accuracy.ReadReport(e.Against)
	if err != nil {
		return nil, usage("--against: %s", err)
	}
	if err := before.Comparable(e.settings(), photos); err != nil {
		return nil, usage("--against %s: %s", e.Against, err)
	}
	return &before, nil
}

// models is of recorded answers, or of models that are none.
func (e *evalPhotosCommand) models() ([]string, error) {
	recorded := slices.Equal(e.Model, []string{modelRecorded})
	switch {
	case recorded != (len(e.Answers) > 0):
		return nil, usage("--model recorded, alone, and --answers FOLDER go together")
	case recorded && e.URL == nil && !e.Emulated:
		return e.Model, nil
	}
	return e.measuredBy.models()
}

// settings returns all combinations to measure, those of one service together.
func (e *evalPhotosCommand) settings() (all []accuracy.Settings) {
	or := func(values []string) []string {
		if len(values) == 0 {
			return []string{""}
		}
		return values
	}
	models, _ := e.models() // check has refused invalid ones
	for _, model := range models {
		for _, thinking := range or(e.Thinking) {
			for _, policy := range or(e.Policy) {
				for _, look := range or(e.SecondLook) {
					s := accuracy.Settings{Model: model, Policy: policy, SecondLook: look, Thinking: thinking}
					if !slices.Contains(all, s) {
						all = append(all, s)
					}
				}
			}
		}
	}
	return all
}

// thinkingOf parses s: the thinking levels of reading, judging and searching.
func thinkingOf(s string) []string {
	levels := strings.Split(s, "/")
	if len(levels) == 1 {
		levels = []string{s, s, s}
	}
	return levels
}

func thinkingCheck(s string) error {
	levels := thinkingOf(s)
	for _, level := range levels {
		if err := gemini.Thinking(level).Check(); err != nil || len(levels) != 3 || level == "" && s != "" {
			return usage("--thinking %q: want minimal, low, medium or high, for all or as READ/JUDGE/SEARCH", s)
		}
	}
	return nil
}

// measure analyses all photos with all settings. Each model and each combination of
// thinking levels has a service of its own.
func (e *evalPhotosCommand) measure(ctx context.Context, c *console, photos []accuracy.Photo) (accuracy.Report, error) {
	var runs []accuracy.Measure
	var name string
	settings := e.settings()
	known, err := e.known(photos, settings)
	if err != nil {
		return accuracy.Report{}, err
	}
	c.say("%d photos, %d settings: %d analyses", len(photos), len(settings), len(photos)*len(settings))
	for len(settings) > 0 {
		one := settings[0]
		s, err := e.service(ctx, c, one, known)
		if err != nil {
			return accuracy.Report{}, err
		}
		if name = s.base; name == inProcess {
			name = "whatis in one process"
		}
		for len(settings) > 0 && settings[0].Model == one.Model && settings[0].Thinking == one.Thinking {
			run, err := e.run(ctx, c, s, photos, settings[0])
			if err != nil {
				s.close()
				return accuracy.Report{}, err
			}
			run.MemoryBytes = s.memory(ctx, c)
			runs, settings = append(runs, run), settings[1:]
		}
		s.close()
	}
	return accuracy.NewReport(time.Now(), name, cmp.Or(e.Dir, "the drawn packs"), runs), nil
}

// service opens the service that e names. In this process it uses the given thinking
// levels, and does not learn from searches.
func (e *evalPhotosCommand) service(ctx context.Context, c *console, settings accuracy.Settings, known answers.Options) (*service, error) {
	variables := map[string]string{"LEARN_FROM_SEARCH": "false"}
	if settings.Thinking != "" {
		levels := thinkingOf(settings.Thinking)
		for i, name := range []string{"IMAGE_THINKING", "JUDGE_THINKING", "SEARCH_THINKING"} {
			variables[name] = levels[i]
		}
	}
	for name, value := range variables {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return e.openWith(ctx, c, settings.Model, known)
}

// known returns the labels of photos for a perfect model, which has those of the sample
// packs already.
func (e *evalPhotosCommand) known(photos []accuracy.Photo, settings []accuracy.Settings) (known answers.Options, err error) {
	for _, p := range photos {
		if p.Recording != nil {
			known.Recorded = append(known.Recorded, p.Recording)
		}
	}
	if e.Drawn || !slices.ContainsFunc(settings, func(s accuracy.Settings) bool { return s.Model == modelPerfect }) {
		return known, nil
	}
	for _, p := range photos {
		pack, err := p.Sample()
		if err != nil {
			return known, fmt.Errorf("%s: %w", p.File, err)
		}
		known.Packs = append(known.Packs, pack)
	}
	return known, nil
}

func (e *evalPhotosCommand) run(ctx context.Context, c *console, s *service, photos []accuracy.Photo, settings accuracy.Settings) (accuracy.Measure, error) {
	if !e.Verbose {
		c.begin(len(photos), "photos")
	}
	defer c.end()
	shots, err := accuracy.Run(ctx, photos, settings, e.Jobs, e.asker(s), func(shot accuracy.Shot) {
		c.step(fmt.Sprintf("%s %s: %s", printable(shot.Label.File), shot.Source, wrongOf(shot)), shot.Source == "failed")
	})
	return accuracy.Measured(settings, shots), err
}

func wrongOf(s accuracy.Shot) string {
	if wrong := s.Wrong(); len(wrong) > 0 {
		return "not right: " + strings.Join(wrong, ", ")
	}
	return "right"
}

// asker returns a function that analyses a photo with s, without the cache.
func (e *evalPhotosCommand) asker(s *service) accuracy.Ask {
	return func(ctx context.Context, p accuracy.Photo, settings accuracy.Settings) (accuracy.Answered, error) {
		data, err := p.Data()
		if err != nil {
			return accuracy.Answered{}, err
		}
		values := question{cmp.Or(p.Country, e.Country), cmp.Or(p.Lang, e.Lang), settings.Policy, settings.SecondLook}.values()
		values.Set("fresh", "true")
		var a accuracy.Answered
		searching := false
		a.Result, err = s.askBytes(ctx, p.File, data, values, func(event agent.Event) {
			searching = searching || event.Tool == string(analyze.StepGoogleSearch)
			if searching && event.Usage != nil {
				a.WebUSD += event.Usage.USD
			}
			a.CodeQueries += codeQueries(event)
		})
		return a, err
	}
}

// codeQueries returns how many queries of a web search were for a GTIN or an ISBN.
func codeQueries(event agent.Event) (n int) {
	data, _ := event.Data.(map[string]any)
	queries, _ := data["queries"].([]any)
	for _, query := range queries {
		if text, _ := query.(string); event.Kind == agent.ToolResult {
			if _, ok := gs1.GTIN(text); ok {
				n++
			}
		}
	}
	return n
}

// askBytes analyses the bytes of a photo.
func (s *service) askBytes(ctx context.Context, name string, data []byte, values url.Values, watch func(agent.Event)) (raw json.RawMessage, err error) {
	r := request{method: "POST", path: "/analyze?" + values.Encode(), accept: "text/event-stream, application/json;q=0.9", kind: "application/octet-stream", body: data}
	err = s.patiently(ctx, name, func() error {
		raw, err = s.askOnce(ctx, &r, watch)
		return err
	})
	return raw, err
}
