package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"cloud.google.com/go/storage"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/analyze"
)

// uploadCommand uploads photos to the upload bucket, as clients of a deployment do.
type uploadCommand struct {
	Paths         []string `arg:"" name:"path" help:"Photos, and folders of photos."`
	Country       string   `placeholder:"KR" help:"The country the products are sold in, two letters (the service's default)."`
	Lang          string   `placeholder:"ko" help:"The language of the answers (the service's default)."`
	Set           string   `placeholder:"NAME" help:"The name of these photos together: whatisit results list --set NAME finds their results."`
	NoWait        bool     `help:"Only upload; the results will be in the results bucket, as NAME.json."`
	Jobs          int      `default:"4" placeholder:"N" help:"How many photos are uploaded and waited for at a time (${default})."`
	Bucket        string   `env:"UPLOAD_BUCKET" placeholder:"NAME" help:"The upload bucket (UPLOAD_BUCKET)."`
	ResultsBucket string   `name:"results-bucket" env:"RESULTS_BUCKET" placeholder:"NAME" help:"The results bucket (RESULTS_BUCKET)."`
	keeping
}

// Help returns the help text of whatisit upload, without its flags.
func (uploadCommand) Help() string {
	return `Each photo is uploaded as an object with its name; the service is notified, and writes the result into the results bucket. The command waits at most ten minutes for the result of the uploaded generation. Output is as for whatisit analyze.

    whatisit upload --country KR --lang ko photo.jpg
    whatisit upload --no-wait photos/

With STORAGE_EMULATOR_HOST the bucket is the emulator's (go run ./emulators prints the lines to export). Otherwise the account is the first of these: the access token in GOOGLE_OAUTH_ACCESS_TOKEN, the application default credentials, gcloud's account.

Exit codes: 0 every photo has its result, even "no product", or with --no-wait is uploaded; 1 some photo was not uploaded, failed or has no result; 2 wrong usage, and nothing was uploaded; 130 after Ctrl-C.`
}

// photos returns the photos to upload, whose object names must differ.
func (u *uploadCommand) photos() ([]photo, bool, error) {
	switch {
	case u.Bucket == "" || u.ResultsBucket == "" && !u.NoWait:
		return nil, false, usage("set UPLOAD_BUCKET and RESULTS_BUCKET, or use --bucket and --results-bucket: terraform output and go run ./emulators name them")
	case u.Jobs < 1 || u.Jobs > maxJobs:
		return nil, false, usage("--jobs is %d: want 1 to %d", u.Jobs, maxJobs)
	}
	q := question{Country: u.Country, Lang: u.Lang}
	if err := q.check(); err != nil {
		return nil, false, err
	}
	photos, single, err := photosAt(strings.NewReader(""), u.Paths)
	names := map[string]string{}
	for _, p := range photos {
		name := filepath.Base(p.name)
		if p.name == standardInput {
			return nil, false, usage("standard input has no name, which its object needs: name a file")
		}
		if p.inBucket() {
			return nil, false, usage("%s is already in a bucket: whatisit replay submits it again", p.name)
		}
		if other, twice := names[name]; twice {
			return nil, false, usage("%s and %s would be the same object, %s: rename one", other, p.name, name)
		}
		names[name] = p.name
	}
	return photos, single, err
}

