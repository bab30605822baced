package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/phash"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/trace"
	"example.com/whatis/internal/usererror"
)

// A delivered is the job of one delivery.
type delivered struct {
	jobs.Spec
	in      *Intake
	d       Delivery
	req     analyze.Request
	unknown []string // warnings of its options
	upload  photo.Upload
	leave   func() // gives back the room for the file; nil while there is none
}

// Job is the work that d asks for. What is no work is logged, and to be skipped. The
// result of an upload is written into the results bucket.
func (in *Intake) Job(ctx context.Context, d Delivery) jobs.Delivered[analyze.Result, *agent.Event] {
	w := &delivered{in: in, d: d, Spec: jobs.Spec{
		Item: d.item(), Name: d.URI(), Published: d.Published, Replay: d.Replay, Attributes: attributes(d.URI(), d.Generation),
	}}
	w.req, w.unknown = in.Defaults.deliveryRequest(d)
	w.req.Tier = cmp.Or(d.Tier, in.Tier)
	if d.Batch != "" {
		w.FailureAttributes = map[string]string{"batch": d.Batch}
	} else {
		w.Skip = in.skip(ctx, d.Object)
	}
	return w
}

// Begun reports that somebody is at the work that d asks for, has done it, or tried.
func (in *Intake) Begun(ctx context.Context, d Delivery) (bool, error) {
	return in.Run.Begun(ctx, d.id())
}

// attributes are those of every message about a photo:
//
//	object      gs://bucket/name, empty for bytes that came over HTTP
//	generation  of the object, 0 without one
func attributes(uri string, generation int64) map[string]string {
	return map[string]string{"object": uri, "generation": strconv.FormatInt(generation, 10)}
}

// Open reads the photo. No more than its hash is looked at, which is all that an
// earlier result is found by.
func (w *delivered) Open(ctx context.Context) (err error) {
	if err := checkName(w.d); err != nil {
		return err
	}
	if w.leave, err = w.in.Memory.Acquire(ctx, MemoryFor(w.in.size(w.d.Object))); err != nil {
		return err
	}
	data, _, err := w.in.Objects.Read(ctx, w.d.ObjectRef, w.in.Limits.MaxBytes)
	if err != nil {
		return err
	}
	w.upload = photo.NewUpload(data)
	w.req.Photo = photoByHash(w.upload)
	w.CacheKey, w.CacheTag = w.in.Pipeline.Key(w.req), w.upload.SHA256
	return nil
}

// Close gives back the room of the file.
func (w *delivered) Close() {
	if w.leave != nil {
		w.leave()
	}
}

// Do finds out what the photo shows.
func (w *delivered) Do(ctx context.Context, watch func(*agent.Event)) (analyze.Result, error) {
	looks, release, err := w.prepare(ctx)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	if looks != 0 {
		w.req.Near = nearDuplicates(ctx, w.d, looks)
	}
	r, err := w.in.Pipeline.Run(ctx, w.req, watch)
	return w.completed(looksLike(r, looks)), err
}

// FromCache is an earlier result as this delivery's. The hash of how the photo looks
// is added if it is missing and asked for.
func (w *delivered) FromCache(ctx context.Context, earlier analyze.Result, age time.Duration) (analyze.Result, error) {
	r := forRequest(earlier, w.req, age)
	if w.d.Near == nil || r.Image.PHash != "" {
		return w.completed(r), nil
	}
	looks, release, err := w.prepare(ctx)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	return w.completed(looksLike(r, looks)), nil
}

// prepare makes the photo ready in the request, and hashes how it looks if photos
// that look alike are asked for. Release gives back what the photo holds.
func (w *delivered) prepare(ctx context.Context) (looks phash.Hash, release func(), err error) {
	p, held, err := w.in.prepare(ctx, w.upload, w.d.Near != nil)
	if err != nil {
		return 0, nil, err
	}
	w.req.Photo = p
	before := p.HeldBytes()
	if looks, err = w.in.looks(ctx, p, w.d); err != nil {
		held()
		return 0, nil, err
	}
	if before > 0 {
		return looks, held, nil
	}
	return looks, rooms{w.in.brightnessOf(p, false), held}.release, nil
}

// Failed is the result of a photo that cannot be analysed because of err.
func (w *delivered) Failed(ctx context.Context, r analyze.Result, err error, took time.Duration) analyze.Result {
	r = r.Failed(w.failureText(ctx, err), false)
	var given *jobs.GivenUp
	if errors.As(err, &given) {
		r.Warnings = append(r.Warnings, WarnGivenUp)
	}
	r.InferenceTime = fmt.Sprintf("%.2fs", took.Seconds())
	r.Country, r.Lang = w.req.Country, w.req.Lang
	if r.Image == nil {
		r.Image = &analyze.Image{URI: w.d.URI(), Generation: w.d.Generation}
	}
	return w.completed(r)
}

// failureText is err for those who read the result. Of an error that has no message for
// them they are told what sort of fault it is, and the log has the rest.
func (w *delivered) failureText(ctx context.Context, err error) string {
	if text, ok := usererror.Message(err); ok {
		return text
	}
	slog.ErrorContext(ctx, "photo not analysed", "object", w.d.URI(), "error", err)
	text := "it cannot be analysed: " + jobs.Cause(err)
	if id := trace.ID(ctx); id != "" {
		text += ". The log says more, in the trace " + id
	}
	return text
}

// completed is r with what only the delivery knows.
func (w *delivered) completed(r analyze.Result) analyze.Result {
	r.ID = w.d.id()
	r.Warnings = append(r.Warnings, w.unknown...)
	return r
}

// WarnGivenUp is the warning of a result that says analysis_failed although the
// photo may be good: a replay may well succeed.
const WarnGivenUp = "given_up"

// looksLike is r with the hash of how its photo looks, if that is known.
func looksLike(r analyze.Result, looks phash.Hash) analyze.Result {
	if looks != 0 && r.Image != nil {
		r.Image.PHash = looks.String()
	}
	return r
}

// size is how many bytes of o are read at most. One of unknown size may be as
// large as a photo gets; a larger one is not read.
func (in *Intake) size(o Object) int64 {
	if o.Size <= 0 {
		return in.Limits.MaxBytes
	}
	return min(o.Size, in.Limits.MaxBytes)
}

// id is the ID of the delivered work and its result: a hash of the generation,
// and of the batch that asks for it.
func (d Delivery) id() string {
	names := []string{d.Bucket, d.Name, fmt.Sprint(d.Generation)}
	if d.Batch != "" {
		names = append(names, d.Batch)
	}
	return store.HashID(names...)
}

// item is the work that d is about.
func (d Delivery) item() jobs.Item {
	i := jobs.Item{ID: d.id(), Kind: kindUpload, Subject: d.Name}
	if d.Batch != "" {
		i.Kind = kindBatch
	}
	i.Index = jobs.Index{
		bucketField: d.Bucket, generationField: d.Generation,
		batchField: d.Batch, itemField: int64(d.Item),
	}
	return i
}
