// Package intake turns one photo into one result.
//
//	delivery → Object → photo → analyze → <name>.json in the results bucket
//	upload over HTTP  → photo → analyze → Result
//
// What can never succeed is answered with an error result; what may succeed
// later is an error, and the object is delivered again.
package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// Config is what an Intake is made of.
type Config struct {
	Pipeline *analyze.Pipeline
	Objects  *blob.Store
	Results  string   // bucket of the results
	Readable []string // buckets whose photos may be asked for by URI
	Defaults Options
	Limits   photo.Limits
}

// An Intake takes photos in. It is safe for concurrent use.
type Intake struct {
	Config
}

// New returns the intake of c.
func New(c Config) (*Intake, error) {
	if c.Pipeline == nil || c.Objects == nil {
		return nil, errors.New("intake: Config.Pipeline or Config.Objects is not set")
	}
	if c.Results == "" {
		return nil, errors.New("intake: Config.Results is not set")
	}
	if err := c.Defaults.Check(); err != nil {
		return nil, fmt.Errorf("intake: Config.Defaults: %w", err)
	}
	c.Limits.MaxBytes = cmp.Or(c.Limits.MaxBytes, maxBytes)
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

// Object takes in one generation of an object and writes its result, unless
// there is one. It returns an error only when another delivery may do better.
func (in *Intake) Object(ctx context.Context, o Object) error {
	if reason := in.skip(o); reason != "" {
		slog.InfoContext(ctx, "object skipped", "object", o.URI(), "reason", reason)
		return nil
	}
	done, err := in.Objects.HasResult(ctx, in.Results, o.resultName(), o.Origin)
	if err != nil || done {
		return err
	}
	result, err := in.analyzeObject(ctx, o)
	if errors.Is(err, blob.ErrNotFound) {
		slog.InfoContext(ctx, "object skipped", "object", o.URI(), "reason", "this generation is gone")
		return nil
	}
	if err != nil {
		return fmt.Errorf("intake: %s: %w", o.URI(), err)
	}
	wrote, err := in.Objects.PutNewer(ctx, in.Results, o.resultName(), result, o.Origin)
	if err != nil {
		return fmt.Errorf("intake: %w", err)
	}
	slog.InfoContext(ctx, "object analysed", "object", o.URI(), "wrote", wrote,
		"source", source(result), "took", result.InferenceTime, "cost_usd", result.CostUSD)
	return nil
}

// source is what decided, or the error of a result without a product.
func source(r analyze.Result) string {
	if r.Identification == nil {
		return r.Error
	}
	return string(r.Source)
}

// skip says why o is no work, "" when it is.
func (in *Intake) skip(o Object) string {
	switch {
	case strings.HasSuffix(o.Name, "/"):
		return "it is a folder"
	case o.Bucket == in.Results:
		return "it lies in the results bucket"
	case blob.IsResult(o.Metadata):
		return "it is a result itself"
	}
	return ""
}

// analyzeObject reads and analyses o. A fault that no other delivery would mend
// becomes an error result.
func (in *Intake) analyzeObject(ctx context.Context, o Object) (analyze.Result, error) {
	start := time.Now()
	req, unknown := in.Defaults.objectRequest(o)
	result, err := in.analyzeRead(ctx, &req, o)
	if err != nil && !permanent(err) {
		logCost(ctx, o.URI(), result)
		return result, err
	}
	if err != nil {
		result = result.Failed(err.Error(), false)
		result.InferenceTime = fmt.Sprintf("%.2fs", time.Since(start).Seconds())
		result.Country, result.Lang = req.Country, req.Lang
		if result.Image == nil {
			result.Image = &analyze.Image{URI: o.URI(), Generation: o.Generation}
		}
	}
	result.ID = identity(o.Bucket, o.Name, fmt.Sprint(o.Generation))
	result.Warnings = append(result.Warnings, unknown...)
	return result, nil
}

// logCost notes what a run cost that has no result.
func logCost(ctx context.Context, photo string, spent analyze.Result) {
	slog.WarnContext(ctx, "analysis broken off", "photo", photo, "cost_usd", spent.CostUSD,
		"total_tokens", spent.TokenUsage.Total, "generate_calls", spent.ModelCalls.Generate)
}

func (in *Intake) analyzeRead(ctx context.Context, req *analyze.Request, o Object) (analyze.Result, error) {
	data, _, err := in.Objects.Read(ctx, o.Origin, in.Limits.MaxBytes)
	if err != nil {
		return analyze.Result{}, err
	}
	if req.Photo, err = photo.Prepare(data, in.Limits); err != nil {
		return analyze.Result{}, err
	}
	return in.Pipeline.Run(ctx, *req, nil)
}

// permanent reports a fault of the photo itself: the same bytes would meet it
// again. Everything else is passing, or is mended by whoever runs the service.
func permanent(err error) bool {
	var bad *photo.Error
	var model *gemini.Error
	switch {
	case errors.As(err, &bad), errors.Is(err, blob.ErrTooLarge):
		return true
	case errors.As(err, &model):
		return model.Kind == gemini.Blocked || model.Kind == gemini.Truncated || model.Kind == gemini.BadImage
	}
	return false
}

// A Photo is one that somebody asks about and waits for.
type Photo struct {
	Data    []byte // the bytes, or
	URI     string // gs://bucket/object, in a readable bucket
	Options Options
}

// Photo analyses p and hands every event of the agents to watch, which may be
// nil. Errors are *photo.Error, *gemini.Error, ErrOption, ErrForbidden,
// blob.ErrNotFound, blob.ErrTooLarge or of the services behind it.
func (in *Intake) Photo(ctx context.Context, p Photo, watch func(*agent.Event)) (analyze.Result, error) {
	req, err := in.Defaults.request(p.Options)
	if err != nil {
		return analyze.Result{}, err
	}
	req.Attempts = personAttempts
	if p.URI != "" {
		if err := in.fetch(ctx, &p, &req); err != nil {
			return analyze.Result{}, err
		}
	}
	if req.Photo, err = photo.Prepare(p.Data, in.Limits); err != nil {
		return analyze.Result{}, err
	}
	result, err := in.Pipeline.Run(ctx, req, watch)
	if err != nil {
		logCost(ctx, "sha256:"+req.Photo.SHA256, result)
	}
	result.ID = identity(req.Photo.SHA256, req.Country, req.Lang)
	return result, err
}

// fetch reads the photo at p.URI.
func (in *Intake) fetch(ctx context.Context, p *Photo, req *analyze.Request) error {
	origin, err := in.locate(p.URI)
	if err != nil {
		return err
	}
	p.Data, req.Generation, err = in.Objects.Read(ctx, origin, in.Limits.MaxBytes)
	req.URI = p.URI
	return err
}

// identity is the ID of a result: a hash of what it is of.
func identity(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		_, _ = io.WriteString(h, s+"\x00")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
