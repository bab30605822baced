// Package intake turns one photo into one result, exactly once.
//
//	delivery → claim → photo → analyze → finish → <name>.json in the results bucket
//	upload over HTTP → photo → cached, or shared, or analyze → Result
//
// What can never succeed becomes an error result; what may succeed later is an
// error, and the object is delivered again and goes on behind what is paid for.
package intake

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/topic"
	"example.com/whatis/internal/work"
)

// Config is what an Intake is made of.
type Config struct {
	Pipeline *analyze.Pipeline
	Objects  *blob.Store
	Work     *work.Store
	Memory   *admission.Limiter // for what photos hold in memory
	Events   *topic.Topic       // is told of each finished result; nil tells nobody
	Failures *topic.Topic       // is told of each photo that is given up; nil tells nobody
	Results  string             // bucket of the results
	Readable []string           // buckets whose photos may be asked for by URI
	Defaults Options
	Limits   photo.Limits

	// GiveUpAfter is the age at which a photo is given up: 24 h. It begins with the
	// first attempt that reached a model (work.Reason).
	GiveUpAfter time.Duration
}

// An Intake takes photos in. It is safe for concurrent use.
type Intake struct {
	Config
	runs runs
}

// New returns the intake of c.
func New(c Config) (*Intake, error) {
	for field, missing := range map[string]bool{
		"Pipeline": c.Pipeline == nil, "Objects": c.Objects == nil, "Work": c.Work == nil,
		"Memory": c.Memory == nil, "Results": c.Results == "",
	} {
		if missing {
			return nil, fmt.Errorf("intake: Config.%s is not set", field)
		}
	}
	if err := c.Defaults.Check(); err != nil {
		return nil, fmt.Errorf("intake: Config.Defaults: %w", err)
	}
	var err error
	if c.Work, err = c.Work.For(Schema); err != nil {
		return nil, fmt.Errorf("intake: %w", err)
	}
	c.Limits.MaxBytes = cmp.Or(c.Limits.MaxBytes, maxBytes)
	c.Limits.MaxMemory = c.Memory.MaxWork()
	c.GiveUpAfter = cmp.Or(c.GiveUpAfter, maxAge)
	return &Intake{Config: c}, nil
}

// maxBytes bounds a photo as it comes in.
const maxBytes = 30 << 20

// How often a model call is tried. A delivery comes again by itself; a person
// who waits for the answer does not.
const (
	deliveryAttempts = 1
	personAttempts   = 3
)

// Unidentified takes the place of the source of a product that nobody identified,
// wherever people see or ask for sources. The JSON of the result keeps the seed's
// last resort, google_search, even if no search was made.
const Unidentified = analyze.WarnUnidentified

// SourceOf is what identified the product of r: its source, or Unidentified; empty
// without a product.
func SourceOf(r analyze.Result) string {
	switch {
	case r.Identification == nil:
		return ""
	case slices.Contains(r.Warnings, analyze.WarnUnidentified):
		return Unidentified
	}
	return string(r.Source)
}

// logResult notes what came of a photo, at which attempt. The dashboard counts
// these lines.
func logResult(ctx context.Context, photo string, attempt int, r analyze.Result) {
	slog.InfoContext(ctx, "object analysed", "object", photo, "attempt", attempt, "source", source(r),
		"cached", r.Cached, "took", r.InferenceTime, "cost_usd", r.CostUSD)
}

// asked is how the log names a photo that somebody asked about.
func asked(req analyze.Request) string { return cmp.Or(req.URI, "sha256:"+req.Photo.SHA256) }

// logCost notes what a run cost that has no result.
func logCost(ctx context.Context, photo string, spent analyze.Result, err error) {
	slog.WarnContext(ctx, "analysis broken off", "photo", photo, "error", err, "cost_usd", spent.CostUSD,
		"total_tokens", spent.TokenUsage.Total, "generate_calls", spent.ModelCalls.Generate)
}

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
	req, err := in.Defaults.request(p.Options)
	if err != nil {
		return analyze.Result{}, err
	}
	req.Attempts = personAttempts
	uploads, leave, err := in.gather(ctx, p, &req)
	if err != nil {
		return analyze.Result{}, err
	}
	defer leave()
	p.Data, p.More = nil, nil
	id := in.Pipeline.Key(req)
	key := fmt.Sprint(id, p.URI, p.Fresh)
	if !p.Fresh || p.Resumed && !in.runs.running(key) {
		if r := in.cached(ctx, req); r != nil {
			r.ID = id
			logResult(ctx, asked(req), 1, *r)
			return *r, nil
		}
	}
	return in.runs.join(ctx, key, watch, func(ctx context.Context, watch func(*agent.Event)) (analyze.Result, error) {
		return in.answer(ctx, id, req, uploads, watch)
	})
}

// answer analyses the photos of uploads as req says, and keeps the result for the
// next who ask and for listings.
func (in *Intake) answer(ctx context.Context, id string, req analyze.Request, uploads []photo.Upload, watch func(*agent.Event)) (analyze.Result, error) {
	release, err := in.prepareAll(ctx, uploads, &req)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	clear(uploads) // where metadata were cut out, the file is not held beside what is sent
	r, err := in.Pipeline.Run(ctx, req, watch)
	if err != nil {
		logCost(ctx, asked(req), r, err)
		return r, err
	}
	r.ID = id
	logResult(ctx, asked(req), 1, r)
	in.keep(ctx, req, r)
	return r, nil
}

// keep writes r where finished work is listed and the same request finds it again,
// and tells of it. It was paid for, so that it is kept even when nobody waits for
// it any more; the photo has its answer whether or not that succeeds.
func (in *Intake) keep(ctx context.Context, req analyze.Request, r analyze.Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
	defer cancel()
	o, err := in.analysed(r.Public(), req)
	if err == nil {
		err = in.Work.Record(ctx, work.Item{ID: r.ID, Kind: kindHTTP, Subject: req.URI, Index: work.Index{generationField: work.Number(req.Generation)}}, o, time.Now())
	}
	if err == nil {
		err = in.announce(ctx, r.ID, req.URI, req.Generation, o)
	}
	if err != nil {
		slog.WarnContext(ctx, "result not kept", "error", err)
	}
}
