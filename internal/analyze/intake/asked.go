package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/store"
)

// A Source holds the bytes of a photo, or the URI to read them from.
type Source struct {
	File string // the name that it was sent with; may be empty
	Data []byte // the bytes, or
	URI  string // gs://bucket/object, in a readable bucket
}

// A Photo is a request whose caller waits for the result.
type Photo struct {
	File      string   // the name that it was sent with
	Data      []byte   // the bytes, or
	URI       string   // gs://bucket/object, in a readable bucket
	More      []Source // further photos of the same product
	Options   Options
	Fresh     bool      // even if the same photo was analysed before
	Set       string    // the name of the photos that it was sent with, by which the results are found; may be empty
	Thumbnail []byte    // as photo.CleanThumbnail returns it, to be kept with the result; may be empty
	Resumed   time.Time // repeated by a client that lost its connection, when that run began: with Fresh, accepts a result made since
}

// Photo analyses p and passes every event of the agents to watch, which may be
// nil. Equal requests at the same time share one run. Memory is reserved for fetched
// objects; for Data, which is only read, the caller reserves it. Errors are
// *photo.Error, *gemini.Error, *admission.Busy, ErrOption, ErrForbidden,
// analyze.ErrTooMany, blob.ErrNotFound, blob.ErrTooLarge or errors of the services
// used.
func (in *Intake) Photo(ctx context.Context, p Photo, watch func(*agent.Event)) (analyze.Result, error) {
	req, err := in.Defaults.Request(p.Options)
	if err != nil {
		return analyze.Result{}, err
	}
	if err := checkSet(p.Set); err != nil {
		return analyze.Result{}, err
	}
	req.Attempts = gemini.CallerAttempts
	a := &asked{
		Spec: jobs.Spec{Item: jobs.Item{Kind: kindHTTP, Subject: p.URI}, Fresh: p.Fresh, Resumed: p.Resumed, Begun: time.Now()},
		in:   in, thumbnail: in.kept(p.Thumbnail), sources: append([]Source{{p.File, p.Data, p.URI}}, p.More...), req: req, set: p.Set,
	}
	r, err := in.Run.Ask(ctx, a, watch)
	var of *photoError
	if errors.As(err, &of) && of.i < len(a.req.Origins) { // the run may be another's, whose files have other names
		err = ofPhoto(of.i, of.of, a.req.Origins[of.i], of.err)
	}
	return in.shownTo(ctx, r), err
}

// shownTo returns r as the caller may see it.
func (in *Intake) shownTo(ctx context.Context, r analyze.Result) analyze.Result {
	if in.mayRead(ctx) != nil {
		return r.WithoutOthers()
	}
	return r
}

// asker returns the caller as a record names them.
func (in *Intake) asker(ctx context.Context) (who string, sure bool) {
	if in.Asker == nil {
		return "", true
	}
	if who, sure = in.Asker(ctx); who != "" {
		who = store.HashID("asker", who)
	}
	return who, sure
}

// asked reports whether the caller asked over HTTP for what has that record.
func (in *Intake) asked(ctx context.Context, record jobs.Record) bool {
	who, _ := in.asker(ctx)
	return record.Kind == kindHTTP && record.Item.Index.Text(askerField) == who
}

// An asked is the job of a request for one photo or for several of one product.
type asked struct {
	jobs.Spec
	in        *Intake
	id        string
	sources   []Source
	req       analyze.Request
	set       string
	thumbnail []byte         // of the first photo, if it is to be kept
	uploads   []photo.Upload // in the order of the request's photos
	leave     func()         // releases the memory for fetched files; nil while there is none
}

