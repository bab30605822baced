package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/usererror"
)

// analyzeCommand analyses photos one by one.
type analyzeCommand struct {
	Paths []string `arg:"" name:"path" help:"Photos, folders of photos, gs://bucket/photo.jpg, - for a photo on standard input; a number at the end is how many of them to take."`
	where
	question
	AsOne bool   `help:"All photos show one product, and have one result."`
	Set   string `placeholder:"NAME" help:"The name of these photos together: whatisit results list --set NAME finds their results."`
	Fresh bool   `help:"Ask the model even if the same photo was analysed before."`
	sampling
	Jobs int `default:"4" placeholder:"N" help:"How many photos are analysed at a time (${default})."`
	keeping
}

// maxJobs is the largest --jobs: an instance accepts no more at a time.
const maxJobs = 64

// Help returns the help text of whatisit analyze, without its flags.
func (analyzeCommand) Help() string {
	return `A folder stands for all its photos, sorted by name: .jpg .jpeg .png .webp .gif .bmp .tiff .tif .heic .heif, in upper or lower case; subfolders are skipped. Each photo is a line on standard error, with a progress bar on a terminal. If standard output is not a terminal, or with --json, the JSON is printed there at the end: the result of a single photo, else a list of {"file", "result"} in the order of the photos. No file is written unless --out or --html names it; --out writes each result at once.

    whatisit analyze --emulated photo.jpg
    whatisit analyze --url https://… --country US --lang en photos/
    curl -s https://… | whatisit analyze -    a photo on standard input
    whatisit analyze photos/ 20               the first 20
    whatisit analyze photos/ 20 --random      any 20
    whatisit analyze -v photo.jpg | jq .product_name
    whatisit analyze --as-one front.jpg back.jpg    one product, one result
    whatisit analyze photos/ --html report.html --out results/
    whatisit analyze --set 'Tuesday shelf' photos/ && whatisit results list --set 'Tuesday shelf' --csv

The service is the first of these: --emulated; --url; API_URL; Google services, if UPLOAD_BUCKET and RESULTS_BUCKET are set, with the variables of docs/configuration.md. An API key alone selects none of them and spends nothing. An https service receives the identity token in WHATIS_TOKEN, else gcloud's. --emulated uses the emulators that run on this machine, and else this process alone, into whose catalogue PRODUCTS_DB is imported.

Exit codes: 0 every photo has its result, even "no product"; 1 some photo failed; 2 wrong usage, and no request was sent; 130 after Ctrl-C: finished results are written and printed.`
}

// A question has the options of an analysis. Empty fields mean the service's defaults.
type question struct {
	Country    string `placeholder:"KR" help:"The country the products are sold in, two letters (the service's default: KR)."`
	Lang       string `placeholder:"ko" help:"The language of the answers (the service's default: ko)."`
	Policy     string `placeholder:"seed|strict" help:"How much confidence in the photo's text is enough."`
	SecondLook string `placeholder:"doubt|always|never" help:"When the stronger model looks again."`
}

// check refuses options that every service refuses.
func (q question) check() error {
	err := intake.Options{
		Country: cmp.Or(q.Country, "KR"), Lang: cmp.Or(q.Lang, "ko"), Policy: q.Policy, SecondLook: q.SecondLook,
	}.Check()
	if err != nil {
		return usage("%s", usererror.Text(err))
	}
	return nil
}

func (q question) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"country": q.Country, "lang": q.Lang, "policy": q.Policy, "second_look": q.SecondLook} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// values returns the options of the photos.
func (a *analyzeCommand) values() url.Values {
	v := a.question.values()
	if a.Set != "" {
		v.Set("set", a.Set)
	}
	return v
}

// A sampling has the flags that choose among many photos.
type sampling struct {
	Sample *int    `placeholder:"N" help:"Take N photos at most."`
	Random bool    `help:"Take a random sample instead of the first."`
	Seed   *uint64 `placeholder:"S" help:"Repeat the sample of the run that printed this seed."`
}

func (s sampling) check() error {
	switch {
	case s.Sample != nil && *s.Sample < 1:
		return usage("--sample is %d: want how many photos, 1 or more", *s.Sample)
	case s.Random && s.Sample == nil:
		return usage("--random draws a sample: say of how many photos, as in --sample 10")
	case s.Seed != nil && !s.Random:
		return usage("--seed is of a draw: add --random")
	}
	return nil
}