// Run uploads the photos and waits for their results.
func (u *uploadCommand) Run(ctx context.Context, c *console) error {
	photos, single, err := u.photos()
	if err != nil {
		return err
	}
	client, err := objects(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	if u.NoWait {
		u.keeping = keeping{}
	}
	out, err := u.create(time.Now(), single, photos)
	if err != nil {
		return err
	}
	w := &sending{uploadCommand: u, console: c, client: client, out: out, tally: tally{number: len(photos)}}
	if len(photos) > 1 {
		c.begin(len(photos), "photos")
	}
	err = w.all(ctx, photos)
	c.end()
	return w.finish(ctx, err)
}

// A sending is the upload of all photos.
type sending struct {
	*uploadCommand
	*console
	client *storage.Client
	out    *output
	tally
}

func (w *sending) all(ctx context.Context, photos []photo) error {
	group := &errgroup.Group{}
	group.SetLimit(w.Jobs)
	for i, p := range photos {
		group.Go(func() error { return w.one(ctx, i, p) })
	}
	return group.Wait()
}

// one uploads one photo. An error means that the output could not be written.
func (w *sending) one(ctx context.Context, i int, p photo) error {
	if ctx.Err() != nil {
		return nil
	}
	label := fmt.Sprintf("[%d/%d] %s", i+1, w.number, p.name)
	r, raw, err := w.send(ctx, p)
	if err != nil && ctx.Err() != nil {
		return nil
	}
	w.done.Add(1)
	switch {
	case err != nil:
		w.failed.Add(1)
		w.step(fmt.Sprintf("%s failed: %s", label, err), true)
		return nil
	case raw == nil:
		w.step(fmt.Sprintf("%s uploaded to gs://%s/%s", label, w.Bucket, filepath.Base(p.name)), false)
		return nil
	}
	if r.Error == analyze.AnalysisFailed {
		w.failed.Add(1)
	}
	if isEmulated(r) {
		w.emulated()
	}
	w.step(label+" "+summary(r), r.Error == analyze.AnalysisFailed || !w.wantsJSON())
	return w.out.add(entry{at: i, File: p.name, Result: raw})
}

// send uploads p and waits for its result, which is nil with --no-wait.
func (w *sending) send(ctx context.Context, p photo) (r analyze.Result, raw json.RawMessage, err error) {
	name := filepath.Base(p.name)
	generation, err := w.put(ctx, p, name)
	if err != nil {
		return r, nil, fmt.Errorf("not uploaded: %w", err)
	}
	if w.NoWait {
		return r, nil, nil
	}
	return w.result(ctx, name, generation)
}

// put writes the object and returns its generation.
func (w *sending) put(ctx context.Context, p photo, name string) (int64, error) {
	data, err := p.read()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends an upload that is not closed
	o := w.client.Bucket(w.Bucket).Object(name).NewWriter(ctx)
	o.Metadata = map[string]string{}
	for key, value := range map[string]string{"country": w.Country, "lang": w.Lang, "set": w.Set} {
		if value != "" {
			o.Metadata[key] = value
		}
	}
	if _, err := o.Write(data); err != nil {
		return 0, err
	}
	if err := o.Close(); err != nil {
		return 0, err
	}
	return o.Attrs().Generation, nil
}

// The longest wait for a result, and the interval between looks at the bucket.
const (
	longestResult = 10 * time.Minute
	soonest       = 100 * time.Millisecond
	latest        = time.Second
)

// result waits for the result of a generation of the object.
func (w *sending) result(ctx context.Context, name string, generation int64) (r analyze.Result, raw json.RawMessage, err error) {
	begin := time.Now()
	for wait := soonest; ; wait = min(wait*5/4, latest) {
		r, raw, err = w.look(ctx, name)
		switch {
		case err != nil:
			return r, nil, err
		case raw != nil && r.Image != nil && r.Image.Generation == generation:
			return r, raw, nil
		case raw != nil && r.Image != nil && r.Image.Generation > generation:
			return r, nil, fmt.Errorf("another photo of that name was uploaded meanwhile, and the result is of that one")
		case time.Since(begin) > longestResult:
			return r, nil, fmt.Errorf("no result after %s: see whatisit logs %s", longestResult, name)
		}
		if err := sleep(ctx, wait); err != nil {
			return r, nil, err
		}
	}
}

// look reads the result object, nil if there is none.
func (w *sending) look(ctx context.Context, name string) (r analyze.Result, raw json.RawMessage, err error) {
	o, err := w.client.Bucket(w.ResultsBucket).Object(name + ".json").NewReader(ctx)
	if errors.Is(err, storage.ErrObjectNotExist) {
		return r, nil, nil
	}
	if err != nil {
		return r, nil, err
	}
	defer o.Close()
	if raw, err = io.ReadAll(io.LimitReader(o, longestLine)); err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, nil, fmt.Errorf("gs://%s/%s.json is not a result: %w", w.ResultsBucket, name, err)
	}
	return r, raw, nil
}

// finish prints the JSON.
func (w *sending) finish(ctx context.Context, err error) error {
	_, kept := w.out.finish(w.results())
	shown := w.out.page.write((&service{}).pictures(context.Background()), fmt.Sprintf("%d photos, %d failed", w.number, w.failed.Load()), w.out.entries)
	return w.outcome(ctx, err, kept, shown)
}
