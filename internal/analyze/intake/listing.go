package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
	"golang.org/x/sync/errgroup"
)

// A Listed is a finished result in its public form: without Google's citations and
// search suggestions.
type Listed struct{ jobs.Listed[analyze.Result] }

// List returns finished results, and the value of f.After for the next page; "" after the last.
func (in *Intake) List(ctx context.Context, f Filter) (list []Listed, next string, err error) {
	finished, next, err := in.Run.List(ctx, f.work())
	for _, one := range finished {
		list = append(list, Listed{one}.shown())
	}
	return list, next, err
}

// Result returns one finished result as the caller may see it, or jobs.ErrNotFound.
func (in *Intake) Result(ctx context.Context, id string) (Listed, error) {
	one, err := in.Run.Get(ctx, id)
	if err == nil {
		err = in.maySee(ctx, one.Record)
	}
	if err != nil {
		return Listed{}, err
	}
	l := Listed{one}.shown()
	l.Public = in.shownTo(ctx, l.Public)
	return l, nil
}

// maySee returns jobs.ErrNotFound unless the caller may read what others asked for, or asked for
// that themselves.
func (in *Intake) maySee(ctx context.Context, record jobs.Record) error {
	if in.mayRead(ctx) != nil && !in.asked(ctx, record) {
		return fmt.Errorf("%w: another has asked for %s", jobs.ErrNotFound, record.ID)
	}
	return nil
}

// File returns the photo's URI, "" if it came over HTTP and is not kept.
func (l Listed) File() string {
	switch {
	case l.Kind == kindHTTP:
		return l.Subject
	case l.bucket() == "":
		return ""
	}
	return Object{ObjectRef: blob.ObjectRef{Bucket: l.bucket(), Name: l.Subject}}.URI()
}

// photos returns the photos of the result that lie in buckets.
func (l Listed) photos() (all []blob.ObjectRef) {
	if l.Public.Image != nil {
		for _, i := range append([]analyze.Image{*l.Public.Image}, l.Public.MoreImages...) {
			if o, err := blob.ParseURI(i.URI); err == nil && i.URI != "" {
				o.Generation = i.Generation
				all = append(all, o)
			}
		}
	}
	if uri := l.File(); len(all) == 0 && uri != "" {
		if o, err := blob.ParseURI(uri); err == nil {
			o.Generation = l.Item.Index.Number(generationField)
			all = append(all, o)
		}
	}
	return all
}

func (l Listed) bucket() string { return l.Item.Index.Text(bucketField) }

// Doubt reports whether a person should look at the result.
func (l Listed) Doubt() bool { return l.Outcome.Index.Flag(doubtField) }

// Verdict returns the latest verdict of a person on the result: accept, correct or
// reject; "" without one.
func (l Listed) Verdict() string { return l.Outcome.Index.Text(verdictField) }

// Revision returns what a review of the result names as what its writer saw.
func (l Listed) Revision() string {
	said := int64(0)
	if l.Public.Reviewed != nil {
		said = l.Public.Reviewed.Revision
	}
	return review.Revision(said, l.Finished)
}

// originOf returns the object of a result's photo, or blob.ErrNotFound.
func (in *Intake) originOf(record jobs.Record) (origin blob.ObjectRef, err error) {
	origin = blob.ObjectRef{Bucket: record.Item.Index.Text(bucketField), Name: record.Subject}
	if record.Kind == kindHTTP {
		if origin, err = in.readableObject(record.Subject); err != nil {
			return origin, errors.Join(blob.ErrNotFound, err)
		}
	}
	origin.Generation = record.Item.Index.Number(generationField)
	if r, err := jobs.Decode[analyze.Result](record.Result); err == nil && r.Image != nil && r.Image.URI != "" && record.Kind != kindHTTP {
		if first, err := blob.ParseURI(r.Image.URI); err == nil { // of a group, which has a name of its own
			origin.Bucket, origin.Name, origin.Generation = first.Bucket, first.Name, r.Image.Generation
		}
	}
	return origin, nil
}

// lookTime bounds the search for the photos of a page of results.
const lookTime = 2 * time.Second

// HavePhotos reports which results' photos are still in their buckets, or have a small picture
// that the caller may see. One that cannot be looked for in time counts as there.
func (in *Intake) HavePhotos(ctx context.Context, list []Listed) []bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	have := make([]bool, len(list))
	var group errgroup.Group
	for i, l := range list {
		if l.File() == "" {
			have[i] = l.Public.HasPicture() || l.Public.Image != nil && l.Public.Image.Thumbnail && in.asked(ctx, l.Record)
			continue
		}
		group.Go(func() error {
			origin, err := in.originOf(l.Record)
			if err == nil {
				_, err = in.Objects.Size(ctx, origin)
			}
			have[i] = !errors.Is(err, blob.ErrNotFound)
			return nil
		})
	}
	_ = group.Wait() // no function fails
	return have
}

// Thumbnail returns the photo of a finished result as a JPEG that is at most width
// pixels wide, or the small picture that is kept of it, as it is: the thumbnail that it was sent
// with is shown to its sender alone. Photos that came over HTTP are not kept, and an object may
// be gone: blob.ErrNotFound. Other errors are *photo.Error, *admission.Busy, and jobs.ErrNotFound
// of a result that the caller may not see.
func (in *Intake) Thumbnail(ctx context.Context, id string, width int) ([]byte, error) {
	record, err := in.Work.Get(ctx, id)
	if err == nil && !record.Forgotten.IsZero() {
		err = fmt.Errorf("%w: %s was forgotten", jobs.ErrNotFound, id)
	}
	if err == nil {
		err = in.maySee(ctx, record)
	}
	if err != nil {
		return nil, err
	}
	if len(record.Attachment) > 0 && (listed(record).Public.HasPicture() || in.asked(ctx, record)) {
		return record.Attachment, nil
	}
	origin, err := in.originOf(record)
	if err != nil {
		return nil, err
	}
	size, err := in.Objects.Size(ctx, origin)
	if err != nil {
		return nil, err
	}
	leave, err := in.Memory.Acquire(ctx, MemoryFor(min(size, in.Limits.MaxBytes)))
	if err != nil {
		return nil, err
	}
	defer leave()
	data, _, err := in.Objects.Read(ctx, origin, in.Limits.MaxBytes)
	if err != nil {
		return nil, err
	}
	f, err := photo.Upload{Data: data}.Inspect(in.Limits)
	if err != nil {
		return nil, err
	}
	done, err := in.Memory.AcquireWork(ctx, f.ThumbnailMemory(width))
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Thumbnail(width)
}