// photos returns the photos that the command line names, and whether it names a single
// one.
func (a *analyzeCommand) photos(c *console) ([]photo, bool, error) {
	paths, count, err := split(a.Paths)
	if err != nil {
		return nil, false, err
	}
	switch {
	case count > 0 && a.Sample != nil:
		return nil, false, usage("COUNT and --sample say the same: leave one out")
	case count > 0:
		a.Sample = &count
	}
	if err := cmp.Or(a.sampling.check(), a.question.check()); err != nil {
		return nil, false, err
	}
	if a.Jobs < 1 || a.Jobs > maxJobs {
		return nil, false, usage("--jobs is %d: want 1 to %d", a.Jobs, maxJobs)
	}
	photos, single, err := photosAt(c.in, paths)
	if err != nil || a.Sample == nil {
		return photos, single, err
	}
	return a.drawn(c, photos), single, nil
}

// drawn returns the sample of photos, and prints the seed that repeats it.
func (a *analyzeCommand) drawn(c *console, photos []photo) []photo {
	if a.Random && a.Seed == nil {
		seed := uint64(rand.Uint32())
		a.Seed = &seed
	}
	taken := sample(photos, *a.Sample, a.Seed)
	if a.Random {
		c.say("drew %d of %d photos; --seed %d draws them again", len(taken), len(photos), *a.Seed)
	}
	return taken
}

// Run analyses the photos.
func (a *analyzeCommand) Run(ctx context.Context, c *console) error {
	photos, single, err := a.photos(c)
	if err != nil {
		return err
	}
	a.where = a.found(c)
	if err := a.reachable(photos); err != nil {
		return err
	}
	if a.AsOne {
		if photos, err = asOne(photos); err != nil {
			return err
		}
		single = true
	}
	s, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	out, err := a.create(time.Now(), single, photos)
	if err != nil {
		return err
	}
	w := &work{service: s, console: c, out: out, options: a.values(), tally: tally{number: len(photos)}, verbose: a.Verbose}
	if a.Fresh {
		w.options.Set("fresh", "true")
	}
	if a.AsOne {
		w.options.Set("as", "one")
	}
	if !a.Verbose && len(photos) > 1 {
		c.begin(len(photos), "photos")
	}
	err = w.all(ctx, photos, a.Jobs)
	c.end()
	return w.finish(ctx, err)
}

// reachable refuses objects in buckets with --emulated, which has no buckets of the user.
func (a *analyzeCommand) reachable(photos []photo) error {
	for _, p := range photos {
		if a.Emulated && p.inBucket() {
			return usage("%s: --emulated has no buckets: name a file", p.name)
		}
	}
	return nil
}

// A work is the analysis of all photos.
type work struct {
	*service
	*console
	out     *output
	options url.Values
	tally
	verbose bool

	unidentified atomic.Int64
	microUSD     atomic.Int64
}

// all analyses photos, at most jobs at a time. It stops with an error if a result cannot
// be written, to avoid paying for results that are lost.
func (w *work) all(ctx context.Context, photos []photo, jobs int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for i, p := range photos {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			return w.one(ctx, i, p)
		})
	}
	return group.Wait()
}

// one analyses one photo and records its result, unless ctx ends first.
func (w *work) one(ctx context.Context, i int, p photo) error {
	begin := time.Now()
	label := w.label(i, p)
	raw, err := w.ask(ctx, p, w.options, func(e agent.Event) {
		if w.verbose {
			w.say("%s %s", label, describe(e))
		}
	})
	if err != nil && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		raw = failure(err, time.Since(begin))
	}
	var r analyze.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		raw = failure(err, time.Since(begin))
		_ = json.Unmarshal(raw, &r) // it was just written
	}
	w.count(r)
	kept := w.out.add(entry{at: i, data: p.data, File: p.name, Result: raw})
	w.step(label+" "+summary(r), r.Error == analyze.AnalysisFailed || !w.wantsJSON())
	if because := why(r); w.verbose && because != "" {
		w.say("%s why: %s", label, because)
	}
	return kept
}

func (w *work) count(r analyze.Result) {
	w.done.Add(1)
	w.microUSD.Add(int64(r.CostUSD * 1e6))
	if r.Error == analyze.AnalysisFailed {
		w.failed.Add(1)
	}
	if intake.SourceOf(r) == intake.Unidentified {
		w.unidentified.Add(1)
	}
	if isEmulated(r) {
		w.emulated()
	}
}

// finish prints the JSON and a closing line with totals.
func (w *work) finish(ctx context.Context, err error) error {
	path, kept := w.out.finish(w.results())
	closing := fmt.Sprintf("%d of %d photos, %s, $%.4f", w.done.Load(), w.number, counted(int(w.unidentified.Load()), int(w.failed.Load())), float64(w.microUSD.Load())/1e6)
	w.say("%s", strings.TrimSuffix(closing+": "+path, ": "))
	shown := w.out.page.write(w.service.pictures(context.WithoutCancel(ctx)), closing, w.out.entries)
	return w.outcome(ctx, err, kept, shown)
}
