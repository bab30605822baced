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
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/phash"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/trace"
	"example.com/whatis/internal/usererror"
)

// A delivered is the job of a delivery.
type delivered struct {
	jobs.Spec
	in      *Intake
	d       Delivery
	req     analyze.Request
	unknown []string // warnings of its options
	upload  photo.Upload
	group   *group // of several photos; else nil
	leave   func() // releases the memory for the file; nil while there is none
}

// Job returns the job of d. An upload that is not to be analysed is logged and
// marked to be skipped. The result of an upload is written into the results bucket.
func (in *Intake) Job(ctx context.Context, d Delivery) jobs.Delivered[analyze.Result, *agent.Event] {
	w := &delivered{in: in, d: d, Spec: jobs.Spec{
		Item: d.item(), Name: d.subject().URI(), Published: d.Published, Replay: d.Replay, Fresh: !d.Since.IsZero(), Resumed: d.Since, Attributes: attributes(d.subject().URI(), d.subject().Generation),
	}}
	w.req, w.unknown = in.Defaults.deliveryRequest(d)
	w.req.Tier = cmp.Or(d.Tier, in.Tier)
	w.Recheck = func(ctx context.Context, o jobs.Outcome) (bool, error) { return in.recheck(ctx, d.id(), o, w.Begun) }
	if d.Batch != "" {
		w.FailureAttributes = map[string]string{"batch": d.Batch}
	} else {
		w.Skip, w.FailureAttributes = d.Forgotten || in.skip(ctx, d.Object), attributes(d.URI(), d.Generation) // of a group an object that can be replayed
	}
	return w
}

// Begun reports whether the work of d is running, done, or was tried before.
func (in *Intake) Begun(ctx context.Context, d Delivery) (bool, error) {
	return in.Run.Begun(ctx, d.id())
}

// attributes returns the attributes of every message about a photo:
//
//	object      gs://bucket/name, empty for bytes that came over HTTP; missing if it is too long for an attribute
//	generation  of the object, 0 without one
func attributes(uri string, generation int64) map[string]string {
	return map[string]string{"object": uri, "generation": strconv.FormatInt(generation, 10)}
}