// Open reads the photos. The result's ID is that of the request by this caller: equal photos of
// others have results of their own, as these have the names of their files. Where a caller may be
// several people, the names make the difference.
func (a *asked) Open(ctx context.Context) error {
	if err := a.gather(ctx); err != nil {
		return err
	}
	a.sources = nil // frees the bytes before the photos are prepared
	key := a.in.Pipeline.Key(a.req)
	who, sure := a.in.asker(ctx)
	ofAsker := []string{key, who}
	if !sure {
		ofAsker = append(ofAsker, fmt.Sprint(a.req.Origins), string(a.thumbnail))
	}
	if a.set != "" { // each set has all its photos
		ofAsker = append(ofAsker, "set", a.set)
	}
	a.id = store.HashID(ofAsker...)
	a.Name = cmp.Or(a.req.Origin(0).URI, "sha256:"+a.req.Photo.SHA256)
	a.CacheKey, a.Tags = key, a.req.Hashes()
	a.Item.ID, a.Item.Index, a.Item.Attachment = a.id, jobs.Index{generationField: a.req.Origin(0).Generation, askerField: who, setField: a.set}, a.thumbnail
	a.Attributes = attributes(a.req.Origin(0).URI, a.req.Origin(0).Generation)
	a.Notes = a.in.notes(a.Tags, a.id)
	a.Recheck = func(ctx context.Context, o jobs.Outcome) (bool, error) {
		return a.in.recheck(ctx, a.id, o, a.Begun, a.id)
	}
	return nil
}

// kept returns a thumbnail if thumbnails are kept.
func (in *Intake) kept(thumbnail []byte) []byte {
	if !in.KeepThumbnails {
		return nil
	}
	return thumbnail
}

// Close releases the memory for fetched files.
func (a *asked) Close() {
	if a.leave != nil {
		a.leave()
	}
}

// FromCache returns an earlier result, adapted to this request. Where that is the record of
// this one, its picture stays as it is.
func (a *asked) FromCache(ctx context.Context, earlier analyze.Result, age time.Duration) (analyze.Result, error) {
	a.req.Unreviewed = a.Unnoted()
	r, err := a.in.fromCache(ctx, earlier, a.req, age)
	a.Unrecorded, r.ID = r.ID != a.id, a.id
	if r.Image != nil {
		own := !a.Unrecorded && earlier.Image != nil
		r.Image.Preview = own && earlier.Image.Preview
		if own {
			r.Image.Thumbnail = earlier.Image.Thumbnail
		}
	}
	return r, err
}

// Do runs the analysis.
func (a *asked) Do(ctx context.Context, watch func(*agent.Event)) (analyze.Result, error) {
	release, err := a.in.prepareAll(ctx, a.uploads, &a.req)
	if err != nil {
		return analyze.Result{}, err
	}
	defer release()
	clear(a.uploads) // where metadata were removed, frees the original file
	a.req.Unreviewed = a.Unnoted()
	r, err := a.in.Pipeline.Run(ctx, a.req, watch)
	if r.Passing() {
		a.CacheKey = ""
	}
	r.ID = a.id
	if err == nil && a.in.KeepThumbnails && r.Identification != nil && r.Doubtful() && r.Image.URI == "" {
		a.addPreview(ctx, &r)
	}
	return r, err
}

// previewWidth is the width in pixels of the pictures that are made here.
const previewWidth = 320

// addPreview makes a small picture of the first photo for whoever reviews r: a thumbnail may show
// something else. There may be none, for want of memory or of a decoder.
func (a *asked) addPreview(ctx context.Context, r *analyze.Result) {
	limits := a.in.Limits
	limits.MaxSent = photo.MaxThumbnail
	f, err := photo.Upload{Data: a.req.Photo.Sent}.Inspect(limits)
	if err != nil {
		return
	}
	done, err := a.in.Memory.AcquireWork(ctx, f.ThumbnailMemory(previewWidth))
	if err != nil {
		return
	}
	defer done()
	if picture, err := f.Thumbnail(previewWidth); err == nil {
		a.Item.Attachment, r.Image.Preview, r.Image.Thumbnail = picture, true, false
	}
}
