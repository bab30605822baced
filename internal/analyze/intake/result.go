package intake

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
)

// The kinds of work.
const (
	kindUpload = "upload" // an object in a bucket
	kindHTTP   = "http"   // a photo in an HTTP request; the subject is its URI, if any
	kindBatch  = "batch"  // a photo of a batch
)

// The index fields of photos and results.
const (
	bucketField     = "bucket"
	generationField = "generation"
	sourceField     = "source"  // SourceOf
	doubtField      = "doubt"   // a person should look at it
	setField        = "batch"   // of a photo: the ID of its batch, or the name of the set that it was sent in
	itemField       = "item"    // index of the photo in its batch
	verdictField    = "verdict" // a person's latest verdict
	termsField      = "terms"   // what the result is found by; see terms
	expiresField    = "expires" // the expiration date as a number, 20270314; 0 without one
	askerField      = "asker"   // hash of who asked over HTTP; "" where nobody is told apart
	queueField      = "queue"   // above 0 if a person should look at it and has not: higher comes first
)

// Schema declares the index fields of jobs on photos. The subject is the object's
// name.
var Schema = jobs.Schema{
	Item:    jobs.Index{bucketField: "", generationField: int64(0), askerField: "", setField: "", itemField: int64(0)},
	Outcome: jobs.Index{sourceField: "", doubtField: false, verdictField: "", queueField: int64(0), termsField: []string(nil), expiresField: int64(0)},
}

// photos implements the job kind whose results are analyses of photos.
type photos struct{}

// Describe returns the index fields of r, and the attributes of the message about it:
//
//	source   that of the JSON: image, local_db or google_search; empty without a product
//	outcome  product, no_product or failed
//
// A photo of no product is not a failure: a replay would pay for it again.
func (photos) Describe(r analyze.Result) jobs.Facts {
	f := jobs.Facts{
		Index:      jobs.Index{sourceField: SourceOf(r), doubtField: r.Doubtful(), queueField: queued(r), verdictField: r.Verdict(), termsField: terms(r), expiresField: dayNumber(r.Expires())},
		Attributes: map[string]string{"source": "", "outcome": "product"},
	}
	if r.Identification != nil {
		f.Attributes["source"] = string(r.Source)
	}
	switch {
	case r.Error == analyze.AnalysisFailed:
		f.Error, f.GivenUp = r.Error, slices.Contains(r.Warnings, WarnGivenUp)
		f.Attributes["outcome"] = "failed"
	case SourceOf(r) == "":
		f.Attributes["outcome"] = "no_product"
	}
	return f
}

// Public returns r without Google's citations and search suggestions.
func (photos) Public(r analyze.Result) analyze.Result { return r.Public() }

// Fault returns whether err is permanent, because of the photo itself, or because
// its generation no longer exists.
func (photos) Fault(err error) (f jobs.Fault) {
	var bad *photo.Error
	f.Permanent = errors.As(err, &bad) || errors.Is(err, errName) || errors.Is(err, blob.ErrTooLarge) || errors.Is(err, blob.ErrEncoding) || errors.Is(err, analyze.ErrTooMany)
	if errors.Is(err, blob.ErrNotFound) {
		f.Gone = "object_gone"
	}
	return f
}

// fromCache returns an earlier result, adapted to an equal request, and as people say now
// that it is: the result may have been on its way when they said so.
func (in *Intake) fromCache(ctx context.Context, earlier analyze.Result, req analyze.Request, age time.Duration) (analyze.Result, error) {
	v, err := in.Pipeline.Verdict(ctx, req)
	if err != nil {
		return analyze.Result{}, err
	}
	if v == nil || v.Product == nil {
		if stale, err := in.Pipeline.Stale(ctx, earlier); err != nil || stale {
			return analyze.Result{}, cmp.Or(err, jobs.ErrStale)
		}
	}
	earlier.Warnings = slices.DeleteFunc(earlier.Warnings, ofDelivery)
	return earlier.FromCache(req, age).As(v), nil
}

// ofCopy returns the result of a photo as that of a copy with another hash, which people may
// have reviewed by itself: what they say of the photo is of revision 0 there.
func (in *Intake) ofCopy(ctx context.Context, of analyze.Result, sha256 string) (analyze.Result, error) {
	v, err := in.Pipeline.Reviews.Verdict(ctx, of.Image.SHA256)
	if err != nil {
		return analyze.Result{}, err
	}
	image := *of.Image
	image.SHA256 = sha256
	of = of.Unreviewed()
	of.Image = &image
	if v == nil {
		return of, nil
	}
	said := *v
	said.Revision = 0
	return of.As(&said), nil
}

// Unidentified is the source of an unidentified product in listings, filters and
// counts. The JSON of the result has google_search, the last row's source, even if
// no search was made.
const Unidentified = analyze.WarnUnidentified

// SourceOf returns the source of the product of r, or Unidentified; empty without a
// product.
func SourceOf(r analyze.Result) string {
	switch {
	case r.Identification == nil:
		return ""
	case slices.Contains(r.Warnings, analyze.WarnUnidentified):
		return Unidentified
	}
	return string(r.Source)
}

// Log logs the result of a photo and the attempt, or the cost of a run without a
// result. The dashboard counts these lines.
func (photos) Log(ctx context.Context, photo string, attempt int, r analyze.Result, err error) {
	switch {
	case err == nil:
		slog.InfoContext(ctx, "object analysed", "object", photo, "attempt", attempt, "source", cmp.Or(SourceOf(r), r.Error),
			"cached", r.Cached, "took", r.InferenceTime, "cost_usd", r.CostUSD)
	case !refusedAtOnce(err):
		slog.WarnContext(ctx, "analysis broken off", "photo", photo, "error", err, "cost_usd", r.CostUSD,
			"total_tokens", r.TokenUsage.Total, "generate_calls", r.ModelCalls.Generate)
	}
}

// refusedAtOnce reports whether a photo was refused before its analysis began.
func refusedAtOnce(err error) bool {
	var bad *photo.Error
	return errors.As(err, &bad) || errors.Is(err, analyze.ErrTooMany)
}