// Open reads the photo and computes only its hash, which is enough to find an
// earlier result.
func (w *delivered) Open(ctx context.Context) (err error) {
	if err := checkName(w.d); err != nil {
		return err
	}
	if len(w.d.More) > 0 {
		return w.openGroup(ctx)
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
	w.CacheKey, w.Tags = w.in.Pipeline.Key(w.req), w.req.Hashes()
	w.Notes = w.in.notes(w.Tags)
	if w.d.Near != nil {
		w.ContentKey = w.contentKey()
	}
	return nil
}

// contentKey returns the key that w has in common with photos of its batch that are the same but
// for their metadata; "" for a photo that cannot be used, which its analysis then reports.
func (w *delivered) contentKey() string {
	f, err := w.upload.Inspect(w.in.Limits)
	if err != nil {
		return ""
	}
	req := w.req
	req.Photo = &photo.Photo{SHA256: "content " + w.d.Batch + " " + f.ContentHash()}
	return w.in.Pipeline.Key(req)
}

// Close releases the memory for the file.
func (w *delivered) Close() {
	if w.leave != nil {
		w.leave()
	}
}

// Do runs the analysis.
func (w *delivered) Do(ctx context.Context, watch func(*agent.Event)) (analyze.Result, error) {
	looks, release, err := w.prepare(ctx)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	w.req.Unreviewed = w.Unnoted()
	if looks != 0 {
		w.req.Near = nearDuplicates(ctx, w.d, looks)
	}
	r, err := w.in.Pipeline.Run(ctx, w.req, watch)
	if err != nil {
		return r, err // which Failed completes
	}
	switch {
	case r.Passing():
		w.CacheKey = ""
	case r.OfNearDuplicates():
		w.CacheKey = store.HashID(w.CacheKey, w.d.Batch) // other requests do not have them
	}
	return w.completed(looksLike(r, looks)), nil
}

// FromCache returns an earlier result, adapted to this delivery. The perceptual hash
// is added if it is missing and d.Near is set. The earlier result may be that of a photo
// that is the same but for its metadata (ContentKey).
func (w *delivered) FromCache(ctx context.Context, earlier analyze.Result, age time.Duration) (analyze.Result, error) {
	if of := earlier.Image; w.group == nil && of != nil && of.SHA256 != w.req.Photo.SHA256 {
		copied, err := w.in.ofCopy(ctx, earlier, w.req.Photo.SHA256)
		if err != nil {
			return analyze.Result{}, err
		}
		earlier = copied
	}
	if w.group != nil {
		w.group.dropAgain(earlier, &w.req)
	}
	r, err := w.in.fromCache(ctx, earlier, w.req, age)
	if err != nil {
		return analyze.Result{}, err
	}
	if w.d.Near == nil || w.group != nil || r.Image.PHash != "" {
		return w.completed(r), nil
	}
	looks, release, err := w.prepare(ctx)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	return w.completed(looksLike(r, looks)), nil
}

// prepare sets the prepared photo in the request, and returns its perceptual hash if
// d.Near is set. Release gives back the photo's memory.
func (w *delivered) prepare(ctx context.Context) (looks phash.Hash, release func(), err error) {
	if w.group != nil {
		release, err = w.group.prepare(ctx, w.in, &w.req)
		return 0, release, err
	}
	p, held, err := w.in.prepare(ctx, w.upload, w.d.Near != nil, w.in.Limits)
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
	return looks, releases{w.in.brightnessOf(p, false), held}.release, nil
}

// Failed returns the result of a photo that cannot be analysed because of err. Without a run
// it has the cost of the steps that earlier attempts paid for.
func (w *delivered) Failed(ctx context.Context, r analyze.Result, err error, took time.Duration) analyze.Result {
	r = r.Failed(w.failureText(ctx, err), false)
	var given *jobs.GivenUp
	if errors.As(err, &given) {
		r.Warnings = append(r.Warnings, WarnGivenUp)
	}
	r.InferenceTime = fmt.Sprintf("%.2fs", took.Seconds())
	r.Country, r.Lang = w.req.Country, w.req.Lang
	if r.Image == nil {
		r.Charge(jobs.Spent(ctx), took)
		r.Image = &analyze.Image{URI: w.d.URI(), Generation: w.d.Generation}
	}
	return w.completed(r)
}

// failureText returns the message of err for the result. For an error without a
// message for users it names the kind of fault and logs the rest.
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

// completed returns r with the delivery's ID and warnings.
func (w *delivered) completed(r analyze.Result) analyze.Result {
	r.ID = w.d.id()
	r.Warnings = append(r.Warnings, w.unknown...)
	if w.group != nil {
		w.group.note(&r)
	}
	return r
}

// WarnGivenUp is the warning of an analysis_failed result whose photo may be good: a
// replay may succeed.
const WarnGivenUp = "given_up"

// looksLike returns r with its photo's perceptual hash, if that is known.
func looksLike(r analyze.Result, looks phash.Hash) analyze.Result {
	if looks != 0 && r.Image != nil {
		r.Image.PHash = looks.String()
	}
	return r
}

// size returns how many bytes of o are read at most: MaxBytes if its size is
// unknown; a larger object is not read.
func (in *Intake) size(o Object) int64 {
	if o.Size <= 0 {
		return in.Limits.MaxBytes
	}
	return min(o.Size, in.Limits.MaxBytes)
}

// subject returns the object that the result of d is named by.
func (d Delivery) subject() blob.ObjectRef {
	if d.As.Name == "" {
		return d.ObjectRef
	}
	return d.As
}

// id returns the ID of the work and its result: a hash of the object's generation
// and the batch, if any.
func (d Delivery) id() string {
	s := d.subject()
	names := []string{s.Bucket, s.Name, fmt.Sprint(s.Generation)}
	if d.Batch != "" {
		names = append(names, d.Batch)
	}
	return store.HashID(names...)
}

// item returns the work item of d.
func (d Delivery) item() jobs.Item {
	i := jobs.Item{ID: d.id(), Kind: kindUpload, Subject: d.subject().Name}
	if d.Batch != "" {
		i.Kind = kindBatch
	}
	i.Index = jobs.Index{
		bucketField: d.Bucket, generationField: d.subject().Generation,
		setField: d.Batch, itemField: int64(d.Item),
	}
	if set := d.Metadata["set"]; d.Batch == "" && checkSet(set) == nil {
		i.Index[setField] = set
	}
	return i
}
