package intake

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/work"
)

// cachePatience is how long the result cache is waited for. Its client would try
// for minutes.
const cachePatience = 2 * time.Second

// cached returns the result that the same request had before, nil when there is
// none. A cache that cannot be reached is no reason to fail: the photo is analysed.
func (in *Intake) cached(ctx context.Context, req analyze.Request) *analyze.Result {
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	record, age, found, err := in.Work.Cached(ctx, in.Pipeline.Key(req))
	if err != nil {
		slog.WarnContext(ctx, "result cache not read", "error", err)
	}
	if err != nil || !found {
		return nil
	}
	r, err := decoded(record.Result)
	if err != nil {
		slog.WarnContext(ctx, "result cache not read", "error", err)
		return nil
	}
	r.Warnings = slices.DeleteFunc(r.Warnings, ofDelivery)
	r = r.FromCache(req, age)
	return &r
}

// outcome is what the work record says of r. That a photo shows no product is no
// failure, which a replay would pay for again.
func outcome(r analyze.Result) (work.Outcome, error) {
	data, err := json.Marshal(r)
	o := work.Outcome{Result: data, Index: indexOf(r)}
	if r.Error == analyze.AnalysisFailed {
		o.Error = r.Error
	}
	return o, err
}

// analysed is the outcome of a new analysis of req, which the same request finds
// again. What failed is not found, nor what came from the cache itself: it would
// never grow old.
func (in *Intake) analysed(r analyze.Result, req analyze.Request) (work.Outcome, error) {
	o, err := outcome(r)
	if err == nil && o.Error == "" && !r.Cached {
		o.CacheKey, o.CacheTag = in.Pipeline.Key(req), req.Photo.SHA256
	}
	return o, err
}
