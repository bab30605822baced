package intake

import (
	"cmp"
	"context"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
)

// A Source is where the bytes of a photo come from.
type Source struct {
	Data []byte // the bytes, or
	URI  string // gs://bucket/object, in a readable bucket
}

// A Photo is one that somebody asks about and waits for.
type Photo struct {
	Data    []byte   // the bytes, or
	URI     string   // gs://bucket/object, in a readable bucket
	More    []Source // further photos of the same product
	Options Options
	Fresh   bool // even if the same photo was analysed before
	Resumed bool // asked for again by somebody who has seen a part: a Fresh one that has ended is fresh enough
}

// Photo analyses p and hands every event of the agents to watch, which may be
// nil. Requests that are the same at the same time share one run. Room in memory
// is taken for what is fetched; for Data the caller has it. Errors are
// *photo.Error, *gemini.Error, *admission.Busy, ErrOption, ErrForbidden,
// analyze.ErrTooMany, blob.ErrNotFound, blob.ErrTooLarge or of the services behind
// it.
func (in *Intake) Photo(ctx context.Context, p Photo, watch func(*agent.Event)) (analyze.Result, error) {
	req, err := in.Defaults.Request(p.Options)
	if err != nil {
		return analyze.Result{}, err
	}
	req.Attempts = gemini.CallerAttempts
	return in.Run.Ask(ctx, &asked{
		Spec: jobs.Spec{Item: jobs.Item{Kind: kindHTTP, Subject: p.URI}, Fresh: p.Fresh, Resumed: p.Resumed},
		in:   in, sources: append([]Source{{p.Data, p.URI}}, p.More...), req: req,
	}, watch)
}

// An asked is the job of a photo, or of several of a product, that somebody asks about.
type asked struct {
	jobs.Spec
	in      *Intake
	id      string
	sources []Source
	req     analyze.Request
	uploads []photo.Upload
	leave   func() // gives back the room for what was fetched; nil while there is none
}

// Open reads the photos. The result's ID is the name of all that decides it.
func (a *asked) Open(ctx context.Context) error {
	if err := a.gather(ctx); err != nil {
		return err
	}
	a.sources = nil // so that what is prepared need not lie beside it
	a.id = a.in.Pipeline.Key(a.req)
	a.Name = cmp.Or(a.req.URI, "sha256:"+a.req.Photo.SHA256)
	a.CacheKey, a.CacheTag = a.id, a.req.Photo.SHA256
	a.Item.ID, a.Item.Index = a.id, jobs.Index{generationField: a.req.Generation}
	a.Attributes = attributes(a.req.URI, a.req.Generation)
	return nil
}

// Close gives back the room of what was fetched.
func (a *asked) Close() {
	if a.leave != nil {
		a.leave()
	}
}

// FromCache is an earlier result as this request gets it.
func (a *asked) FromCache(_ context.Context, earlier analyze.Result, age time.Duration) (analyze.Result, error) {
	r := forRequest(earlier, a.req, age)
	r.ID = a.id
	return r, nil
}

// Do finds out what the photos show.
func (a *asked) Do(ctx context.Context, watch func(*agent.Event)) (analyze.Result, error) {
	release, err := a.in.prepareAll(ctx, a.uploads, &a.req)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	clear(a.uploads) // where metadata were cut out, the file is not held beside what is sent
	r, err := a.in.Pipeline.Run(ctx, a.req, watch)
	r.ID = a.id
	return r, err
}
