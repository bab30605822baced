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
	kindHTTP   = "http"   // a photo in a request; its subject is a URI, if it has one
	kindBatch  = "batch"  // a photo of a batch
)

// The fields that photos and results are listed by.
const (
	bucketField     = "bucket"
	generationField = "generation"
	sourceField     = "source"  // SourceOf
	doubtField      = "doubt"   // a person should look at it
	batchField      = "batch"   // of a photo of a batch, with
	itemField       = "item"    // its place in it
	verdictField    = "verdict" // what a person said of it last
	queueField      = "queue"   // above 0 where a person should look at it and nobody has: the greater, the sooner
)

// Schema is the index of the work on photos. The subject is the object's name.
var Schema = jobs.Schema{
	Item:    jobs.Index{bucketField: "", generationField: int64(0), batchField: "", itemField: int64(0)},
	Outcome: jobs.Index{sourceField: "", doubtField: false, verdictField: "", queueField: int64(0)},
}

// photos are the kind of job whose result says what a photo shows.
type photos struct{}

// Describe tells what r is listed by, and the attributes of the message about it:
//
//	source   that of the JSON: image, local_db or google_search; empty without a product
//	outcome  product, no_product or failed
//
// That a photo shows no product is no failure, which a replay would pay for again.
func (photos) Describe(r analyze.Result) jobs.Facts {
	f := jobs.Facts{
		Index:      jobs.Index{sourceField: SourceOf(r), doubtField: r.Doubtful(), queueField: queued(r)},
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

// Public is r without what Google found for the one who asked.
func (photos) Public(r analyze.Result) analyze.Result { return r.Public() }

// Fault tells errors of the photo itself, which the same bytes would meet again, and
// that there is no such generation any more.
func (photos) Fault(err error) (f jobs.Fault) {
	var bad *photo.Error
	f.Permanent = errors.As(err, &bad) || errors.Is(err, errName) || errors.Is(err, blob.ErrTooLarge)
	if errors.Is(err, blob.ErrNotFound) {
		f.Gone = "object_gone"
	}
	return f
}

// forRequest is an earlier result as an equal request gets it.
func forRequest(earlier analyze.Result, req analyze.Request, age time.Duration) analyze.Result {
	earlier.Warnings = slices.DeleteFunc(earlier.Warnings, ofDelivery)
	return earlier.FromCache(req, age)
}

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

// Log notes what came of a photo, at which attempt, or what a run cost that has
// no result. The dashboard counts these lines.
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

// refusedAtOnce reports that a photo was not begun with, because of itself.
func refusedAtOnce(err error) bool {
	var bad *photo.Error
	return errors.As(err, &bad) || errors.Is(err, analyze.ErrTooMany)
}
