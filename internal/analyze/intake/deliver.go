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
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/phash"
	"example.com/whatis/internal/work"
)

// settle bounds the writes that end a piece of work when its own time is up.
const settle = 5 * time.Second

// Object takes in one delivery of an object generation. It returns an error only
// when the object is to be delivered again; work.ErrBusy says that another
// instance is at it.
func (in *Intake) Object(ctx context.Context, d Delivery) error {
	if in.skip(ctx, d.Object) {
		return nil
	}
	o, err := in.finished(ctx, d)
	if err != nil || len(o.Result) == 0 {
		return err
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
	defer cancel()
	if err := in.write(ending, d.Origin, o.Result); err != nil {
		return err
	}
	return in.announceDelivery(ending, d, o)
}

// Item takes in one delivery of a photo of a batch, and returns what came of it.
// There is no result without a photo: it was gone, or replaced. Errors are as
// Object's.
func (in *Intake) Item(ctx context.Context, d Delivery) (work.Outcome, error) {
	o, err := in.finished(ctx, d)
	if err != nil || len(o.Result) == 0 {
		return o, err
	}
	return o, in.announceDelivery(ctx, d, o)
}

// finished is the outcome of the work that d is about, which is done now or was
// done before.
func (in *Intake) finished(ctx context.Context, d Delivery) (work.Outcome, error) {
	if err := in.reopen(ctx, d); err != nil {
		return work.Outcome{}, fmt.Errorf("intake: %s: %w", d.URI(), err)
	}
	claim, err := in.Work.Claim(ctx, d.item())
	var done *work.DoneError
	if errors.As(err, &done) {
		return done.Record.Outcome, nil
	}
	if err != nil {
		return work.Outcome{}, fmt.Errorf("intake: %s: %w", d.URI(), err)
	}
	o, err := in.do(claim, d)
	if err != nil {
		return work.Outcome{}, fmt.Errorf("intake: %s: %w", d.URI(), in.giveBack(ctx, claim, err))
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
	defer cancel()
	if err := claim.Finish(ending, o); err != nil {
		return work.Outcome{}, fmt.Errorf("intake: %s: %w", d.URI(), errors.Join(err, claim.Release(ending, reasonOf(err))))
	}
	return o, nil
}

// reopen makes what a replay is about free to claim again, if it failed before the
// replay was asked for. A replay is delivered more than once as well: what failed
// since then has had its try.
func (in *Intake) reopen(ctx context.Context, d Delivery) error {
	if !d.Replay {
		return nil
	}
	record, err := in.Work.Get(ctx, d.id())
	switch {
	case errors.Is(err, work.ErrNotFound):
		return nil
	case err != nil:
		return err
	case record.State != work.Done, !d.Published.IsZero() && record.Finished.After(d.Published):
		return nil
	}
	return in.Work.Reopen(ctx, d.id())
}

// giveBack releases a claim that came to nothing because of err, and returns err.
func (in *Intake) giveBack(ctx context.Context, claim *work.Claim, err error) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
	defer cancel()
	if cause := context.Cause(claim.Context()); errors.Is(cause, work.ErrLost) {
		err = errors.Join(cause, err)
	}
	if release := claim.Release(ending, reasonOf(err)); release != nil && !errors.Is(release, work.ErrLost) {
		slog.WarnContext(ctx, "work not given back", "error", release)
	}
	return err
}

// do does the claimed work and returns what came of it.
func (in *Intake) do(claim *work.Claim, d Delivery) (work.Outcome, error) {
	ctx := claim.Context()
	req, unknown := in.Defaults.deliveryRequest(d)
	req.Journal = agent.Journal{Kept: claim.Checkpoints, Keep: claim.Checkpoint}
	start := time.Now()
	r, err := in.attempt(claim, &req, d)
	if errors.Is(err, blob.ErrNotFound) {
		slog.InfoContext(ctx, "object skipped", "object", d.URI(), "reason", "this generation is gone")
		return work.Outcome{Error: "object_gone"}, nil
	}
	if err != nil && !permanent(err) {
		logCost(ctx, d.URI(), r, err)
		return work.Outcome{}, err
	}
	if err != nil {
		r = in.failed(r, req, d.Object, err, time.Since(start))
	}
	r.ID = d.id()
	r.Warnings = append(r.Warnings, unknown...)
	logResult(ctx, d.URI(), claim.Attempt, r)
	return in.analysed(r, req)
}

// look finds the result of the delivered photo: cached, or analysed.
func (in *Intake) look(ctx context.Context, req *analyze.Request, d Delivery) (analyze.Result, error) {
	leave, err := in.Memory.Acquire(ctx, MemoryFor(in.size(d.Object)))
	if err != nil {
		return analyze.Result{}, err
	}
	defer leave()
	data, _, err := in.Objects.Read(ctx, d.Origin, in.Limits.MaxBytes)
	if err != nil {
		return analyze.Result{}, err
	}
	u := photo.NewUpload(data)
	req.Photo = named(u)
	earlier := in.earlier(ctx, *req)
	if earlier != nil && (d.Near == nil || earlier.Image.PHash != "") {
		return *earlier, nil
	}
	p, release, err := in.prepare(ctx, u, d.Near != nil)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	req.Photo = p
	return in.run(ctx, req, d, earlier)
}

// earlier is the result that the same request had before, nil if there is none.
// Work that was begun goes on.
func (in *Intake) earlier(ctx context.Context, req analyze.Request) *analyze.Result {
	if len(req.Journal.Kept) > 0 {
		return nil
	}
	return in.cached(ctx, req)
}

// run is the earlier result, if there is one, or that of a new run, for which photos
// that look alike are asked for.
func (in *Intake) run(ctx context.Context, req *analyze.Request, d Delivery, earlier *analyze.Result) (analyze.Result, error) {
	held := req.Photo.Held()
	looks, err := in.looks(ctx, req.Photo, d)
	if err != nil {
		return analyze.Result{}, err
	}
	if held == 0 {
		defer in.brightnessOf(req.Photo, false)()
	}
	if earlier != nil {
		return looksLike(*earlier, looks), nil
	}
	if looks != 0 {
		req.Near = near(ctx, d, looks)
	}
	r, err := in.Pipeline.Run(ctx, *req, nil)
	return looksLike(r, looks), err
}

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

// failed is the result of an object that cannot be analysed because of err.
func (in *Intake) failed(r analyze.Result, req analyze.Request, o Object, err error, took time.Duration) analyze.Result {
	r = r.Failed(Plain(err), false)
	r.Warnings = append(r.Warnings, warningOf(err)...)
	r.InferenceTime = fmt.Sprintf("%.2fs", took.Seconds())
	r.Country, r.Lang = req.Country, req.Lang
	if r.Image == nil {
		r.Image = &analyze.Image{URI: o.URI(), Generation: o.Generation}
	}
	return r
}

// source is what decided, or the error of a result without a product.
func source(r analyze.Result) string {
	return cmp.Or(SourceOf(r), r.Error)
}

// id is the ID of the delivered work and its result: a hash of the generation,
// and of the batch that asks for it.
func (d Delivery) id() string {
	h := sha256.New()
	names := []string{d.Bucket, d.Name, fmt.Sprint(d.Generation)}
	if d.Batch != "" {
		names = append(names, d.Batch)
	}
	for _, s := range names {
		_, _ = io.WriteString(h, s+"\x00")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// item is the work that d is about.
func (d Delivery) item() work.Item {
	i := work.Item{ID: d.id(), Kind: kindUpload, Subject: d.Name}
	if d.Batch != "" {
		i.Kind = kindBatch
	}
	i.Index = work.Index{bucketField: work.Text(d.Bucket), generationField: work.Number(d.Generation)}
	return i
}
